from plugin_sdk import (
    ChoiceInteraction,
    ConfirmationInteraction,
    Effects,
    FormInteraction,
    FunctionContext,
    Notification,
    skipped,
    success,
)
from plugin_sdk.interactions import Choice, FormField

PAPERS = FormInteraction(
    interaction_id="papers",
    title="Papers, please",
    submit_label="Hand over",
    narrative_template="I hand over my papers: {{name}}, for {{nights}} nights.",
    fields=[
        FormField(type="text", name="name", label="Name", required=True),
        FormField(type="number", name="nights", label="Nights", min=1, max=9, default_value=2),
    ],
)
BERTH = ChoiceInteraction(
    interaction_id="berth",
    prompt="Where do you sleep?",
    choices=[Choice(id="loft", label="The loft"), Choice(id="hold", label="The dry hold")],
    narrative_template="I take {{selectedLabel}}.",
)
SIGN = ConfirmationInteraction(
    interaction_id="sign",
    prompt="Sign the book?",
    narrative_template="Asked to sign: {{confirmed}}.",
)
ASKED = {2: PAPERS, 6: BERTH, 10: SIGN}


async def handle(ctx: FunctionContext) -> object:
    asked = ASKED.get(ctx.logical_turn)
    if asked is None:
        return skipped("Nothing to ask.")
    notice = Notification("info", "Harbour office", "A clerk clears his throat.")
    return success({"asks": True}, effects=Effects(interactions=[asked], notifications=[notice]))
