"""No model is asked about a turn in which nobody is named."""

from plugin_sdk import GuardContext, skip


async def guard(ctx: GuardContext) -> object:
    story = ctx.inputs["story"]["value"]
    named = ("Hanne", "Joss", "ferryman")
    return (
        None if any(name in story for name in named) else skip(reason="Nobody is named.", people=0)
    )
