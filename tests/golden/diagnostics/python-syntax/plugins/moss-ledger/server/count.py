async def handle(ctx):
    return {"herbs": 3
