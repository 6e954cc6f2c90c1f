"""How what people type and what apps post is stored."""

import pytest

from sandbox.markup import escape_app_text, escape_typed_text, rich_text


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("a & b < c > d", "a &amp; b &lt; c &gt; d"),
        ("hey @Triage!", "hey <@U0TRIAGE>!"),
        ("hey @triage and <@U0TRIAGE>", "hey <@U0TRIAGE> and <@U0TRIAGE>"),
        ("mail me@work, <@U0NOBODY>", "mail me@work, &lt;@U0NOBODY&gt;"),
        ("<!channel> <http://x|y>", "&lt;!channel&gt; &lt;<http://x>|y&gt;"),
        ("@here look", "<!here> look"),
        ("in #general", "in <#C0GENERAL|general>"),
        ("see https://a.example/x?a=1&b=2.", "see <https://a.example/x?a=1&amp;b=2>."),
        ("&lt; stays as typed", "&amp;lt; stays as typed"),
    ],
)
def test_what_people_type_is_stored_escaped(said: str, stored: str) -> None:
    """People mint mentions by name; any other control syntax they type is text."""
    people = {"triage": "U0TRIAGE"}
    assert escape_typed_text(said, people=people, rooms={"general": "C0GENERAL"}) == stored


@pytest.mark.parametrize(
    ("posted", "stored"),
    [
        ("a & b < c", "a &amp; b &lt; c"),
        ("a &amp; b &lt; c", "a &amp; b &lt; c"),
        ("<@U0ANA> <#C0HELP> <!here> <https://a.example|a>", "<@U0ANA> <#C0HELP> <!here> <https://a.example|a>"),
        ("see https://a.example?x=1&y=2", "see <https://a.example?x=1&amp;y=2>"),
        ("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;"),
    ],
)
def test_what_apps_post_keeps_its_control_syntax(posted: str, stored: str) -> None:
    """Apps write control syntax themselves; only what is none is escaped, and never twice."""
    assert escape_app_text(posted) == stored


def test_rich_text_of_a_whole_message() -> None:
    """Quotes, fences, styles, mentions and links become the elements Slack makes of them."""
    block = rich_text("*b _i_* `c&lt;` <@U1>\n&gt; quoted\n```\nx = 1\n```\nsee <https://a.example|a>")
    assert [part["type"] for part in block["elements"]] == [
        "rich_text_section",
        "rich_text_quote",
        "rich_text_preformatted",
        "rich_text_section",
    ]
    first, quote, code, last = (part["elements"] for part in block["elements"])
    assert first[:2] == [
        {"type": "text", "text": "b ", "style": {"bold": True}},
        {"type": "text", "text": "i", "style": {"bold": True, "italic": True}},
    ]
    assert {"type": "text", "text": "c<", "style": {"code": True}} in first
    assert first[-1] == {"type": "user", "user_id": "U1"}
    assert quote == [{"type": "text", "text": "quoted"}]
    assert code == [{"type": "text", "text": "x = 1"}]
    assert last[-1] == {"type": "link", "url": "https://a.example", "text": "a"}
