"""Names of members that were meant: what stands beside a missing one, what an unknown one is."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

Location: TypeAlias = tuple[str | int, ...]

_MAX_ANSWERS = 20
_MAX_NAMES = 50
_MAX_NAME_LENGTH = 64
_MAX_SHOWN = 3


class MemberNames:
    """What `schema` calls the members of the objects in `value`.

    Names are compared for the first problems of a value alone, and only where there are few: a
    model that guesses wildly is not helped by more.
    """

    __slots__ = ("_answers", "_schema", "_value")

    def __init__(self, schema: Mapping[str, Any] | None, value: object) -> None:
        self._schema = schema
        self._value = value
        self._answers = 0

    def missing(self, location: Location) -> str:
        """The sentence for a required member at `location` that was not given."""
        name, unknown = location[-1] if location else "", self._unknown(location[:-1])
        if not isinstance(name, str) or not unknown:
            return "This field is required."
        near = nearest(name, unknown)
        named = unknown[:_MAX_SHOWN] if near is None else [near]
        be = "is" if len(named) == 1 else "are"
        return f"This field is required; {', '.join(map(repr, named))} {be} not known here."

    def unknown(self, location: Location) -> str:
        """The sentence for a member at `location` that the object does not have."""
        name, known = location[-1] if location else "", self._known(location[:-1])
        given = self._given(location[:-1])
        near = None
        if isinstance(name, str) and len(name) <= _MAX_NAME_LENGTH and known:
            near = nearest(name, [each for each in known if each not in given])
        if near is None:
            return "This field is not known here. Leave it out."
        return f"This field is not known here; the nearest one is {near!r}."

    def _unknown(self, location: Location) -> list[str]:
        given = self._given(location)
        if not given or len(given) > _MAX_NAMES:
            return []
        known = self._known(location)
        if not known:
            return []
        return [name for name in given if name not in known and len(name) <= _MAX_NAME_LENGTH]

    def _given(self, location: Location) -> Mapping[str, object]:
        found: Any = self._value
        for part in location:
            try:
                found = found[part]
            except (LookupError, TypeError):
                return {}
        return found if isinstance(found, dict) else {}

    def _known(self, location: Location) -> list[str]:
        """The members of the object there; none where it may have any."""
        if self._schema is None or self._answers == _MAX_ANSWERS:
            return []
        self._answers += 1
        found = self._forms([self._schema])
        for part in location:
            found = self._forms(inner for form in found for inner in _below(form, part))
        if any(form.get("additionalProperties", False) is not False for form in found):
            return []
        return list(dict.fromkeys(name for form in found for name in form.get("properties", ())))

    def _forms(self, schemas: Iterable[Any]) -> list[Mapping[str, Any]]:
        """The schemas with what they refer to and choose between, each once."""
        waiting, found, seen = list(schemas), list[Mapping[str, Any]](), set[int]()
        while waiting:
            schema = waiting.pop()
            if not isinstance(schema, Mapping) or id(schema) in seen:
                continue
            seen.add(id(schema))
            found.append(schema)
            for word in ("anyOf", "oneOf", "allOf"):
                waiting += schema.get(word, ())
            reference = str(schema.get("$ref", ""))
            if self._schema is not None and reference.startswith("#/$defs/"):
                waiting.append(
                    self._schema.get("$defs", {}).get(reference.removeprefix("#/$defs/"))
                )
        return found


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The one of `known` that `name` is most probably a slip of; None when none is close."""
    from difflib import get_close_matches

    by_letters = {each.replace("-", "").replace("_", "").lower(): each for each in known}
    letters = name.replace("-", "").replace("_", "").lower()
    close = get_close_matches(letters, by_letters, n=1, cutoff=0.7)
    return by_letters[close[0]] if close else None


def _below(form: Mapping[str, Any], part: str | int) -> Iterable[Any]:
    if isinstance(part, int):
        yield form.get("items")
        yield from form.get("prefixItems", ())[part : part + 1]
    elif part in form.get("properties", {}):
        yield form["properties"][part]
    else:
        yield form.get("additionalProperties")
