"""One manifest file: its fields, its exact body, and each mistake at its place."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from covel_host.diagnostics.file_text import MAX_FILE_BYTES
from covel_host.manifest.frontmatter import Frontmatter, read_frontmatter, read_frontmatter_file


def read(text: str, *, fence_required: bool = True) -> Frontmatter:
    return read_frontmatter(
        text, plugin="moss-ledger", file="PLUGIN.md", fence_required=fence_required
    )


def only(reading: Frontmatter) -> tuple[str, int | None, int | None]:
    (found,) = reading.diagnostics
    return found.name, found.line, found.column


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_fields_and_body_are_read_with_any_line_end(line_end: str, mark: str) -> None:
    lines = ["---", "description: Counts herbs.", "---", "  Body. ", "", "---", "more", ""]
    reading = read(mark + line_end.join(lines))
    assert reading.diagnostics == ()
    assert reading.fields == {"description": "Counts herbs."}
    assert reading.body == line_end.join(lines[3:])


def test_the_body_is_kept_to_the_last_character() -> None:
    assert read("---\na: x\n---").body == ""
    assert read("---\na: x\n---\n").body == ""
    assert read("---\na: x\n---\n\n x \n\n").body == "\n x \n\n"
    assert read("---  \na: x\n--- \t\nBody").body == "Body"


@pytest.mark.parametrize("text", ["---\n---\n", "---\n# only a comment\n---\n"])
def test_an_empty_frontmatter_has_no_fields(text: str) -> None:
    reading = read(text)
    assert reading.fields == {}
    assert reading.diagnostics == ()


def test_a_place_is_given_in_the_whole_file() -> None:
    reading = read("\ufeff---\r\ndescription: x\r\nversion: 1.0.0\r\n---\r\nBody")
    place = reading.place(("version",))
    assert place is not None
    assert reading.source.text[slice(*place)] == "1.0.0"
    assert reading.source.position(place[0]) == (3, 10)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("frontmatter-missing", 1, 1)),
        ("# Herbs\n", ("frontmatter-missing", 1, 1)),
        ("\n---\na: x\n---\n", ("frontmatter-missing", 1, 1)),
        (" ---\na: x\n---\n", ("frontmatter-missing", 1, 1)),
        ("----\na: x\n----\n", ("frontmatter-missing", 1, 1)),
        ("---\na: x\n", ("frontmatter-unclosed", 1, 1)),
        ("---", ("frontmatter-unclosed", 1, 1)),
        ("---\na: x\n ---\n", ("frontmatter-unclosed", 1, 1)),
        ("---js\n{}\n---\n", ("frontmatter-engine-marker", 1, 4)),
        ("--- javascript\r\n{}\r\n---\r\n", ("frontmatter-engine-marker", 1, 4)),
        ("\ufeff---yaml\na: x\n---\n", ("frontmatter-engine-marker", 1, 4)),
        ("---\n- a\n---\n", ("frontmatter-not-a-map", 2, 1)),
        ("---\njust text\n---\n", ("frontmatter-not-a-map", 2, 1)),
        ("---\n~\n---\n", ("frontmatter-not-a-map", 2, 1)),
        ("---\nversion: 1.0.0\ndescription: Herbs: all\n---\n", ("yaml-unquoted-colon", 3, 19)),
        ("---\rversion: 1.0.0\rdescription: Herbs: all\r---\r", ("yaml-unquoted-colon", 3, 19)),
        ("---\na:\n\tb: x\n---\n", ("yaml-tab", 3, 1)),
        ("---\na: 1\na: 2\n---\n", ("yaml-duplicate-key", 3, 1)),
        ("---\na: [\n---\n", ("yaml-syntax", 3, 1)),
    ],
)
def test_each_mistake_has_its_name_and_place(
    text: str, expected: tuple[str, int | None, int | None]
) -> None:
    assert only(read(text)) == expected


def test_the_hint_points_at_a_line_that_was_meant_as_a_fence() -> None:
    (opening,) = read("\n\n---\na: x\n---\n").diagnostics
    assert opening.hint is not None
    assert "Line 3" in opening.hint
    (closing,) = read("---\na: x\n----\nBody\n").diagnostics
    assert closing.hint is not None
    assert "Line 3 is '----'" in closing.hint


def test_an_unquoted_colon_names_the_field_and_shows_the_quoted_value() -> None:
    (found,) = read("---\ndescription: Herbs: all\n---\n").diagnostics
    assert found.path == "description"
    assert found.hint == 'Put the whole value in double quotes: description: "Herbs: all".'


def test_fields_around_a_mistake_of_one_node_are_still_read() -> None:
    reading = read("---\na: 1\na: 2\nb: x\n---\nBody")
    assert reading.fields == {"a": 1, "b": "x"}
    assert reading.body == "Body"


def test_a_syntax_error_leaves_the_fields_unread_and_keeps_the_body() -> None:
    reading = read("---\na: [\n---\nBody")
    assert reading.fields is None
    assert reading.body == "Body"


def test_a_variant_may_be_all_body() -> None:
    reading = read("清点草药。\n", fence_required=False)
    assert reading.diagnostics == ()
    assert reading.body == "清点草药。\n"
    assert reading.fields == {}


@pytest.mark.parametrize("text", ["---js\n{}\n---\n", "\n---\na: x\n---\n", "---\na: x\n"])
def test_a_variant_with_a_broken_fence_is_refused(text: str) -> None:
    assert read(text, fence_required=False).diagnostics


def test_a_file_that_is_not_utf8_is_placed_by_byte_and_by_line(tmp_path: Path) -> None:
    file = tmp_path / "PLUGIN.md"
    file.write_bytes("---\r\ndescription: 草".encode() + b"\xff\r\n---\r\n")
    reading = read_frontmatter_file(file, plugin="p", file="PLUGIN.md")
    (found,) = reading.diagnostics
    assert (found.name, found.line, found.column) == ("file-not-utf8", 2, 15)
    assert "byte 0xff at offset 21" in found.message
    assert reading.fields is None


def test_a_utf16_file_is_recognised(tmp_path: Path) -> None:
    file = tmp_path / "PLUGIN.md"
    file.write_bytes("---\ndescription: x\n---\n".encode("utf-16"))
    (found,) = read_frontmatter_file(file, plugin="p", file="PLUGIN.md").diagnostics
    assert found.hint == "The file looks like UTF-16. Save it as UTF-8."


def test_the_size_limit_is_the_last_size_that_is_read(tmp_path: Path) -> None:
    file = tmp_path / "PLUGIN.md"
    head = b"---\ndescription: x\n---\n"
    file.write_bytes(head + b"y" * (MAX_FILE_BYTES - len(head)))
    assert read_frontmatter_file(file, plugin="p", file="PLUGIN.md").diagnostics == ()
    with file.open("ab") as stream:
        stream.write(b"y")
    assert only(read_frontmatter_file(file, plugin="p", file="PLUGIN.md"))[0] == "file-too-large"


@pytest.mark.parametrize("name", ["gone.md", "folder.md", "nul\0.md"])
def test_what_cannot_be_opened_is_a_problem(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.md").mkdir()
    found = only(read_frontmatter_file(tmp_path / name, plugin="p", file="PLUGIN.md"))
    assert found == ("file-unreadable", None, None)


@given(st.text())
@example("---\n---")
@example("---\r---\r---\r")
@example("---\r\na: x\r\n---\r\n\r\n")
@example("\ufeff\ufeff---\n---\n")
@example("---\n\ud800: x\n---\n")
def test_no_text_raises(text: str) -> None:
    reading = read(text)
    assert (reading.fields is None) <= bool(reading.diagnostics)


@given(
    mark=st.sampled_from(["", "\ufeff"]),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    padding=st.sampled_from(["", " ", "\t "]),
    fields=st.lists(st.sampled_from(["a: 1", "b: x", "# note", "", "c: [1, 2]"]), max_size=6),
    body=st.text(),
)
def test_fences_fields_and_body_make_up_the_source(
    mark: str, line_end: str, padding: str, fields: list[str], body: str
) -> None:
    fence = f"---{padding}{line_end}"
    if line_end == "\r" and body.startswith("\n"):
        body = body.lstrip("\n")  # the two would be one line end
    inner = "".join(field + line_end for field in fields)
    reading = read(f"{mark}{fence}{inner}{fence}{body}")
    assert reading.body == body
    assert reading.fields_offset == len(mark + fence)
    start = reading.fields_offset
    assert reading.source.text[start : start + len(inner)] == inner
