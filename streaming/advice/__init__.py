"""What would help a group, from its recorded life, each piece with the figure behind it.

`load_history` reads a life from the tables, `advise` draws the advice from it, `verdict` says in
one sentence how the group stands.
"""

from streaming.advice.advice import Advice
from streaming.advice.advisers import advise
from streaming.advice.history import Generation, History, MemberName
from streaming.advice.loading import load_history
from streaming.advice.replay import Replay, replay
from streaming.advice.verdict import verdict

__all__ = [
    "Advice",
    "Generation",
    "History",
    "MemberName",
    "Replay",
    "advise",
    "load_history",
    "replay",
    "verdict",
]
