"""How far a monitor has come that begins on a long topic, or begins again after a pause."""

from collections.abc import Callable
from dataclasses import dataclass

from streaming.query.progress import BatchInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Records since the start of this run, by their offsets.

    Attributes:
        read: read so far.
        there: in the topic, those read included.
    """

    read: int
    there: int

    @property
    def is_over(self) -> bool:
        """Whether all is read that was there when the last batch began."""
        return self.read >= self.there


OnProgress = Callable[[Progress], None]


class CatchingUp:
    """Follows the batches of a run until one leaves nothing behind."""

    def __init__(self, tell: OnProgress) -> None:
        """Begin before the first batch.

        Args:
            tell: told after each batch how far it is; for the last time when it is over, and not at
                all if the first batch reads everything.
        """
        self._tell = tell
        self._begin: dict[int, int] | None = None
        self._over = False

    def note(self, info: BatchInfo) -> None:
        """Take in a batch that is committed."""
        if self._over or info.behind_records is None:
            return
        self._over = not info.behind_records
        if self._begin is None:
            if self._over:
                return
            self._begin = dict(info.start_offsets)
        read = sum(
            end - self._begin.get(partition, 0) for partition, end in info.end_offsets.items()
        )
        self._tell(Progress(read=read, there=read + info.behind_records))
