"""The addresses of the service: each parses, calls and encodes, nothing else."""
