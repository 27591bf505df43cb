"""Where the service keeps conversations, runs, their events and artifacts: SQLite or PostgreSQL."""
