"""Which Krait this is."""

from functools import cache
from importlib import metadata


@cache
def version() -> str:
    try:
        return metadata.version("krait")
    except metadata.PackageNotFoundError:
        return "0"  # run from a checkout that was never installed
