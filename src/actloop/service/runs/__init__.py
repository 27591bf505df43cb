"""Runs: who works on them, and the log that everybody reads."""
