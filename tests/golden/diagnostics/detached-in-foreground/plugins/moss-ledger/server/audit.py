async def handle(ctx):
    return None
