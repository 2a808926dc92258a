async def handle(ctx: object, scale: object) -> object:
    return {"weighed": 3}
