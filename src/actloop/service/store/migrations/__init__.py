"""The history of the schema, for alembic. A change of `tables` comes with a new file in ``versions``."""
