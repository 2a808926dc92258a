"""The models: their defaults, their several forms, their words for what is wrong."""

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from covel_host.diagnostics.known_fields import fields_at
from covel_host.diagnostics.near_names import nearest, only_near
from covel_host.manifest.contributed_code import HookEvent
from covel_host.manifest.fields import ManifestModel
from covel_host.manifest.frontmatter import read_frontmatter
from covel_host.manifest.kernel_contracts import is_kernel_contract
from covel_host.manifest.model_reading import read_model
from covel_host.manifest.root_manifest import RootManifest
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.manifest.schedule import Detached, EarlierRuntime, NeededContract, NeededRuntime
from covel_host.manifest.spellings import current_spelling
from plugin_sdk.names import LIFE_CYCLE_HOOKS


def runtime(**fields: object) -> RuntimeManifest:
    return RuntimeManifest.model_validate(fields)


def root(**fields: object) -> RootManifest:
    return RootManifest.model_validate({"description": "x", **fields})


def problem(fields: str, model: type[ManifestModel] = RootManifest) -> tuple[str, str, str | None]:
    text = f"---\n{fields}\n---\n"
    reading = read_model(
        model,
        read_frontmatter(text, plugin="p", file="PLUGIN.md"),
        stand_ins={"description": "x"} if model is RootManifest else {},
    )
    (found,) = reading.diagnostics
    return found.path, found.message, found.hint


def test_a_minimal_root_manifest_has_the_decided_defaults() -> None:
    manifest = root()
    assert (manifest.kind, manifest.version, manifest.entry) == ("plugin", "0.0.0", None)
    assert manifest.runtime is None
    assert manifest.contributes.tools == ()
    assert manifest.contributes.data == {}


def test_an_empty_runtime_manifest_has_the_decided_defaults() -> None:
    manifest = runtime()
    assert manifest.schedule.trigger.type == "auto"
    assert (manifest.io.visibility, manifest.io.concealed) == ("plugin", False)
    loop = manifest.agent_settings.loop
    assert (loop.max_steps, loop.max_retries, loop.loop_detection) == (20, 1, 3)
    assert (loop.timeout_ms, loop.call_timeout_ms) == (300_000, 120_000)
    corrections = loop.corrections
    assert (corrections.tool_use, corrections.output_schema) == (1, 1)
    assert (corrections.prose, corrections.draft_review) == (1, 2)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "agent"),
        ({"agent": {}}, "agent"),
        ({"function": {"handler": "x.py"}}, "function"),
        ({"agent": {}, "function": {"handler": "x.py"}}, "function"),
        ({"type": "agent", "function": {"handler": "x.py"}}, "agent"),
        ({"type": "function"}, "function"),
    ],
)
def test_the_type_of_a_runtime_follows_from_its_groups(
    fields: dict[str, object], expected: str
) -> None:
    assert runtime(**fields).runtime_type == expected


def test_short_forms_are_given_in_full() -> None:
    schedule = runtime(
        schedule={"needs": ["a/b", {"contract": "x@1", "cardinality": "all"}], "after": ["a/c"]}
    ).schedule
    assert schedule.needed == (
        NeededRuntime(runtime="a/b"),
        NeededContract(contract="x@1", cardinality="all"),
    )
    assert schedule.earlier == (EarlierRuntime(runtime="a/c"),)
    tools = runtime(
        agent={
            "tools": {"services": ["x.y@1", {"contract": "z@2", "as": "zed"}], "datasets": ["d"]}
        }
    ).agent_settings.tools
    assert [(item.contract, item.tool_name) for item in tools.service_imports] == [
        ("x.y@1", None),
        ("z@2", "zed"),
    ]
    assert [(item.dataset, item.tools) for item in tools.dataset_choices] == [("d", None)]
    provided = root(provides=["x@1", {"contract": "y@1", "default": True}]).provided_contracts
    assert [(item.contract, item.default) for item in provided] == [("x@1", False), ("y@1", True)]


def test_a_detached_runtime_has_limits_and_another_has_none() -> None:
    assert runtime().schedule.detached_limits is None
    assert runtime(schedule={"detached": True}).schedule.detached_limits == Detached()
    limits = runtime(schedule={"detached": {"maxQueueMs": 5}}).schedule.detached_limits
    assert limits is not None
    assert limits.max_queue_ms == 5


def test_models_are_frozen() -> None:
    with pytest.raises(ValidationError):
        root().version = "2.0.0"  # type: ignore[misc]


def test_what_was_written_comes_back_under_the_same_names() -> None:
    fields: dict[str, Any] = {
        "description": {"en": "x"},
        "provides": ["x@1", {"contract": "y@1", "default": True}],
        "contributes": {
            "events": [
                {"topic": "a.b", "schema": "s.json", "description": "x", "advertise": False}
            ],
            "settings": [{"key": "k", "type": "slider", "label": "x", "min": 1, "step": 0.5}],
            "worldProjections": {
                "p": {
                    "from": "u",
                    "handler": "p.py",
                    "outputs": {"o": {"namespace": "n", "key": "id"}},
                }
            },
        },
        "runtime": {
            "io": {
                "inputs": {"i": {"from": {"kernel": "turn-digest@1"}, "select": "/a"}},
                "selfData": [{"namespace": "n", "as": "tag", "maxEntries": 3}],
                "output": {"schema": "o.json", "recordAs": "r"},
            },
            "agent": {"tools": {"defer": True}, "llm": {"toolChoice": {"name": "t"}}},
        },
    }
    dumped = RootManifest.model_validate(fields).model_dump(
        mode="json", by_alias=True, exclude_unset=True
    )
    assert dumped == fields


def test_hook_events_are_those_of_the_sdk() -> None:
    assert set(get_args(HookEvent)) == set(LIFE_CYCLE_HOOKS.values())


@pytest.mark.parametrize(
    ("contract", "owned"),
    [("ui.slot@1", True), ("ui.slot@2", True), ("stage.cast@1", True), ("moss.tally@1", False)],
)
def test_contracts_of_the_host_are_known(contract: str, owned: bool) -> None:
    assert is_kernel_contract(contract) is owned


@pytest.mark.parametrize(
    ("fields", "path", "message", "hint"),
    [
        (
            "description: x\nverison: 1.0.0",
            "verison",
            "The frontmatter has no field 'verison'.",
            "The nearest field is 'version'.",
        ),
        (
            "description: x\ncontributes: { world-projections: {} }",
            "contributes.world-projections",
            "`contributes` has no field 'world-projections'.",
            "The nearest field is 'worldProjections'.",
        ),
        (
            "description: x\nprovides: [{ contract: a@1, fallback: true }]",
            "provides.0.fallback",
            "`provides.0` has no field 'fallback'.",
            "The fields here are 'contract', 'default'.",
        ),
        (
            "description: x\nruntime: { agent: { tools: { services: [{ contract: a@1, az: b }] }}}",
            "runtime.agent.tools.services.0.az",
            "`runtime.agent.tools.services.0` has no field 'az'.",
            "The fields here are 'contract', 'as'.",
        ),
        (
            "description: x\nruntime: { outputKind: story }",
            "runtime.outputKind",
            "`runtime` has no field 'outputKind'; it is written as io.visibility.",
            "Write io.visibility.",
        ),
        (
            "description: 7",
            "description",
            "`description` is 7, which YAML reads as a number; expected a text.",
            'Put it in quotes: "7".',
        ),
        (
            "description: x\nversion: 1.10",
            "version",
            "`version` is 1.10, which YAML reads as the number 1.1; expected a text.",
            'Put it in quotes: "1.10".',
        ),
        (
            "description: x\ndisplayName:",
            "displayName",
            "`displayName` has no value; expected a text.",
            "Write a value, or leave the field out.",
        ),
        (
            "description: x\nruntime: { agent: { advertiseEvents: yes } }",
            "runtime.agent.advertiseEvents",
            (
                "`runtime.agent.advertiseEvents` is yes, which YAML 1.2 reads as the text 'yes'; "
                "expected true or false."
            ),
            "Write true.",
        ),
        (
            "description: x\nruntime: { agent: { tools: { defer: false } } }",
            "runtime.agent.tools.defer",
            "`runtime.agent.tools.defer` is false; expected true, or a list of tool names.",
            None,
        ),
        (
            "description: x\ncontributes: { data: { 9lives: { schema: s.json, version: 1 } } }",
            "contributes.data.9lives",
            (
                "The name '9lives' under `contributes.data` is malformed; expected letters, "
                "digits, '_' and '-', starting with a letter, such as 'herbs'."
            ),
            None,
        ),
        (
            'description: { en: "", zh: " " }',
            "description",
            "`description` is a map; expected at least one language with a text.",
            None,
        ),
    ],
)
def test_a_mistake_is_told_in_one_sentence_with_advice(
    fields: str, path: str, message: str, hint: str | None
) -> None:
    assert problem(fields) == (path, message, hint)


@pytest.mark.parametrize(
    "link",
    [
        "http://example.org",
        "https://",
        "https:///x",
        "https://user@example.org",
        "https://a b.org",
        "https://[::1",
        "https://example.org:99999",
        "ftp://example.org",
        "example.org",
    ],
)
def test_only_https_links_with_a_host_pass(link: str) -> None:
    assert problem(f"description: x\nhomepage: '{link}'")[0] == "homepage"


@pytest.mark.parametrize(
    ("path", "fits"),
    [
        ("schemas/x.json", True),
        ("./x.json", True),
        ("a/./x.json", True),
        ("../../schemas/x.json", True),
        ("contract:moss.tally@1", True),
        ("contract:", False),
        ("/x.json", False),
        ("C:/x.json", False),
        ("a\\x.json", False),
        ("x.yaml", False),
        (".json", False),
        ("a/", False),
    ],
)
def test_schemas_of_a_runtime_are_relative_json_files_or_contracts(path: str, fits: bool) -> None:
    fields = {"io": {"payloadSchema": path}}
    if fits:
        assert runtime(**fields).io.payload_schema == path
        return
    with pytest.raises(ValidationError):
        runtime(**fields)


def test_known_fields_are_found_through_lists_maps_and_choices() -> None:
    assert fields_at(RootManifest, ("contributes", "commands", 0, "arguments", 1))[:2] == (
        "name",
        "type",
    )
    assert "authoring" in fields_at(RootManifest, ("contributes", "data", "herbs"))
    assert fields_at(RootManifest, ("runtime", "schedule", "needs", 0, "<contract>")) == (
        "contract",
        "cardinality",
        "scope",
    )
    assert fields_at(RootManifest, ("description",)) == ()
    assert fields_at(RootManifest, ("nosuch", "deeper")) == ()


@pytest.mark.parametrize(
    ("path", "today"),
    [
        (("agent", "loop", "completion"), "agent.completion"),
        (("runtime", "schedule", "completion"), "schedule.detached"),
        (("function", "tools", "local"), "function.tools.plugin"),
        (("runtime", "agent", "tools", "local"), "agent.tools.plugin"),
        (("userSettings",), "contributes.settings"),
        (("completion",), None),
        (("contributes", "commands", 0, "local"), None),
    ],
)
def test_old_spellings_lead_to_the_current_one(
    path: tuple[str | int, ...], today: str | None
) -> None:
    found = current_spelling(path)
    assert (found.says if found is not None else None) == today


@pytest.mark.parametrize(
    ("name", "near"),
    [("max_steps", "maxSteps"), ("maxstep", "maxSteps"), ("zzz", None), ("", None)],
)
def test_the_nearest_name_is_offered_only_when_it_is_near(name: str, near: str | None) -> None:
    assert nearest(name, ["maxSteps", "maxRetries"]) == near


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("max_steps", "maxSteps"),
        ("maxStep", "maxSteps"),
        ("Requires", "requires"),
        ("requirs", None),
        ("require", None),
        ("axSteps", None),
        ("zzz", None),
    ],
)
def test_a_name_is_only_taken_for_another_one_when_no_third_is_near(
    name: str, meant: str | None
) -> None:
    assert only_near(name, ["maxSteps", "requires", "required"]) == meant


def test_a_name_that_only_begins_alike_is_no_second_reading() -> None:
    assert only_near("contribute", ["contracts", "contributes", "conflicts"]) == "contributes"
