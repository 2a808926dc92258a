import os

SHELF = os.environ["MOSS_LEDGER_SHELF_THAT_IS_NOT_SET"]


async def handle(ctx: object) -> object:
    return SHELF
