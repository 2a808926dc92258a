from plugin_sdk import hookimpl

from .plants import list_plants, note_plant


@hookimpl
def register_tools():
    return [note_plant, list_plants]
