"""The page in a real browser, on the real service: what a person sees and does."""
