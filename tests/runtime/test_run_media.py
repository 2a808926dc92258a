"""`ctx.media.put`: bytes first, then the rows, both only while the run lives."""

import asyncio
from typing import Any

import pytest

from covel_host.media.errors import MediaUnusable
from covel_host.store.assets import get_asset, may_use_asset
from plugin_sdk.errors import ToolError
from tests.runtime.conftest import BenchMaker

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 32


def test_stored_media_belong_to_the_session_and_may_be_referred_to(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        ref = await ctx.media.put(PNG, mime="image/png", meta={"kind": "sprite"})
        again = await ctx.media.put(PNG, mime="image/png", meta={"kind": "other"})
        await ctx.plugin_data.set("notes", "icon", ref.members())
        return [ref.members(), ref == again]

    made = bench()
    result = made.play(handler=handle)
    assert result.status == "success"
    assert isinstance(result.value, list)
    ref: Any = result.value[0]
    assert (ref["mime"], ref["size"], result.value[1]) == ("image/png", len(PNG), True)
    asset = made.store.read_now(lambda reading: get_asset(reading, ref["id"]))
    assert asset is not None
    assert (asset.meta, asset.owner_session_id, asset.owner_plugin_id) == (
        {"kind": "sprite"},
        "s1",
        "demo",
    )
    assert made.store.read_now(lambda reading: may_use_asset(reading, ref["id"], session_id="s1"))


@pytest.mark.parametrize(
    ("data", "mime"), [(b"", "image/png"), (b"<svg/>", "image/svg+xml"), ("x", "image/png")]
)
def test_what_is_not_stored_is_invalid_input(bench: BenchMaker, data: Any, mime: str) -> None:
    async def handle(ctx: Any) -> object:
        with pytest.raises(ToolError) as raised:
            await ctx.media.put(data, mime=mime)
        return raised.value.code

    assert bench().play(handler=handle).value == "invalid-input"


def test_a_folder_that_cannot_be_written_is_unavailable(
    bench: BenchMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise MediaUnusable("Full.", code="media-unusable")

    monkeypatch.setattr("covel_host.media.files.MediaFiles.put", refuse)

    async def handle(ctx: Any) -> object:
        with pytest.raises(ToolError) as raised:
            await ctx.media.put(PNG, mime="image/png")
        return raised.value.code

    assert bench().play(handler=handle).value == "unavailable"


def test_a_run_that_ends_meanwhile_records_nothing(bench: BenchMaker) -> None:
    """The run is over between the bytes and the rows."""
    codes: list[str] = []

    async def main() -> None:
        put = made.store.transaction
        over = asyncio.Event()

        def slow(body: Any) -> Any:
            async def later() -> Any:
                await over.wait()
                return await put(body)

            return later()

        made.store.transaction = slow  # type: ignore[method-assign]

        async def handle(ctx: Any) -> object:
            async def store() -> None:
                try:
                    await ctx.media.put(PNG, mime="image/png")
                except ToolError as error:
                    codes.append(error.code)

            handle.task = asyncio.ensure_future(store())  # type: ignore[attr-defined]
            await asyncio.sleep(0)
            raise ValueError("broken")

        await made.made(handler=handle).result()
        over.set()
        await handle.task  # type: ignore[attr-defined]

    made = bench()
    asyncio.run(main())
    assert codes == ["unavailable"]
    found = made.store.read_now(lambda reading: get_asset(reading, _id()))
    assert found is None


def _id() -> str:
    import hashlib

    return hashlib.sha256(PNG).hexdigest()
