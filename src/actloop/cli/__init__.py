"""Layer 8: actloop in a terminal. Needs the extra ``cli``; `actloop.cli.main` says so when it is missing."""
