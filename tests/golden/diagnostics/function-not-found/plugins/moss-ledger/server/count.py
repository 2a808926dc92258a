async def count(ctx):
    return {}
