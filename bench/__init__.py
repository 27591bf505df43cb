"""Measurements. Each compares actloop with a floor in the same run; RESULTS.md holds the figures and the commands."""
