"""One thin client per kind of server, each with its pure wire files. Imported by `load_llm` only, when asked for."""
