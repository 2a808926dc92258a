from plugin_sdk import ActionContext, action, hookimpl


@action("show-herbs")
async def show_herbs(ctx: ActionContext) -> object:
    return {}


@hookimpl
def register_actions():
    return [show_herbs]
