"""Rules about the loop, a file each. `DEFAULT_RULES` is what an agent follows unless it is told otherwise."""

from actloop.agent.rules.base import Rule, RuleFactory
from actloop.agent.rules.completion_check import CompletionCheckRule
from actloop.agent.rules.repeats import RepeatRule
from actloop.agent.rules.self_check import SelfCheckRule

__all__ = ["DEFAULT_RULES", "CompletionCheckRule", "RepeatRule", "Rule", "RuleFactory", "SelfCheckRule"]

DEFAULT_RULES: tuple[RuleFactory, ...] = (RepeatRule, SelfCheckRule, CompletionCheckRule)
