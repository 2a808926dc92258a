from collections import Counter

from plugin_sdk import Effects, FunctionContext, Notification, success


async def handle(ctx: FunctionContext) -> object:
    clues = [row.value for row in await ctx.plugin_data.list("clues")]
    suspects = Counter(clue["suspect"] for clue in clues if clue["suspect"])
    value = {"clues": len(clues), "suspects": dict(suspects)}
    new = any(clue["turn"] == ctx.logical_turn for clue in clues)
    if not new or len(clues) != ctx.user_settings["enough"]:
        return success(value)
    notice = Notification("info", "You could guess now", f"You have found {len(clues)} clues.")
    return success(value, effects=Effects(notifications=[notice]))
