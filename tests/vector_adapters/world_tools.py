"""The vectors of characters and dimensions through the real tools, in a stored session."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from covel_host.tools.calls import ToolCallResult
from tests.support.world_sessions import world_session
from tests.vector_adapters.comparing import has_members, same_json

SYNC, GET = "sync-characters", "get-character"
OUTCOMES = {"missing": "not-found", "ambiguous": "ambiguous"}


def check_sync(vector: dict[str, Any]) -> None:
    """One call; what it stages is committed, and a refused one has staged and changed nothing."""
    expect, stored = vector["expect"], vector.get("characters", [])
    with world_session(characters=stored, schema=vector.get("schema")) as session:
        called = session.call(SYNC, vector["call"])
        if "error" in expect:
            assert refused(called) == expect["error"], called.envelope
            assert expect.get("entry", "") in json.loads(called.envelope)["error"]["message"]
            assert same_json(session.characters, {one["id"]: one for one in stored})
            return
        content = content_of(called)
        for group in ("created", "updated", "unchanged"):
            if group in expect:
                assert len(content[group]) == len(expect[group]), content
                assert all(map(has_members, content[group], expect[group])), content
        assert len(called.proposals) == len(content["created"]) + len(content["updated"])
        session.commit(called.proposals)
        by_name = {record["name"]: record for record in session.characters.values()}
        for name, members in vector.get("after", {}).items():
            assert has_members(by_name[name], members), by_name[name]


def check_resolve(vector: dict[str, Any]) -> None:
    """A partial look-up is what `get-character` does, an exact one what an update does."""
    query, expect = vector["query"], vector["expect"]
    with world_session(characters=vector["characters"]) as session:
        if vector.get("partial", False):
            called = session.call(GET, {"name": query})
        else:
            called = session.call(SYNC, {"updates": [{"id": query, "fields": {}}]})
    if expect["outcome"] != "found":
        assert refused(called) == OUTCOMES[expect["outcome"]], called.envelope
    elif called.request.name == GET:
        assert content_of(called)["character"]["id"] == expect["id"]
    else:
        assert [one["characterId"] for one in content_of(called)["updated"]] == [expect["id"]]


def check_fields(vector: dict[str, Any]) -> None:
    """The fields of a new character, or those of a patch of one that has none."""
    schema, fields, expect = vector["schema"], vector["fields"], vector["expect"]
    someone = {"id": "npc-1", "name": "One", "type": "npc", "version": 1}
    is_new = vector["mode"] == "create"
    entry = {"name": "One", "type": "npc"} if is_new else {"id": "npc-1"}
    with world_session(characters=[] if is_new else [someone], schema=schema) as session:
        called = session.call(
            SYNC, {"creates" if is_new else "updates": [{**entry, "fields": fields}]}
        )
        if "invalid" in expect:
            assert refused(called) == "invalid-input"
            assert called.error is not None
            wrong = {problem.path.split(".")[0] for problem in called.error.details}
            assert wrong == set(expect["invalid"]), called.envelope
            return
        [done] = content_of(called)["created" if is_new else "updated"]
        session.commit(called.proposals)
        [record] = session.characters.values()
        written = record.get("fields", {})
    assert same_json(written, expect.get("fields", fields)), written
    for key in expect.get("undeclared", ()):
        assert key in done["warning"], done


def check_overlay(vector: dict[str, Any]) -> None:
    """Proposals staged by a run: its view shows what their commit then makes."""
    proposals = [
        {"type": "character.upsert", "payload": payload} for payload in vector["proposals"]
    ]
    with world_session(characters=vector["stored"]) as session:
        staging = session.staging()
        asyncio.run(staging.stage(proposals))
        assert staging.world is not None
        seen = {record["id"]: dict(record) for record in staging.world.characters}
        session.commit(staging.proposals)
        committed = session.characters
    for character_id, members in vector["expect"].items():
        assert has_members(seen[character_id], members), seen[character_id]
        assert has_members(committed[character_id], members), committed[character_id]


def dimensions_read(snapshot: Mapping[str, Any], queries: Any) -> tuple[list[Any], str]:
    """The results of `world-dimension-get`, and the text that the model reads."""
    called = _dimensions(snapshot, queries)
    content, read = content_of(called), json.loads(called.envelope)
    assert read == {"summary": content["text"]}
    return content["results"], content["text"]


def dimensions_refused(snapshot: Mapping[str, Any], queries: Any) -> str:
    """The code of the error that `world-dimension-get` ends with."""
    return refused(_dimensions(snapshot, queries))


def content_of(called: ToolCallResult) -> Any:
    """What code gets of a call that succeeded."""
    assert called.error is None, called.envelope
    return called.content


def refused(called: ToolCallResult) -> str:
    """The code of a call that failed and staged nothing."""
    assert called.error is not None, called.content
    assert called.proposals == ()
    return called.error.code


def _dimensions(snapshot: Mapping[str, Any], queries: Any) -> ToolCallResult:
    with world_session(dimensions=snapshot) as session:
        return session.call("world-dimension-get", {"queries": queries})
