"""Claims on a media folder: many store at once, and whoever removes is alone."""

import asyncio
from pathlib import Path

import pytest

from covel_host.media.claims import claimed
from covel_host.media.errors import MediaUnusable


def test_many_may_store_and_only_one_may_remove(tmp_path: Path) -> None:
    root = tmp_path / "media"

    async def main() -> None:
        async with claimed(root), claimed(root):
            with pytest.raises(MediaUnusable, match="in use for more than 0 s"):
                async with claimed(root, is_exclusive=True, limit_s=0):
                    raise AssertionError("others are at work")
        async with claimed(root, is_exclusive=True):
            with pytest.raises(MediaUnusable):
                async with claimed(root, limit_s=0):
                    raise AssertionError("somebody removes files")
        async with claimed(root, is_exclusive=True):
            pass

    asyncio.run(main())


def test_whoever_waits_goes_on_once_the_claim_has_ended(tmp_path: Path) -> None:
    order: list[str] = []

    async def main() -> None:
        async def removing() -> None:
            async with claimed(tmp_path, is_exclusive=True):
                order.append("removed")

        async with claimed(tmp_path):
            waiting = asyncio.ensure_future(removing())
            await asyncio.sleep(0)
            order.append("stored")
        await waiting

    asyncio.run(main())
    assert order == ["stored", "removed"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    async def main() -> None:
        async with claimed(tmp_path / "file" / "media"):
            raise AssertionError("there is no such folder")

    with pytest.raises(MediaUnusable, match="cannot be used"):
        asyncio.run(main())
