"""actloop: agents that reason and act, with any model."""
