"""Stand-ins for the outside world that several test files use."""
