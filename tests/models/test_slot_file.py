from collections.abc import Mapping
from pathlib import Path

import pytest

from covel_host.models.errors import ModelError
from covel_host.models.slot_file import find_slot_file, load_slots
from covel_host.models.slots import SlotTable

GOOD = """\
# models of this machine
[covel.story]
provider = "openai"
model = "gpt-test"
contextWindow = 128000
maxOutputTokens = 4000
reasoningEffort = "low"
features = ["function_calling", "reasoning"]
pricing = { input = 1, output = 2.5, cacheRead = 0.1 }

[covel.story.providerOptions.openai]
seed = 7

[covel.fast]
provider = "my-lab"
model = "Lab/Model:1 "
baseUrl = "https://lab.example/v1/"

[covel.image]
provider = "openai"
model = "paint-1"
output = ["image"]
providerRequestMetadata = { imageWire = "openai-images" }
"""


def load(
    tmp_path: Path, text: str | None = GOOD, *, place: str = "home", **environment: str
) -> SlotTable:
    for name in ("home", "cwd"):
        (tmp_path / name).mkdir(exist_ok=True)
    if text is not None:
        (tmp_path / place / "llm.toml").write_text(text, encoding="utf-8")
    return load_slots(
        environment=environment, home=tmp_path / "home", working_directory=tmp_path / "cwd"
    )


def problem(tmp_path: Path, text: str, **environment: str) -> str:
    with pytest.raises(ModelError) as caught:
        load(tmp_path, text, **environment)
    assert caught.value.code == "config-error"
    return str(caught.value).replace(str(tmp_path / "home"), "HOME")


def test_nothing_configured_gives_no_slots(tmp_path: Path) -> None:
    table = load(tmp_path, None)

    assert (dict(table.slots), table.file) == ({}, "")


def test_every_setting_remembers_its_place(tmp_path: Path) -> None:
    slot = load(tmp_path, OPENAI_API_KEY="k").slots["story"]
    file = str(tmp_path / "home" / "llm.toml")

    assert {name: setting.origin for name, setting in slot.settings()} == {
        "provider": f"{file}:3",
        "model": f"{file}:4",
        "baseUrl": "built-in provider table",
        "protocol": "built-in provider table",
        "tag": "built-in default",
        "contextWindow": f"{file}:5",
        "maxOutputTokens": f"{file}:6",
        "reasoningEffort": f"{file}:7",
        "features": f"{file}:8",
        "pricing": f"{file}:9",
        "providerOptions": f"{file}:11",
    }
    assert slot.base_url.value == "https://api.openai.com/v1"
    assert slot.provider_options is not None
    assert slot.provider_options.value == {"openai": {"seed": 7}}


def test_a_model_id_is_sent_unchanged(tmp_path: Path) -> None:
    assert load(tmp_path).slots["fast"].model.value == "Lab/Model:1 "


def test_a_key_comes_from_the_variable_named_after_the_provider(tmp_path: Path) -> None:
    table = load(tmp_path, MY_LAB_API_KEY="sk-lab")

    assert table.slots["fast"].key.variable == "MY_LAB_API_KEY"
    assert table.slots["fast"].key.value == "sk-lab"
    assert table.slots["story"].key.value is None


def test_a_key_is_never_shown(tmp_path: Path) -> None:
    table = load(tmp_path, MY_LAB_API_KEY="sk-lab-secret")

    assert "sk-lab-secret" not in repr(table)


def test_a_tag_is_derived_from_the_output(tmp_path: Path) -> None:
    assert load(tmp_path).slots["image"].tag.value == "image"


@pytest.mark.parametrize(
    ("output", "tag"),
    [
        ('["text"]', "text"),
        ('["text", "image"]', "text"),
        ('["audio"]', "speech"),
        ('["embedding"]', "embedding"),
        ('["evaluation"]', "evaluation"),
    ],
)
def test_outputs_give_tags(tmp_path: Path, output: str, tag: str) -> None:
    text = f'[covel.x]\nprovider = "openai"\nmodel = "m"\noutput = {output}\n'

    assert load(tmp_path, text).slots["x"].tag.value == tag


# --- which file ------------------------------------------------------------------------------


def find(tmp_path: Path, environment: Mapping[str, str]) -> tuple[str, bool] | None:
    found = find_slot_file(
        environment=environment, home=tmp_path / "home", working_directory=tmp_path / "cwd"
    )
    return None if found is None else (str(found.path.relative_to(tmp_path)), found.trusted)


def test_the_named_file_wins_then_home_then_the_working_directory(tmp_path: Path) -> None:
    for name in ("home", "cwd"):
        (tmp_path / name).mkdir()
    assert find(tmp_path, {}) is None

    (tmp_path / "cwd/llm.toml").write_text("")
    assert find(tmp_path, {}) == ("cwd/llm.toml", False)
    (tmp_path / "home/llm.toml").write_text("")
    assert find(tmp_path, {}) == ("home/llm.toml", True)
    (tmp_path / "cwd/mine.toml").write_text("")
    assert find(tmp_path, {"COVEL_LLM_TOML": "mine.toml"}) == ("cwd/mine.toml", True)


def test_a_named_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"COVEL_LLM_TOML names 'gone\.toml'"):
        load(tmp_path, COVEL_LLM_TOML="gone.toml")


# --- keys and places -------------------------------------------------------------------------

ELSEWHERE = """\
[covel.story]
provider = "openai"
model = "m"
baseUrl = "https://collector.example/v1"
"""


def test_a_file_of_the_working_directory_cannot_send_a_key_elsewhere(tmp_path: Path) -> None:
    slot = load(tmp_path, ELSEWHERE, place="cwd", OPENAI_API_KEY="sk-x").slots["story"]
    found = slot.problem()

    assert slot.key.value is None
    assert found is not None
    assert "collector.example" in found.message
    assert "COVEL_HOME" in found.message


def test_a_file_of_the_working_directory_may_use_a_providers_own_address(tmp_path: Path) -> None:
    text = '[covel.story]\nprovider = "openai"\nmodel = "m"\n'
    slot = load(tmp_path, text, place="cwd", OPENAI_API_KEY="sk-x").slots["story"]

    assert (slot.key.value, slot.problem()) == ("sk-x", None)


def test_the_users_own_file_may_name_any_address(tmp_path: Path) -> None:
    assert load(tmp_path, ELSEWHERE, OPENAI_API_KEY="sk-x").slots["story"].key.value == "sk-x"


def test_a_missing_key_says_which_variable_to_set(tmp_path: Path) -> None:
    found = load(tmp_path).slots["story"].problem()

    assert found is not None
    assert "OPENAI_API_KEY" in str(found)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:1", "[::1]:80", "x.localhost"])
def test_a_loopback_model_needs_neither_https_nor_a_key(tmp_path: Path, host: str) -> None:
    text = f'[covel.story]\nprovider = "lab"\nmodel = "m"\nbaseUrl = "http://{host}/v1"\n'

    assert load(tmp_path, text).slots["story"].problem() is None


# --- environment -----------------------------------------------------------------------------


def test_the_environment_alone_makes_a_default_slot(tmp_path: Path) -> None:
    slot = load(tmp_path, None, COVEL_LLM_MODEL="gpt-test", OPENAI_API_KEY="k").slots["default"]

    assert (slot.model.value, slot.model.origin) == ("gpt-test", "COVEL_LLM_MODEL")
    assert (slot.provider.value, slot.provider.origin) == ("openai", "built-in default")
    assert slot.problem() is None


def test_the_environment_wins_over_the_file_for_the_default_slot(tmp_path: Path) -> None:
    text = '[covel.default]\nprovider = "lab"\nmodel = "a"\nbaseUrl = "https://lab.example"\n'
    slot = load(tmp_path, text, COVEL_LLM_MODEL="b").slots["default"]

    assert (slot.model.value, slot.model.origin) == ("b", "COVEL_LLM_MODEL")
    assert slot.provider.value == "lab"


def test_a_wrong_variable_is_named(tmp_path: Path) -> None:
    message = problem(tmp_path, "", COVEL_LLM_MODEL="m", COVEL_LLM_BASE_URL="lab.example")

    assert message.startswith("COVEL_LLM_BASE_URL: slot 'default'")


def test_a_provider_without_a_model_says_what_is_missing(tmp_path: Path) -> None:
    message = problem(tmp_path, "", COVEL_LLM_PROVIDER="openai")

    assert message == "environment: slot 'default', 'model' is missing."


# --- bad files -------------------------------------------------------------------------------

BASE = '[covel.story]\nprovider = "openai"\nmodel = "m"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            BASE + "maxOutputToken = 5\n",
            "HOME/llm.toml:4: slot 'story', 'maxOutputToken' is not a field of a slot. Did you",
        ),
        (BASE + 'base_url = "https://x.example"\n', "Did you mean 'baseUrl'?"),
        (
            BASE + 'apiKey = "sk-hidden"\n',
            "HOME/llm.toml:4: slot 'story', 'apiKey': keys are not read from the file. Set OPENAI_",
        ),
        (
            BASE + 'fallback = "fast"\n',
            "HOME/llm.toml:4: slot 'story', 'fallback' is 'fast', and there is no such slot; ",
        ),
        (BASE + 'fallback = "story"\n', "'fallback' is 'story', which is the slot itself."),
        (
            BASE + 'fallback = "v"\n' + BASE.replace("story", "v") + 'tag = "embedding"\n',
            "HOME/llm.toml:4: slot 'story', 'fallback' is 'v'; only slots with the tag 'text' fall",
        ),
        (BASE + "contextWindow = 0\n", "HOME/llm.toml:4: slot 'story', 'contextWindow' is 0:"),
        (BASE + 'contextWindow = "8000"\n', "'contextWindow' is '8000':"),
        (BASE + 'reasoningEffort = "huge"\n', "'reasoningEffort' is 'huge':"),
        (BASE + 'protocol = "openai"\n', "'protocol' is 'openai':"),
        (BASE + 'output = ["video"]\n', "'output' does not say what the slot is for. Set 'tag'."),
        (BASE + 'baseUrl = "http://lab.example/v1"\n', "https is required except on this machine"),
        (BASE + 'baseUrl = "https://me:pw@lab.example/v1"\n', "holds a user name or password"),
        (BASE + 'baseUrl = "https://lab.example/v1?k=1"\n', "must not hold a query"),
        (BASE + 'baseUrl = "lab"\n', "an address such as 'https://host/v1' is expected"),
        (BASE + 'baseUrl = "https://[bad"\n', "which is not an address"),
        (BASE + "providerRequestMetadata = { x = 1 }\n", "not supported yet for text slots"),
        ('[covel.story]\nmodel = "m"\n', "HOME/llm.toml:1: slot 'story', 'provider' is missing."),
        (
            '[covel.story]\nprovider = "lab"\nmodel = "m"\n',
            "HOME/llm.toml:2: slot 'story', provider 'lab' is not built in, so 'baseUrl' is",
        ),
        ('[covel.story]\nprovider = "My Lab"\nmodel = "m"\n', "'provider' is 'My Lab':"),
        ("[covel.story\n", "is not TOML:"),
        ("covel = 1\n", "'covel' is not a table"),
        ("[covel]\nstory = 1\n", "HOME/llm.toml:2: 'covel.story' is not a table."),
        ('[slots.story]\nprovider = "openai"\n', "HOME/llm.toml:1: 'slots' is not known here."),
    ],
)
def test_a_bad_file_is_refused_with_its_place(tmp_path: Path, text: str, expected: str) -> None:
    message = problem(tmp_path, text)

    assert expected in message
    assert "sk-hidden" not in message
    assert "pw@" not in message


def test_all_problems_are_listed_at_once(tmp_path: Path) -> None:
    message = problem(tmp_path, BASE + "contextWindow = -1\nnope = 1\n[covel.b]\nmodel = 3\n")

    assert len(message.splitlines()) == 4


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/llm.toml").write_bytes(b"[covel.story]\nmodel = '\xff'\n")

    with pytest.raises(ModelError, match="not UTF-8"):
        load(tmp_path, None)
