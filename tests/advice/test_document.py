"""The document on advice says what the code does."""

import re
from pathlib import Path
from typing import get_args

from streaming.advice import advise, load_history
from streaming.advice.advice import Kind
from streaming.advice.restarts import RETURN_MS
from tests.advice.test_loading import a_life, write

DOCUMENT = (Path(__file__).parents[2] / "docs" / "advice.md").read_text()


def test_every_kind_of_advice_is_explained() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", DOCUMENT, flags=re.MULTILINE)
    assert sorted(rows) == sorted(get_args(Kind))


def test_figures_are_those_of_the_code() -> None:
    assert RETURN_MS == 5 * 60 * 1000
    defaults = load_history.__kwdefaults__
    assert defaults is not None
    assert f"the last {defaults['generations']} settled generations" in DOCUMENT


def test_the_example_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", DOCUMENT, flags=re.DOTALL)
    write(tmp_path, a_life())
    runnable = example.replace('"tables"', repr(str(tmp_path))).replace('"kafka"', '"shop"')
    names: dict[str, object] = {}
    exec(runnable, names)  # noqa: S102 - our own document
    assert names["history"] is not None
    assert advise is names["advise"]
