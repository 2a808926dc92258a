async def run(ctx: object) -> object:
    return {"counted": 3}
