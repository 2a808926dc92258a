import pytest

from covel_host.models.toml_lines import line_of

TEXT = """\
covel.plain.model = "a"
[covel.story]
model = "m"
"quoted-key" = 1
inline = { deep = 1 }
[ covel . "two words" ]  # comment
model = "n"
[covel.story.options.lab]
seed = 1
"""


@pytest.mark.parametrize(
    ("table", "key", "line"),
    [
        (("covel", "plain"), "model", 1),
        (("covel",), "story", 2),
        (("covel", "story"), "model", 3),
        (("covel", "story"), "quoted-key", 4),
        (("covel", "story"), "inline", 5),
        (("covel", "two words"), "model", 7),
        (("covel", "story"), "options", 8),
        (("covel", "story"), "absent", 2),
        (("covel", "absent"), "model", 1),
    ],
)
def test_keys_are_found_on_their_lines(table: tuple[str, ...], key: str, line: int) -> None:
    assert line_of(TEXT, table, key) == line
