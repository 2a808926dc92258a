"""Who made a package, for display only; never part of a prompt (spec/manifest.md 4.2)."""

from typing import Annotated

from pydantic import Field

from covel_host.manifest.fields import AboutText, Items, LabelText, Link, ManifestModel, Omittable


class AuthorLink(ManifestModel):
    """One link of the author."""

    label: LabelText
    url: Link


class Author(ManifestModel):
    """The author; the name is never translated."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    url: Omittable[Link] = None
    about: Omittable[AboutText] = None
    links: Annotated[Items[AuthorLink], Field(max_length=6)] = ()
