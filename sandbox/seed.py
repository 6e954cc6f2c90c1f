"""Seed data of a new workspace. Ids and tokens are fixed, so that examples and tests can name them."""

from sandbox.models import HOME_TEAM, Person, Team

TEAM_ID = HOME_TEAM
TEAM_NAME = "Sandbox"
TEAM_DOMAIN = "sandbox"
APP_ID = "A0TRIAGE"
BOT_ID = "B0TRIAGE"
BOT_USER = "U0TRIAGE"
OTHER_BOT = "U0ALERTS"
"""Another app's bot: it can post through the human side, but gets no events."""
SLACKBOT = "USLACKBOT"
"""Slack's own account: the author of the placeholder for a deleted root message."""

BOT_TOKEN = "xoxb-sandbox"  # noqa: S105  # a public, made-up token of the local workspace
APP_TOKEN = "xapp-sandbox"  # noqa: S105  # as above
VERIFICATION_TOKEN = "sandbox-verification"  # noqa: S105  # as above; Slack puts one into each payload

CREATED = 1735689600
"""Creation time of all seed data: 2025-01-01."""

PEOPLE = (
    Person("U0ANA", "Ana", "Member"),
    Person("U0OPS", "Olu", "Operator"),
    Person("U0ADMIN", "Ada", "Admin", is_admin=True),
    Person("U0GUEST", "Gus", "Guest", is_guest=True),
    Person(BOT_USER, "Triage", "App", is_bot=True, bot_id=BOT_ID, app_id=APP_ID),
    Person(OTHER_BOT, "Alerts", "App", is_bot=True, bot_id="B0ALERTS", app_id="A0ALERTS"),
)

GENERAL = "C0GENERAL"
CHANNELS = {"C0HELP": "help-platform", GENERAL: "general"}
"""Everybody is a member of each."""


ENTERPRISE_ID = "E0SANDBOX"
ENTERPRISE_NAME = "Sandbox Grid"

PARTNER = Team("T0PARTNER", "Partner", "partner")
PARTNER_PEOPLE = (
    Person("U0RITA", "Rita", "Member", team=PARTNER.id),
    Person("U0RAY", "Ray", "Admin", is_admin=True, team=PARTNER.id),
)
SHARED_CHANNEL = "C0SHARED"
"""#shared-partner, with everybody of both companies; created with the option `shared`."""

SISTER = Team("T0SISTER", "Sister", "sister", ENTERPRISE_ID, ENTERPRISE_NAME)
SISTER_PEOPLE = (Person("U0SIA", "Sia", "Member", team=SISTER.id),)
ORG_CHANNEL = "C0ORG"
"""#org-wide, of both workspaces of the Enterprise Grid; created with the option `grid`."""


def direct_channel(user: str) -> str:
    """Return the id of the direct messages between a person and the bot."""
    return f"D{user.removeprefix('U')}"


USERGROUPS = {"S0ONCALL": ("U0OPS", "U0ADMIN")}
"""Groups of people that can be mentioned, here by `<!subteam^S0ONCALL>`."""
