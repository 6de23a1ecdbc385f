"""The Markdown table of a run."""

import os
from dataclasses import dataclass, field


@dataclass(slots=True)
class Report:
    """Rows that are printed as they come, each with the load of the machine beside it."""

    rows: int = field(default=0)

    def add(self, what: str, measured: str, wanted: str = "") -> None:
        """Print one row.

        Args:
            what: was measured.
            measured: the figure.
            wanted: the figure asked for.
        """
        if not self.rows:
            print("| what | measured | wanted | load average |\n| --- | --- | --- | --- |")
        self.rows += 1
        print(f"| {what} | {measured} | {wanted} | {os.getloadavg()[0]:.1f} |", flush=True)
