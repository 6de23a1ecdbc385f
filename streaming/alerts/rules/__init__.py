"""Alert rules, as a pure function: facts and memory in, changes and a deadline out.

No Spark, no clock and no input or output: it runs on the executors, inside the micro-batch, where
the state of the groups is.
"""

from streaming.alerts.rules.book import RuleBook
from streaming.alerts.rules.evaluation import AlertChange, Evaluation, Rule, evaluate
from streaming.alerts.rules.facts import GroupFacts, MonitorFacts
from streaming.alerts.rules.memory import HEALTHY, AlertMemory

__all__ = [
    "HEALTHY",
    "AlertChange",
    "AlertMemory",
    "Evaluation",
    "GroupFacts",
    "MonitorFacts",
    "Rule",
    "RuleBook",
    "evaluate",
]
