"""Make sure that the package `streaming` is this project's.

mosaicml-streaming, which Databricks' ML runtimes bring along, has a package of the same name.
"""

from importlib import metadata
from pathlib import Path

import streaming
from streaming.errors import PackageClashError

OTHER_DISTRIBUTION = "mosaicml-streaming"


def ensure_ours() -> None:
    """Return if `streaming` is ours and no other distribution wrote into its folder.

    Raises:
        PackageClashError: It is not.
    """
    ours = getattr(streaming, "DISTRIBUTION", None) == "kafka-rebalance-monitor"
    if not ours or _other_folder() == _folder():
        raise PackageClashError(
            f"the package `streaming` in {_folder()} is not (or not only) kafka-rebalance-monitor's"
            f": {OTHER_DISTRIBUTION} has a package of that name; use an environment without it "
            f"(on Databricks the plain runtime), or pip uninstall {OTHER_DISTRIBUTION} and install "
            "kafka-rebalance-monitor again"
        )


def _folder() -> Path:
    (folder, *_) = streaming.__path__
    return Path(folder).resolve()


def _other_folder() -> Path | None:
    try:
        other = metadata.distribution(OTHER_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return None
    return Path(str(other.locate_file("streaming"))).resolve()
