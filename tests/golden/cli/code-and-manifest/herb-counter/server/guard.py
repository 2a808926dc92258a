async def guards(ctx):
    return None
