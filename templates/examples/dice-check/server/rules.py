from random import Random

SIDES = 20


def checked(random: Random, skill: str, difficulty: int) -> dict[str, object]:
    """One check: a 20 always succeeds, a 1 always fails."""
    rolled = random.randint(1, SIDES)
    success = rolled == SIDES or (rolled >= difficulty and rolled != 1)
    return {"skill": skill, "rolled": rolled, "success": success}
