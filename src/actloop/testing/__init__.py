"""For tests, ours and our users': a scripted model, a recorder of events, and replies on tape."""

from actloop.testing.recorder import EventRecorder
from actloop.testing.scripted_llm import ScriptedLLM, ScriptedReply, ScriptedRequest
from actloop.testing.tape import RecordingLLM, ReplayLLM

__all__ = ["EventRecorder", "RecordingLLM", "ReplayLLM", "ScriptedLLM", "ScriptedReply", "ScriptedRequest"]
