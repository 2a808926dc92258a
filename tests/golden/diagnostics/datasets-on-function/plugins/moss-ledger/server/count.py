async def handle(ctx):
    return {}
