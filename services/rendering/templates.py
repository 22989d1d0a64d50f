"""Templates and static files of the packages that show pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def template_environment(package: str, **filters: Callable[..., object]) -> Environment:
    """The one Jinja environment of a package: everything escaped, an undefined name is an error."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment


@cache
def static_files(package: str) -> Mapping[str, Traversable]:
    """The files of a package's static folder and of the folders in it, by the path to them."""
    found = {item.name: item for item in (files(package) / "static").iterdir()}
    inner = {
        f"{name}/{item.name}": item
        for name, folder in found.items()
        if folder.is_dir()
        for item in folder.iterdir()
    }
    return {name: item for name, item in (found | inner).items() if item.is_file()}
