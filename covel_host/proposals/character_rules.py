"""Characters and their schema under proposals: one state for every view and for the commit.

Seed: 读到的是哪一份数据, character.upsert, character.schema.set; spec/world.md 1.2.
"""

from collections.abc import Iterable, Mapping

from covel_host.proposals.staged import StagedProposal
from plugin_sdk.errors import ToolError, ToolValidationError
from plugin_sdk.proposals import CharacterSchemaSet, CharacterUpsert
from plugin_sdk.rules.character_fields import assert_schema_fits_characters
from plugin_sdk.rules.character_names import CharacterDirectory
from plugin_sdk.rules.character_overlay import assert_character_write, materialize_character
from plugin_sdk.values import JsonObject, JsonValue


class CharacterState:
    """The characters of a session and their schema, kept current by `write`.

    A view starts from the committed records and writes staged proposals; the commit starts from
    the rows of its transaction. What `write` refuses changes nothing here.
    """

    def __init__(self, characters: Iterable[JsonObject], schema: JsonObject | None) -> None:
        self._directory = CharacterDirectory(characters)
        self._schema = schema

    def copy(self) -> "CharacterState":
        """The same state, to be written to apart from this one; the records are shared."""
        twin = CharacterState((), self._schema)
        twin._directory = self._directory.copy()
        return twin

    @property
    def directory(self) -> CharacterDirectory:
        """The characters by ID and name; only to be read, or copied."""
        return self._directory

    @property
    def characters(self) -> tuple[Mapping[str, JsonValue], ...]:
        """The records as they are now; read them, never change them."""
        return tuple(self._directory.characters.values())

    @property
    def schema(self) -> JsonObject | None:
        """The schema as it is now, None where the session has none yet."""
        return self._schema

    def write(self, proposal: StagedProposal, *, at: str | None = None) -> JsonObject | None:
        """The record or the schema that the proposal makes; None for proposals of other types.

        `at` is the time of the commit as text; views have none.

        Raises:
            ProposalRefused: `not-found` for a patch of a character that does not exist, else
                `proposal-invalid`: a type, field, name or alias that may not be.
        """
        try:
            match proposal.model:
                case CharacterUpsert():
                    return self._upserted(proposal.payload, at)
                case CharacterSchemaSet():
                    return self._replaced_schema(proposal.payload, at)
                case _:
                    return None
        except ToolValidationError as error:
            raise proposal.refusal("proposal-invalid", error.message, hint=error.hint) from error
        except ToolError as error:
            raise proposal.refusal(error.code, error.message, hint=error.hint) from error

    def _upserted(self, payload: JsonObject, at: str | None) -> JsonObject:
        # Without a version the record is replaced, so it does not matter what stood there.
        current = self._directory.characters.get(str(payload["id"]))
        record = materialize_character(payload, current, at=at)
        assert_character_write(payload, record, self._directory, self._schema)
        self._directory.put(record)
        return record

    def _replaced_schema(self, payload: JsonObject, at: str | None) -> JsonObject:
        assert_schema_fits_characters(payload, self._directory.characters.values())
        version = self._schema.get("version") if self._schema else None
        schema: JsonObject = {
            **payload,
            "version": version + 1 if isinstance(version, int) else 1,
        }
        if at is not None:
            schema["updatedAt"] = at
        self._schema = schema
        return schema
