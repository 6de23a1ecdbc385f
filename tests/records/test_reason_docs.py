"""Every reason code is explained."""

import re
from pathlib import Path

from streaming.records import ReasonCode

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_explains_exactly_the_codes_that_there_are() -> None:
    text = (DOCS / "dead-letters.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) - {"reason"} == {*ReasonCode}
