"""How many tool tasks a small model solves: our engine in its default configuration against a bare loop."""
