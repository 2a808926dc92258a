"""The name check that the contribution decorators share."""

import re

from plugin_sdk.errors import DefinitionError


def named(kind: str, name: object, *, pattern: str, expected: str) -> str:
    """How error texts begin for a contribution, once its name fits `pattern` as a whole.

    Raises:
        DefinitionError: it does not fit; `expected` says what does.
    """
    subject = f'{kind} "{name}"'
    if not isinstance(name, str) or re.fullmatch(pattern, name) is None:
        raise DefinitionError(f"{subject}: the name must be {expected}.")
    return subject
