"""Every kind of contribution that code implements, registered through an entry."""

import asyncio
from pathlib import Path

import pytest

from covel_host.catalog.generation import Generation
from covel_host.catalog.loading import LoadOutcome
from covel_host.catalog.registration_kinds import KINDS
from covel_host.diagnostics.diagnostic import Diagnostic
from tests.catalog.builders import (
    leftovers,
    load,
    load_now,
    names,
    only,
    refuse_kinds,
    write_package,
)


@pytest.fixture(autouse=True)
def _every_kind_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it will be: kinds leave the table one by one as the host learns to serve them."""
    refuse_kinds(monkeypatch, {})


HEAD = (
    "from pydantic import BaseModel\n"
    "from plugin_sdk import action, dataset, extension, form_validator, hookimpl, service, tool\n"
    "from plugin_sdk.context import ActionContext, ExtensionContext, ServiceContext\n"
)
OBJECTS = {
    "tools": (
        "@tool(name='{0}')\ndef made{1}() -> int:\n    '''Counts.'''\n    return 1\n",
        "'{}'",
    ),
    "actions": ("@action('{0}')\ndef made{1}(ctx: ActionContext): return 1\n", "'{}'"),
    "services": (
        "@service('{0}', kind='read')\ndef made{1}(ctx: ServiceContext): return 1\n",
        "'{}'",
    ),
    "forms": ("@form_validator('{0}')\ndef made{1}(ctx, values, data): return None\n", "'{}'"),
    "extensions": (
        "@extension('prompt.segment@1', id='{0}')\ndef made{1}(ctx: ExtensionContext): return []\n",
        "{{ point: 'prompt.segment@1', id: '{}' }}",
    ),
    "datasets": ("@dataset('{0}')\nclass made{1}(BaseModel):\n    name: str\n", "'{}': {{}}"),
}
NAMES = {"services": "moss.items@1"}
HOOKS = {kind.member: kind.hook for kind in KINDS}


def name_of(member: str, number: int = 0) -> str:
    name = NAMES.get(member, f"{member}-one")
    return name if number == 0 else name.replace("one", "two").replace("items", "more")


def shown(member: str, name: str) -> str:
    """The name as messages have it."""
    return f"prompt.segment@1/{name}" if member == "extensions" else name


def entry(member: str, *registered: str, value: str | None = None) -> str:
    made = "".join(
        OBJECTS[member][0].format(name, number) for number, name in enumerate(registered)
    )
    listed = ", ".join(f"made{number}" for number in range(len(registered)))
    answer = f"[{listed}]" if value is None else value
    return f"{HEAD}{made}@hookimpl\ndef {HOOKS[member]}(): return {answer}\n"


def declared(member: str, *listed: str) -> str:
    items = ", ".join(OBJECTS[member][1].format(name) for name in listed)
    brackets = "{%s}" if member == "datasets" else "[%s]"
    return f"contributes:\n  {member}: {brackets % items}\n"


def package(root: Path, source: str, manifest: str = "", **files: str) -> Path:
    beside = {f"server/{name}.py": text for name, text in files.items()}
    return write_package(
        root / "moss-ledger", {"server/index.py": source, **beside}, manifest=manifest
    )


def loaded(root: Path, source: str, manifest: str = "", **files: str) -> LoadOutcome:
    outcome = load_now(package(root, source, manifest, **files))
    assert leftovers("moss-ledger") == []
    return outcome


def errors(outcome: LoadOutcome) -> list[Diagnostic]:
    return [found for found in outcome.diagnostics if found.severity == "error"]


def test_there_is_a_row_for_every_kind_that_code_implements() -> None:
    assert set(OBJECTS) == set(HOOKS)


@pytest.mark.parametrize("member", OBJECTS)
def test_what_is_declared_and_registered_is_published(member: str, tmp_path: Path) -> None:
    outcome = loaded(tmp_path, entry(member, name_of(member)), declared(member, name_of(member)))
    assert errors(outcome) == []
    generation = outcome.generation
    assert generation is not None
    expected = "made0" if member == "services" else shown(member, name_of(member))
    assert list(getattr(generation, member)) == [expected]


@pytest.mark.parametrize("member", OBJECTS)
def test_what_is_not_declared_is_refused_at_its_definition(member: str, tmp_path: Path) -> None:
    outcome = loaded(tmp_path, entry(member, name_of(member)))
    found = only(outcome)
    assert (found.name, found.file) == ("registration-undeclared", "server/index.py")
    assert found.line is not None
    assert repr(shown(member, name_of(member))) in found.message
    assert f"`contributes.{member}`" in found.message


@pytest.mark.parametrize("member", OBJECTS)
def test_what_is_not_registered_is_refused_in_the_manifest(member: str, tmp_path: Path) -> None:
    first, second = name_of(member), name_of(member, 1)
    outcome = loaded(tmp_path, entry(member, first), declared(member, first, second))
    found = only(outcome)
    place = second if member == "datasets" else "1"
    assert (found.name, found.file, found.path) == (
        "registration-missing",
        "PLUGIN.md",
        f"contributes.{member}.{place}",
    )
    assert found.hint is not None
    assert HOOKS[member] in found.hint


# Of a data set without a schema reading tells already (`dataset-without-schema`).
@pytest.mark.parametrize("member", sorted(OBJECTS.keys() - {"datasets"}))
def test_without_an_entry_everything_declared_is_missing(member: str, tmp_path: Path) -> None:
    root = write_package(tmp_path / "moss-ledger", {}, manifest=declared(member, name_of(member)))
    assert [found.name for found in errors(load_now(root))] == ["registration-missing"]


@pytest.mark.parametrize("member", OBJECTS)
def test_the_same_object_twice_is_a_duplicate(member: str, tmp_path: Path) -> None:
    name = name_of(member)
    source = entry(member, name).replace("return [made0]", "return [made0, made0]")
    found = only(loaded(tmp_path, source, declared(member, name)))
    assert found.name == "registration-duplicate"
    assert found.message.endswith("is registered twice.")


@pytest.mark.parametrize("member", OBJECTS)
def test_what_is_no_list_or_no_such_object_is_invalid(member: str, tmp_path: Path) -> None:
    plain = "class Plain: ...\ndef plain(): ...\n"
    for number, value in enumerate(("None", "5", "[5]", "[plain]", "[Plain]", "[hookimpl]")):
        source = f"{plain}{entry(member, value=value)}"
        found = only(loaded(tmp_path / str(number), source))
        assert (found.name, found.file) == ("registration-invalid", "server/index.py")
        assert HOOKS[member] in found.message


@pytest.mark.parametrize("member", OBJECTS)
def test_a_hook_that_raises_is_a_problem_at_its_line(member: str, tmp_path: Path) -> None:
    source = f"{HEAD}@hookimpl\ndef {HOOKS[member]}():\n    raise SystemExit('no')\n"
    found = only(loaded(tmp_path, source, declared(member, name_of(member))))
    assert (found.name, found.line) == ("registration-invalid", 6)
    assert found.message == f"The hook {HOOKS[member]!r} failed: SystemExit: no."


def test_a_name_near_a_declared_one_gets_it(tmp_path: Path) -> None:
    outcome = loaded(
        tmp_path, entry("actions", "open-bagg"), "contributes:\n  actions: [open-bag]\n"
    )
    by_name = {found.name: found for found in outcome.diagnostics}
    assert by_name["registration-undeclared"].hint == "Did you mean 'open-bag', which is declared?"
    assert "registration-missing" in by_name


@pytest.mark.parametrize("name", ["covel:plugin-server-code", "runtime:x", "framework-x"])
def test_an_action_cannot_pass_for_an_approval_key(name: str, tmp_path: Path) -> None:
    found = only(loaded(tmp_path, entry("actions", name)))
    assert found.name == "registration-reserved"
    assert found.message == f"The RPC action name {name!r} belongs to the framework."


def test_several_services_may_serve_one_contract(tmp_path: Path) -> None:
    source = entry("services", "moss.items@1", "moss.items@1")
    generation = loaded(tmp_path, source, declared("services", "moss.items@1")).generation
    assert generation is not None
    assert list(generation.services) == ["made0", "made1"]


def test_an_extension_that_contradicts_its_declared_order_is_refused(tmp_path: Path) -> None:
    source = entry("extensions", "hints").replace("id='hints'", "id='hints', order=10")
    found = only(loaded(tmp_path, source, declared("extensions", "hints")))
    assert found.name == "registration-invalid"
    assert "has the order 10 here and 0 in `contributes.extensions`" in found.message


def test_a_data_set_with_a_schema_file_takes_no_model(tmp_path: Path) -> None:
    manifest = "contributes:\n  datasets: { npcs: { schema: npcs.json } }\n"
    root = package(tmp_path, entry("datasets", "npcs"), manifest)
    (root / "npcs.json").write_text('{"type": "object"}')
    found = only(load_now(root))
    assert (found.name, found.line) == ("registration-invalid", 5)
    assert "keep one of the two" in found.message


def test_problems_of_all_kinds_are_told_in_one_run(tmp_path: Path) -> None:
    source = HEAD + "".join(
        OBJECTS[member][0].format(name_of(member), f"_{member}")
        + f"@hookimpl\ndef {HOOKS[member]}(): return [made_{member}]\n"
        for member in OBJECTS
    )
    assert names(loaded(tmp_path, source)) == ["registration-undeclared"] * len(OBJECTS)


HOOK_HEAD = "from plugin_sdk import hookimpl, abort, proceed\n\n"


def hooks_manifest(*rows: str) -> str:
    return f"contributes:\n  hooks: [{', '.join(rows)}]\n"


def generation_of(root: Path, source: str, manifest: str, **files: str) -> Generation:
    generation = loaded(root, source, manifest, **files).generation
    assert generation is not None
    return generation


def test_life_cycle_hooks_are_published_in_order_of_definition(tmp_path: Path) -> None:
    source = HOOK_HEAD + (
        "from .more import turn_start\n"
        "@hookimpl(order='pre', timeout_ms=2000, match=bool)\n"
        "async def pre_tool_use(ctx, call): ...\n"
        "@hookimpl(event='pre_tool_use')\ndef second(call): ...\n"
        "@hookimpl\ndef turn_stop(*, turn, ctx): ...\n"
        "again = second\n"
    )
    manifest = hooks_manifest(
        "{ event: PreToolUse, enforce: pre }",
        "{ event: PreToolUse }",
        "{ event: TurnStop }",
        "{ event: TurnStart }",
    )
    more = HOOK_HEAD + "@hookimpl\ndef turn_start(): ...\n"
    hooks = generation_of(tmp_path, source, manifest, more=more).hooks
    assert [(hook.event, hook.function_name, hook.order, hook.arguments) for hook in hooks] == [
        ("turn_start", "turn_start", "normal", ()),
        ("pre_tool_use", "pre_tool_use", "pre", ("ctx", "call")),
        ("pre_tool_use", "second", "normal", ("call",)),
        ("turn_stop", "turn_stop", "normal", ("turn", "ctx")),
    ]
    assert [hook.position for hook in hooks] == [0, 1, 2, 3]
    assert {hook.plugin_id for hook in hooks} == {"moss-ledger"}
    assert (hooks[1].timeout_ms, hooks[1].match) == (2000, bool)


def test_a_hook_with_another_order_than_declared_is_told_once(tmp_path: Path) -> None:
    source = HOOK_HEAD + "@hookimpl(order='post')\ndef pre_tool_use(ctx): ...\n"
    found = only(loaded(tmp_path, source, hooks_manifest("{ event: PreToolUse, enforce: pre }")))
    assert (found.name, found.line) == ("registration-undeclared", 3)
    assert found.message == (
        "The hook 'pre_tool_use' is registered with the order 'post', and `contributes.hooks` "
        "lists 'PreToolUse' with enforce: pre."
    )


def test_a_hook_that_is_not_declared_gets_the_line_to_add(tmp_path: Path) -> None:
    source = HOOK_HEAD + "@hookimpl(order='pre')\ndef pre_tool_use(ctx): ...\n"
    found = only(loaded(tmp_path, source))
    assert found.name == "registration-undeclared"
    assert found.hint == (
        "Add { event: PreToolUse, enforce: pre } to `contributes.hooks` in PLUGIN.md."
    )


def test_a_declared_hook_needs_a_function(tmp_path: Path) -> None:
    source = HOOK_HEAD + "@hookimpl\ndef pre_tool_use(ctx): ...\n"
    manifest = hooks_manifest("{ event: PreToolUse }", "{ event: PreToolUse, enforce: post }")
    found = only(loaded(tmp_path, source, manifest))
    assert (found.name, found.path) == ("registration-missing", "contributes.hooks.1")
    assert found.hint == (
        "Write a function 'pre_tool_use' marked with @hookimpl(order='post') in the entry module."
    )


def test_a_declared_hook_without_an_entry_is_missing(tmp_path: Path) -> None:
    root = write_package(
        tmp_path / "moss-ledger", {}, manifest=hooks_manifest("{ event: TurnStop }")
    )
    assert only(load_now(root)).path == "contributes.hooks.0"


@pytest.mark.parametrize(
    ("head", "wrong", "hint"),
    [
        ("pre_tool_use(ctx, cal)", "takes 'cal'; it takes 'ctx' and 'call'", "mean 'call'"),
        ("pre_tool_use(context)", "takes 'context'; it takes 'ctx' and 'call'", "mean 'ctx'"),
        ("pre_tool_use(ctx, x=1)", "takes 'x'; it takes 'ctx' and 'call'", "left out"),
        ("pre_tool_use(ctx, /)", "takes 'ctx' by position only", None),
        ("pre_tool_use(*ctx)", "takes 'ctx'", None),
        ("pre_tool_use(**call)", "takes 'call'", None),
    ],
)
def test_a_life_cycle_hook_with_wrong_arguments_hides_nothing_else(
    head: str, wrong: str, hint: str | None, tmp_path: Path
) -> None:
    source = HOOK_HEAD + f"@hookimpl\ndef {head}: ...\n"
    found = only(loaded(tmp_path, source, hooks_manifest("{ event: PreToolUse }")))
    assert (found.name, found.line) == ("registration-invalid", 3)
    assert wrong in found.message
    if hint is not None:
        assert found.hint is not None
        assert hint in found.hint


@pytest.mark.parametrize("head", ["def", "async def"])
def test_a_generator_is_no_life_cycle_hook(head: str, tmp_path: Path) -> None:
    source = HOOK_HEAD + f"@hookimpl\n{head} turn_stop(ctx):\n    yield proceed()\n"
    found = only(loaded(tmp_path, source, hooks_manifest("{ event: TurnStop }")))
    assert found.message.startswith(
        "The hook 'turn_stop' is a generator; it must return proceed(…)"
    )


def test_an_asynchronous_match_is_refused(tmp_path: Path) -> None:
    source = HOOK_HEAD + (
        "async def only(call): return True\n@hookimpl(match=only)\ndef pre_tool_use(ctx): ...\n"
    )
    found = only(loaded(tmp_path, source, hooks_manifest("{ event: PreToolUse }")))
    assert "asynchronous `match`" in found.message


def test_two_functions_of_one_name_for_one_event_are_a_duplicate(tmp_path: Path) -> None:
    source = HOOK_HEAD + (
        "from .more import turn_stop as other\n@hookimpl\ndef turn_stop(ctx): ...\n"
    )
    more = HOOK_HEAD + "@hookimpl\ndef turn_stop(ctx): ...\n"
    found = only(loaded(tmp_path, source, hooks_manifest("{ event: TurnStop }"), more=more))
    assert (found.name, found.line) == ("registration-duplicate", 4)


def test_an_unserved_kind_is_refused_and_its_hook_never_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_kinds(monkeypatch, {"actions": "RPC actions"})
    found = only(loaded(tmp_path, entry("actions", value="1 / 0")))
    assert found.name == "not-supported-yet"


def test_objects_of_a_generation_work_until_it_ends(tmp_path: Path) -> None:
    root = package(tmp_path, entry("actions", "open-bag"), "contributes:\n  actions: [open-bag]\n")

    async def run() -> None:
        generation = (await load(root)).generation
        assert generation is not None
        assert generation.actions["open-bag"].invoke(None, {}) == 1
        await generation.dispose()

    asyncio.run(run())
