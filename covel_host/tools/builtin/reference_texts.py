"""The authors' words on each builtin tool, with one call of it; tests make every call."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from plugin_sdk.values import JsonObject


@dataclass(frozen=True, slots=True)
class ToolText:
    """`about` is markdown for authors, `example` the arguments of one call."""

    about: str
    example: JsonObject


INTRODUCTION: Final = """\
# Builtin tools

{generated}

The framework's own tools. A runtime lists them under `agent.tools.builtin` (an agent) or
`function.tools.builtin` (calls with `ctx.tools.call`); no code is needed. `covel tools` prints
them, too. Names of the framework are reserved: no package registers a tool under one of them.

A question and an interface block are gathered while a run goes on, and stand in the session once
the run has succeeded and its execution is committed. Of several successful calls with the same
interaction ID the last one counts, whichever tool made it; a failed call replaces nothing. The same
holds for tools of packages: whatever tool returns an object under `interaction` or a list of blocks
under `ui` asks and shows in this way. Both have to have their form, or the call fails; the answer
of an imported service is plain data.

What a tool returns, of the framework or of a package, may have 16 MiB as JSON; more fails the call.
"""

TEXTS: Final[Mapping[str, ToolText]] = {
    "create-form": ToolText(
        "Asks the player to fill in a form; the answer comes with the next turn, as the sentence "
        "that `narrativeTemplate` makes of it. Names of fields are unique, a select has options, "
        "and a default has the type of its field, fits its bounds, and is one of the options of a "
        "select: a form that no answer could satisfy fails the call (`invalid-input`), with the "
        "place of every problem. `validation` names a form validator of the same package; its "
        "`data` reaches the player's client, so it holds no secret. Code that calls the tool gets "
        "`{created, interaction}`.",
        {
            "formId": "arrival",
            "title": "Who steps ashore?",
            "fields": [
                {"type": "text", "name": "nick", "label": "Nickname", "required": True},
                {
                    "type": "number",
                    "name": "oars",
                    "label": "Oars",
                    "min": 0,
                    "max": 8,
                    "step": 2,
                    "defaultValue": 4,
                },
            ],
            "submitLabel": "Go ashore",
            "narrativeTemplate": "I am {{nick}}, and I carry {{oars}} oars.",
        },
    ),
    "create-choices": ToolText(
        "Offers two or more choices. What the player says by choosing is the label of the choice. "
        "IDs are unique. Code gets `{created, interaction}`.",
        {
            "choiceId": "door",
            "prompt": "What do you do?",
            "choices": [
                {"id": "knock", "label": "I knock.", "category": "safe"},
                {"id": "break", "label": "I break it open.", "category": "aggressive"},
            ],
        },
    ),
    "create-notification": ToolText(
        "Shows a short message in the conversation: a block with one part of the type `Alert`, of "
        "which clients show level, title and message.",
        {"level": "success", "title": "Found", "message": "A brass key lay under the mat."},
    ),
    "render-ui": ToolText(
        "Shows a block of parts, each with a state of its own. A block has at least one part, and "
        "their IDs are unique. Code gets `{ui: [{parts, layout?}]}`.",
        {
            "parts": [
                {
                    "id": "card",
                    "type": "Card",
                    "status": "success",
                    "content": {"title": "Brass key", "text": "Cold and heavy."},
                }
            ],
            "layout": "stream",
        },
    ),
    "list-characters": ToolText(
        "Lists the characters of the session, whichever package made them: highest version first, "
        "then the latest change. At most 50 are listed and `count` says how many there are; of "
        "`type` only a text that is not empty is a filter, taken as it is written. Code gets "
        "`{count, characters}`.",
        {"type": "npc"},
    ),
    "get-character": ToolText(
        "Looks one character up, by ID, then by name, then by alias; where nothing fits exactly, a "
        "part of a name will do if it fits one character alone. `not-found` names similar "
        "characters, `ambiguous` those that were meant, with their IDs. Code gets `{character}`.",
        {"name": "the keeper"},
    ),
    "sync-characters": ToolText(
        "Creates at most 5 characters and updates at most 10, all of it or nothing; a call without "
        "entries succeeds and writes nothing. Entries apply in order, creates first, and see what "
        "earlier ones did. The definition a model sees lists the types of the session and the "
        "rules of its fields, as far as they fit 8,000 characters; calls are checked against the "
        "schema as it is then. Defaults are filled in where a character is created and not where "
        "it is updated; fields that the schema does not declare are kept with a warning.\n\n"
        "- A repeated name and type, or a name that is an alias of somebody, is `unchanged`: "
        "nothing is written over.\n"
        "- A player with somebody else's name, an alias of somebody else, a type or a value that "
        "may not be: `invalid-input`.\n"
        "- `updates[].id` is an ID, an exact name or an alias: otherwise `not-found` or "
        "`ambiguous`.\n\n"
        "Messages begin with the entry, such as `creates[1]`. Every entry that writes is one "
        "`character.upsert`; the next calls of the run see it, and it stands in the session once "
        "the execution is committed. Names are equal whatever their case, width, spaces and "
        "middle dots. Code gets `{created, updated, unchanged}`.",
        {
            "creates": [{"name": "Tobin", "type": "npc", "aliases": ["The Miller"]}],
            "updates": [{"id": "Ysolde", "fields": {"mood": "calm"}}],
        },
    ),
    "world-dimension-get": ToolText(
        "Answers 1 to 20 questions about the dimensions as they were when the execution began; "
        "nothing that was staged since shows, and no read is recorded. A path is relative to the "
        "value and finds own members only: a path that is not there is `found: false`, one that "
        "cannot be read has `error` besides. With `offset` or `limit` a result has `page` "
        "(`{value, total, nextOffset?}`). A model reads one line per question without bookkeeping "
        "members, at most 4,000 characters of a value and 24,000 of all; what is cut says so. Code "
        "gets `{results, text}`, the results whole.",
        {"queries": [{"dimension": "tide", "path": "height"}, {"dimension": "tide", "limit": 5}]},
    ),
    "world-dimension-list": ToolText(
        "Lists the dimensions with ID, name, type and version; their values are read with "
        "`world-dimension-get`. Code gets `{dimensions: [{id, name, type?, version}]}`.",
        {},
    ),
    "emit-event": ToolText(
        "Emits one event that a package of the session declares in `contributes.events` and does "
        "not keep to itself (`advertise: false`). The definition a model sees lists the session's "
        "topics and the form of their data; a schema with `$ref` or `$defs` is shown as a plain "
        "object there, and in full in the prompt of a runtime with `agent.advertiseEvents: true`. "
        "What comes of a call, in this order:\n\n"
        "1. The topic was emitted in this run already: a success, and no second event.\n"
        "2. No active package advertises the topic: `refused`. That is no failure of the run, so "
        "removing the package that listens breaks nothing.\n"
        "3. The data does not fit the topic's schema: `invalid-input`, a failure that a later "
        "success makes good.\n"
        "4. Otherwise the event is recorded.\n\n"
        "Events leave a run once, when it has succeeded, as `event.emit`. Put several things into "
        "the data of one event, or use a topic for each.",
        {"topic": "herb.found", "data": {"name": "sage"}},
    ),
    "memory-search": ToolText(
        "Searches what was said in the session (`recall`) and what is known for long (`archival`: "
        "lorebook entries that are switched on, characters, and the records of active packages "
        "whose data declares `search`). A passage has at most 500 characters around the first word "
        "that matches. Both sources take turns, recall first. The name of an archival passage is "
        "its first keyword, the character's name or the record's key, and never a UUID. Code gets "
        "`{results: [{source, kind, key?, role?, text, score}]}`; a score compares within one "
        "source of one call only. More: [Memory](memory.md).",
        {"query": "Ysolde lantern lamp", "scope": "all", "limit": 5},
    ),
    "suspend": ToolText(
        "Stops the run until the player has answered. Only a success of this very tool does; what "
        "other tools return under `_covelSuspend` is plain data. `fields` are checked like those "
        "of a form and compiled into the JSON Schema of the answer. Calls after it in the same "
        "reply are not executed. A background or detached runtime cannot list it. What is kept and "
        "how it goes on: [Suspensions](suspensions.md).",
        {
            "reason": "The ferryman wants a name.",
            "fields": [{"type": "text", "name": "name", "label": "Your name", "required": True}],
        },
    ),
    "runtime-done": ToolText(
        "Ends the run. It is offered without being listed where a run may end so; a story is not "
        "offered it, and one that calls it all the same is asked for its prose. `reason` goes to "
        "the trace only.",
        {"reason": "Nothing had changed."},
    ),
    "delegate": ToolText(
        "Hands one thing to another agent runtime and gives back its output, as the model may read "
        "it; code gets all of it. Exactly one of `target.contract` (any package) and "
        "`target.runtimeId` (the same package). At most 32 KB of `data`; `character` and "
        "`instruction` are for characters only. Failures other than `invalid-input` are not "
        "failures of the caller.",
        {"target": {"contract": "scout@1"}, "brief": "Look into the cellar.", "maxSteps": 4},
    ),
    "search-tools": ToolText(
        "Finds tools that the runtime deferred. It is never listed: `agent.tools.defer: true` (all "
        "tools of the runtime) or `defer: [name, …]` adds it. Deferred tools may be called, but "
        "their definitions are not sent until a search has found them; then they are, for the rest "
        "of the run. Names, descriptions, and the names and descriptions of parameters are "
        "searched, Chinese and Japanese by pairs of characters. `runtime-done` is never deferred, "
        "and a tool that the model is forced to call is loaded. Worth it above ten tools or so.",
        {"query": "change the background", "limit": 5},
    ),
}
