"""What can run at all: every refusal comes before anything is started or stored."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from covel_host.host import Host
from covel_host.models.selector import UseOffline
from covel_host.settings import read_settings
from covel_host.store.sessions import list_sessions
from covel_host.turn.admission import ManualRequest, admit
from covel_host.turn.errors import RequestRefused
from tests.support.hosts import settings_of
from tests.support.packages import write_package

RUNTIME = "---\nschedule: {trigger: {type: manual}}\nagent: {}\n---\nGo.\n"


def refusal(home: Path, trusted: bool = True, **request: Any) -> RequestRefused:
    """The refusal of a request, and the proof that it left no session."""

    async def main() -> RequestRefused:
        settings = settings_of(home)
        names = list(settings.trust.trusted)
        if not trusted:
            settings = read_settings(settings.environ)
        host = await Host.open(settings, load=names, selector=UseOffline())
        try:
            with pytest.raises(RequestRefused) as caught:
                await host.run(ManualRequest(**request))
            assert host.ports.store.read_now(lambda reading: list_sessions(reading)) == []
            return caught.value
        finally:
            await host.close()

    return asyncio.run(main())


def two_runtimes(home: Path) -> None:
    folder = home / "plugins" / "pair"
    folder.mkdir(parents=True)
    (folder / "PLUGIN.md").write_text("---\ndescription: A pair.\n---\n")
    for name in ("left", "right"):
        (folder / "runtimes" / name).mkdir(parents=True)
        (folder / "runtimes" / name / "RUNTIME.md").write_text(RUNTIME)


def test_a_package_that_is_not_there_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "echo-demo")
    refused = refusal(tmp_path, target="echo-dmo")
    assert refused.code == "package-not-found"
    assert refused.hint == "Did you mean 'echo-demo'?"


def test_a_package_that_was_not_loaded_says_its_first_problem(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "bad", code="raise ValueError('broken entry')")
    refused = refusal(tmp_path, target="bad")
    assert refused.code == "package-not-loaded"
    assert "broken entry" in refused.message
    assert "server/index.py" in refused.message


def test_code_nobody_trusts_does_not_run(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "own", code="print('ran')", tools=[])
    refused = refusal(tmp_path, trusted=False, target="own")
    assert refused.code == "approval-required"
    assert "--trust own" in str(refused.hint)


def test_one_of_several_runtimes_has_to_be_named(tmp_path: Path) -> None:
    two_runtimes(tmp_path)
    assert refusal(tmp_path, target="pair").code == "runtime-ambiguous"
    refused = refusal(tmp_path, target="pair/middle")
    assert refused.code == "runtime-not-found"
    assert "pair/left" in str(refused.hint)


def test_a_runtime_is_found_by_its_full_name_or_as_the_only_one(tmp_path: Path) -> None:
    two_runtimes(tmp_path)
    write_package(tmp_path / "plugins" / "solo")

    async def main() -> list[str]:
        host = await Host.open(settings_of(tmp_path), load=["pair", "solo"], selector=UseOffline())
        found = [
            admit(ManualRequest(target=target), host.catalog).runtime.runtime_id
            for target in ("pair/left", "solo")
        ]
        await host.close()
        return found

    assert asyncio.run(main()) == ["pair/left", "solo"]


def test_a_package_without_a_runtime_has_nothing_to_run(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "empty"
    folder.mkdir(parents=True)
    (folder / "PLUGIN.md").write_text("---\ndescription: Nothing runs here.\n---\n")
    refused = refusal(tmp_path, target="empty")
    assert refused.code == "runtime-not-found"
    assert "covel run PLUGIN --with empty" in str(refused.hint)


def test_a_payload_has_to_fit_its_schema(tmp_path: Path) -> None:
    schema = {"type": "object", "required": ["value"]}
    write_package(
        tmp_path / "plugins" / "strict",
        io={"payloadSchema": "./schemas/in.json"},
        files={"schemas/in.json": json.dumps(schema)},
    )
    refused = refusal(tmp_path, target="strict", payload={"other": 1})
    assert refused.code == "payload-invalid"
    assert "value" in refused.message
    assert refused.hint is None
    refused = refusal(tmp_path, target="strict")
    assert refused.code == "payload-invalid"
    assert "--payload" in str(refused.hint)


@pytest.mark.parametrize(
    "request_",
    [{"payload": float("nan")}, {"payload": {1, 2}}, {"payload": "\ud800"}, {"message": "\ud800"}],
)
def test_what_could_not_be_stored_is_refused_at_once(tmp_path: Path, request_: Any) -> None:
    write_package(tmp_path / "plugins" / "solo")
    assert refusal(tmp_path, target="solo", **request_).code == "payload-invalid"
