"""What players and worlds set reaches runs: settings of packages, slots of runtimes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from covel_host.manifest.contributed_interface import Setting
from covel_host.manifest.setting_values import expected_instead
from covel_host.turn.admission import ManualRequest
from covel_host.turn.session_models import set_model_override
from covel_host.turn.session_setting_changes import set_setting, unset_setting
from covel_host.turn.session_settings import SessionSettings, effective_settings
from covel_host.turn.world_sessions import WorldSessionRequest
from tests.support.hosts import opened, played_on
from tests.support.replies import PlayedGateway, say
from tests.worlds.packs import write_pack

MANIFEST = """\
---
description: Tells one line.
contributes:
  settings:
    - { key: mood, type: text, label: Mood, default: calm }
    - { key: place, type: text, label: Place, default: shore }
    - { key: length, type: integer, label: Length, default: 3, max: 9 }
    - { key: open, type: toggle, label: Open }
runtime:
  schedule:
    trigger: { type: manual }
  io: { visibility: story }
  agent:
    model: story
---
Mood {{ userSettings.mood }}, place {{ userSettings.place }}, length {{ userSettings.length }}.
"""


def teller(home: Path) -> None:
    folder = home / "plugins" / "teller"
    folder.mkdir(parents=True)
    (folder / "PLUGIN.md").write_text(MANIFEST, encoding="utf-8")


def test_the_player_goes_before_the_world_and_the_world_before_the_default(
    tmp_path: Path,
) -> None:
    teller(tmp_path)
    presets = {"teller": {"mood": "grim", "place": "pier", "length": 99, "nothing": 1}}
    pack = write_pack(tmp_path / "pack", files={}, pluginSettings=presets)

    async def main() -> list[str]:
        async with opened(tmp_path, *[say("A line.")] * 3) as host:
            request = WorldSessionRequest(pack=pack, packages=("teller",))
            session_id = (await host.open_world(request)).session.session_id
            catalog, gateway = host.catalog, host.ports.gateway
            assert isinstance(gateway, PlayedGateway)
            place = (host.ports, session_id, "teller", "mood")
            for step in range(3):
                if step == 1:
                    await set_setting(*place, "wild", catalog=catalog, slots=())
                if step == 2:
                    await unset_setting(*place)
                await played_on(host, ManualRequest(target="teller", session_id=session_id))
            return [str(request.messages[0]) for request in gateway.requests]

    first, second, third = asyncio.run(main())
    assert "Mood grim, place pier, length 3." in first
    assert "Mood wild, place pier, length 3." in second
    assert "Mood grim, place pier, length 3." in third


def test_a_runtime_asks_the_slot_that_the_player_chose(tmp_path: Path) -> None:
    teller(tmp_path)

    async def main() -> list[str | None]:
        async with opened(tmp_path, *[say("A line.")] * 3) as host:
            session_id = await host.open_session(["teller"])
            gateway = host.ports.gateway
            assert isinstance(gateway, PlayedGateway)
            gateway.check_slot = lambda name: None  # type: ignore[method-assign]
            asked: tuple[dict[str, Any], ...] = ({}, {}, {"slot": "once"})
            for number, more in enumerate(asked):
                if number == 1:
                    await set_model_override(
                        host.ports,
                        session_id,
                        "teller",
                        "fast",
                        runtimes=("teller",),
                        slots=("fast",),
                    )
                await host.run(ManualRequest(target="teller", session_id=session_id, **more))
            return gateway.asked_slots

    assert asyncio.run(main()) == ["story", "fast", "once"]


def declared(**fields: Any) -> Setting:
    return Setting.model_validate({"key": "k", "label": "K", **fields})


@pytest.mark.parametrize(
    ("fields", "fits", "unfit"),
    [
        ({"type": "text"}, ["", "x"], [1, True, None, ["x"], {}]),
        ({"type": "textarea"}, ["a\nb"], [1.5]),
        ({"type": "slot"}, ["fast"], [None, 3]),
        ({"type": "toggle"}, [True, False], [0, 1, "true", None]),
        ({"type": "number"}, [1, 1.5, -3], ["1", True, None]),
        ({"type": "number", "min": 0, "max": 2}, [0, 2, 1.5], [-0.1, 2.1, 10**400]),
        ({"type": "integer"}, [3, 10**30], [3.0, "3", False]),
        ({"type": "slider", "min": 30, "max": 90, "step": 5}, [30, 31, 90], [29, 91]),
        (
            {"type": "select", "options": [{"value": "a", "label": "A"}]},
            ["a"],
            ["b", "", 1, None],
        ),
    ],
)
def test_a_value_fits_its_declaration_or_not(
    fields: dict[str, Any], fits: list[Any], unfit: list[Any]
) -> None:
    setting = declared(**fields)
    assert [value for value in fits if expected_instead(setting, value) is not None] == []
    assert [value for value in unfit if expected_instead(setting, value) is None] == []


@pytest.mark.parametrize(
    ("fields", "value", "said"),
    [
        ({"type": "text"}, 1, "a text"),
        ({"type": "toggle"}, 1, "true or false"),
        ({"type": "number"}, "1", "a number"),
        ({"type": "integer", "max": 12}, 13, "a whole number of at most 12"),
        ({"type": "integer", "min": 1_000_000}, 1.5, "a whole number of at least 1000000"),
        ({"type": "slider", "min": 0.5, "max": 9}, 0, "a number from 0.5 to 9"),
        (
            {"type": "select", "options": [{"value": v, "label": v} for v in ("a", "b")]},
            "c",
            "one of 'a', 'b'",
        ),
    ],
)
def test_what_a_setting_takes_is_said_in_words(
    fields: dict[str, Any], value: Any, said: str
) -> None:
    assert expected_instead(declared(**fields), value) == said


def test_values_that_do_not_fit_fall_to_the_next_layer() -> None:
    settings = SessionSettings(
        player={"p": {"a": 5, "b": "x"}}, world={"p": {"a": 2, "b": False}, "q": {"c": 1}}
    )
    found = effective_settings(
        settings,
        "p",
        (
            declared(key="a", type="integer", max=3, default=1),
            declared(key="b", type="toggle"),
            declared(key="c", type="integer"),
        ),
    )
    assert [(one.value, one.origin, one.ignored) for one in found] == [
        (2, "world", ("player",)),
        (False, "world", ("player",)),
        (None, "default", ()),
    ]
