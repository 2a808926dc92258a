"""What the payloads of all events have in common."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class EventPayload(BaseModel):
    """Members under camelCase names; a member of another name is an error.

    `concealed` is there, and true, where the content of a concealed runtime was left out.
    """

    model_config = ConfigDict(
        alias_generator=to_camel, extra="forbid", frozen=True, strict=True, defer_build=True
    )

    concealed: bool | None = None


class Told(EventPayload):
    """What went wrong: a stable `code`, and a sentence for people."""

    code: str
    message: str
