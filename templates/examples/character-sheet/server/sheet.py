from plugin_sdk import (
    Effects,
    FormField,
    FormInteraction,
    FormValidation,
    FunctionContext,
    PluginData,
    success,
)

POINTS = 10


def sheet_form() -> FormInteraction:
    def points(name: str, label: str) -> FormField:
        return FormField(
            type="number", name=name, label=label, min=0, max=POINTS, step=1, default_value=5
        )

    return FormInteraction(
        interaction_id="character-sheet",
        title="Who are you?",
        submit_label="Begin",
        narrative_template="I am {{name}}, {{strength}} strong and {{wit}} clever.",
        fields=[
            FormField(type="text", name="name", label="Name", required=True),
            points("strength", "Strength"),
            points("wit", "Wit"),
        ],
        validation=FormValidation(name="ten-points", data={"points": POINTS}),
    )


async def handle(ctx: FunctionContext) -> object:
    given = ctx.session.last_player_input
    if given is None or given.form_id != "character-sheet":
        form = Effects(interactions=[sheet_form()])
        return success({"ready": False}, effects=form, completion="pending")
    sheet = PluginData(namespace="sheets", key="player", value=dict(given.values))
    return success({"ready": True}, effects=Effects(plugin_data=[sheet]))
