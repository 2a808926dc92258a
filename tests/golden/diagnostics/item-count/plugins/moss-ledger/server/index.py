from plugin_sdk import ActionContext, action, hookimpl


@action("show")
async def show(ctx: ActionContext) -> object:
    return {}


@hookimpl
def register_actions():
    return [show]
