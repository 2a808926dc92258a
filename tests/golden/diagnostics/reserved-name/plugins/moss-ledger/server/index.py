from plugin_sdk import ActionContext, action, hookimpl


@action("show")
async def show(ctx: ActionContext) -> object:
    return {}


@action("runtime:show")
async def show_runtime(ctx: ActionContext) -> object:
    return {}


@hookimpl
def register_actions():
    return [show, show_runtime]
