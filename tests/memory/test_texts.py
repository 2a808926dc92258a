from covel_host.memory.texts import character_text, data_text, lore_text, readable


def test_a_character_reads_as_lines_without_bookkeeping() -> None:
    text = character_text(
        {
            "id": "npc-mira",
            "name": "Mira",
            "aliases": ["the Heron"],
            "description": "Sells salt.",
            "fields": {"trade": "salt", "skills": ["row"], "updatedAt": "2026-01-01T00:00:00Z"},
        }
    )
    assert text == 'Mira, the Heron\nSells salt.\ntrade: salt\nskills: ["row"]'


def test_a_record_is_found_by_a_text_only() -> None:
    assert data_text({"text": "Salt."}, "text") == "Salt."
    assert [data_text(value, "text") for value in ({"text": " "}, {"text": 3}, {}, "x", None)] == (
        [None] * 5
    )


def test_a_switched_off_entry_has_no_text() -> None:
    entry = {"keys": ["Pier"], "content": "Salt.", "enabled": True}
    assert lore_text(entry) == "Pier\nSalt."
    assert lore_text({**entry, "enabled": False}) is None


def test_a_name_is_readable_unless_empty_or_a_uuid() -> None:
    names = [" Pier ", "", "0B4C1F3E-9A52-4C1F-8D11-2F6F0B7A9C10", "t00001-1"]
    assert [readable(name) for name in names] == ["Pier", None, None, "t00001-1"]
