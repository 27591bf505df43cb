"""A service whose scripted model takes its time: to try the page by hand, and for its pictures and browser tests.

``python -m tests.support.demo --port 8765`` serves it; a word in the question says which scene is played.
"""
