"""Limits of Block Kit as Slack documents them: keys, counts and lengths. Data only; `checks` applies them.

Independent of the models of SDKs, which accept much that Slack refuses.
"""

from sandbox.rules import Anything, Flag, Kinds, Many, Number, Parts, Rule, Text, Words

MOST_BLOCKS = 50
MOST_BLOCKS_IN_A_VIEW = 100
LONGEST_MARKDOWN = 12_000
"""Characters of all markdown blocks of a message together."""
LONGEST_TABLES = 10_000
"""Characters of all tables of a message together."""
LONGEST_BLOCKS = 13_200
"""Characters of all blocks of a message together; not documented, measured by several apps."""
BLOCK_WEIGHT = 50
"""Characters that each block adds to that sum."""

BOTH = ("plain_text", "mrkdwn")
ID = Words(255)
URL = Words(3000, minimum=1)
PLACEHOLDER = Text(150)
ANY = Anything()

CONFIRM = Parts(
    {"title": Text(100), "text": Text(300, BOTH)},
    {"confirm": Text(30), "deny": Text(30), "style": Words(one_of=("primary", "danger"))},
)
SLACK_FILE = Parts({}, {"id": Words(), "url": Words()}, either=("id", "url"))


def _option(kinds: tuple[str, ...], *, url: bool = False) -> Parts:
    optional: dict[str, Rule] = {"description": Text(75, kinds), "value": Words(150)}
    return Parts({"text": Text(75, kinds)}, {**optional, "url": URL} if url else optional)


OPTION = _option(("plain_text",))
RICH_OPTION = _option(BOTH)
OVERFLOW_OPTION = _option(("plain_text",), url=True)
OPTION_GROUP = Parts({"label": Text(75), "options": Many(OPTION, 100, minimum=1)})
DISPATCH = Parts(
    {}, {"trigger_actions_on": Many(Words(one_of=("on_enter_pressed", "on_character_entered")), 2, minimum=1)}
)
FILTER = Parts(
    {},
    {
        "include": Many(Words(one_of=("im", "mpim", "private", "public")), minimum=1),
        "exclude_external_shared_channels": Flag(),
        "exclude_bot_users": Flag(),
    },
)
FEEDBACK = Parts({"text": Text(75), "value": Words(2000)}, {"accessibility_label": Words(75)})


def _press_rules(**rules: Rule) -> dict[str, Rule]:
    return {"action_id": ID, "confirm": CONFIRM, **rules}


def _entry_rules(**rules: Rule) -> dict[str, Rule]:
    return {"action_id": ID, "focus_on_load": Flag(), "placeholder": PLACEHOLDER, **rules}


def _select(**rules: Rule) -> Parts:
    return Parts({}, _entry_rules(confirm=CONFIRM, **rules))


def _multi(**rules: Rule) -> Parts:
    return _select(max_selected_items=Number(minimum=1), **rules)


def _typed_parts(**rules: Rule) -> Parts:
    return Parts({}, _entry_rules(dispatch_action_config=DISPATCH, **rules))


def _from_options(optional: dict[str, Rule]) -> Parts:
    choices: dict[str, Rule] = {
        "options": Many(OPTION, 100, minimum=1),
        "option_groups": Many(OPTION_GROUP, 100, minimum=1),
    }
    return Parts({}, {**optional, **choices}, either=tuple(choices), exclusive=tuple(choices))


ELEMENTS: dict[str, Rule] = {
    "button": Parts(
        {"text": Text(75)},
        _press_rules(
            value=Words(2000),
            url=URL,
            style=Words(one_of=("primary", "danger")),
            accessibility_label=Words(75),
            agent_prompt=Words(4000),
            agent_prompt_display=ANY,
            visible_to_user_ids=ANY,
        ),
    ),
    "workflow_button": Parts(
        {"text": Text(75), "workflow": ANY},
        {"action_id": ID, "style": Words(one_of=("primary", "danger")), "accessibility_label": Words(75)},
    ),
    "icon_button": Parts(
        {"icon": Words(), "text": Text(75)},
        _press_rules(value=Words(2000), accessibility_label=Words(75), visible_to_user_ids=ANY),
    ),
    "feedback_buttons": Parts({"positive_button": FEEDBACK, "negative_button": FEEDBACK}, {"action_id": ID}),
    "overflow": Parts({"options": Many(OVERFLOW_OPTION, 5, minimum=1)}, _press_rules()),
    "checkboxes": Parts(
        {"options": Many(RICH_OPTION, 10, minimum=1)},
        _press_rules(initial_options=Many(RICH_OPTION, 10, minimum=1), focus_on_load=Flag()),
    ),
    "radio_buttons": Parts(
        {"options": Many(RICH_OPTION, 10, minimum=1)}, _press_rules(initial_option=RICH_OPTION, focus_on_load=Flag())
    ),
    "static_select": _from_options(_entry_rules(confirm=CONFIRM, initial_option=OPTION)),
    "multi_static_select": _from_options(
        _entry_rules(confirm=CONFIRM, initial_options=Many(OPTION, 100), max_selected_items=Number(minimum=1))
    ),
    "users_select": _select(initial_user=Words()),
    "multi_users_select": _multi(initial_users=Many(Words())),
    "channels_select": _select(initial_channel=Words(), response_url_enabled=Flag()),
    "multi_channels_select": _multi(initial_channels=Many(Words())),
    "conversations_select": _select(
        initial_conversation=Words(), default_to_current_conversation=Flag(), filter=FILTER, response_url_enabled=Flag()
    ),
    "multi_conversations_select": _multi(
        initial_conversations=Many(Words()), default_to_current_conversation=Flag(), filter=FILTER
    ),
    "external_select": _select(initial_option=OPTION, min_query_length=Number(minimum=0)),
    "multi_external_select": _multi(initial_options=Many(OPTION, 100), min_query_length=Number(minimum=0)),
    "datepicker": _select(initial_date=Words(10)),
    "timepicker": _select(initial_time=Words(5), timezone=Words()),
    "datetimepicker": Parts({}, _press_rules(initial_date_time=Number(minimum=0), focus_on_load=Flag())),
    "plain_text_input": _typed_parts(
        initial_value=Words(3000), multiline=Flag(), min_length=Number(0, 3000), max_length=Number(1, 3000)
    ),
    "email_text_input": _typed_parts(initial_value=Words(3000)),
    "url_text_input": _typed_parts(initial_value=Words(3000)),
    "number_input": Parts(
        {"is_decimal_allowed": Flag()},
        _entry_rules(dispatch_action_config=DISPATCH, initial_value=Words(), min_value=Words(), max_value=Words()),
    ),
    "rich_text_input": _typed_parts(initial_value=Kinds(("rich_text",)), min_lines=Number(1), max_lines=Number(1)),
    "file_input": Parts({}, {"action_id": ID, "filetypes": Many(Words()), "max_files": Number(1, 10)}),
    "image_element": Parts(
        {"alt_text": Words(2000)}, {"image_url": URL, "slack_file": SLACK_FILE}, either=("image_url", "slack_file")
    ),
    "plain_text": Parts({"text": Words(2000, minimum=1)}, {"emoji": Flag()}),
    "mrkdwn": Parts({"text": Words(2000, minimum=1)}, {"verbatim": Flag()}),
}

SELECTS = tuple(name for name in ELEMENTS if name.endswith("_select"))
CHOSEN = ("checkboxes", "radio_buttons", "datepicker", "timepicker")

STYLE = Parts(
    {},
    dict.fromkeys(("bold", "italic", "strike", "code", "underline", "highlight", "client_highlight", "unlink"), Flag()),
)
INLINE: dict[str, Rule] = {
    "text": Parts({"text": Words(minimum=1)}, {"style": STYLE}),
    "link": Parts({"url": Words(3000, minimum=1)}, {"text": Words(), "unsafe": Flag(), "style": STYLE}),
    "user": Parts({"user_id": Words(minimum=1)}, {"style": STYLE}),
    "channel": Parts({"channel_id": Words(minimum=1)}, {"style": STYLE}),
    "usergroup": Parts({"usergroup_id": Words(minimum=1)}, {"style": STYLE}),
    "team": Parts({"team_id": Words(minimum=1)}, {"style": STYLE}),
    "emoji": Parts({"name": Words(minimum=1)}, {"unicode": Words(), "skin_tone": Number(1, 6), "style": STYLE}),
    "broadcast": Parts({"range": Words(one_of=("here", "channel", "everyone"))}, {"style": STYLE}),
    "color": Parts({"value": Words(7, minimum=1)}, {"style": STYLE}),
    "date": Parts(
        {"timestamp": Number(), "format": Words(minimum=1)}, {"url": Words(), "fallback": Words(), "style": STYLE}
    ),
    "tag": Parts(is_open=True),
    "citation": Parts(is_open=True),
}
_INLINES = Many(Kinds(tuple(INLINE)))
_BORDER = Number(0, 1)
RICH: dict[str, Rule] = {
    "rich_text_section": Parts({"elements": _INLINES}),
    "rich_text_preformatted": Parts({"elements": _INLINES}, {"border": _BORDER, "language": Words()}),
    "rich_text_quote": Parts({"elements": _INLINES}, {"border": _BORDER}),
    "rich_text_list": Parts(
        {"elements": Many(Kinds(("rich_text_section",))), "style": Words(one_of=("bullet", "ordered"))},
        {"indent": Number(0, 8), "offset": Number(0), "border": _BORDER},
    ),
}

_IN_INPUTS = (
    "plain_text_input",
    "email_text_input",
    "url_text_input",
    "number_input",
    "rich_text_input",
    "file_input",
    "datetimepicker",
    *CHOSEN,
    *SELECTS,
)
_TITLED = Text(150, BOTH)

BLOCKS: dict[str, Rule] = {
    "actions": Parts(
        {
            "elements": Many(
                Kinds(("button", "workflow_button", "overflow", "datetimepicker", *CHOSEN, *SELECTS)),
                25,
                minimum=1,
                unique="action_id",
            )
        }
    ),
    "context": Parts({"elements": Many(Kinds(("image_element", *BOTH)), 10, minimum=1)}),
    "context_actions": Parts({"elements": Many(Kinds(("feedback_buttons", "icon_button")), 5, minimum=1)}),
    "divider": Parts(),
    "header": Parts({"text": Text(150)}, {"level": Number(1, 4)}),
    "image": Parts(
        {"alt_text": Words(2000)},
        {"image_url": URL, "slack_file": SLACK_FILE, "title": Text(2000)},
        either=("image_url", "slack_file"),
    ),
    "input": Parts(
        {"label": Text(2000), "element": Kinds(_IN_INPUTS)},
        {"hint": Text(2000), "optional": Flag(), "dispatch_action": Flag()},
    ),
    "section": Parts(
        {},
        {
            "text": Text(3000, BOTH),
            "fields": Many(Text(2000, BOTH), 10, minimum=1),
            "accessory": Kinds(("button", "workflow_button", "overflow", "image_element", *CHOSEN, *SELECTS)),
            "expand": Flag(),
        },
        either=("text", "fields"),
    ),
    "rich_text": Parts({"elements": Many(Kinds(tuple(RICH)))}),
    "markdown": Parts({"text": Words(LONGEST_MARKDOWN, minimum=1)}),
    "video": Parts(
        {"alt_text": Words(), "title": Text(200), "thumbnail_url": URL, "video_url": URL},
        {
            "author_name": Words(50),
            "description": Text(200),
            "provider_icon_url": Words(),
            "provider_name": Words(),
            "title_url": Words(),
        },
    ),
    "file": Parts({"external_id": Words(), "source": Words(one_of=("remote",))}),
    "table": Parts(
        {"rows": Many(Many(Kinds(("raw_text", "raw_number", "rich_text")), 20, minimum=1), 100, minimum=1)},
        {"column_settings": Many(ANY, 20)},
    ),
    "alert": Parts(
        {"text": Text(200, BOTH)}, {"level": Words(one_of=("default", "info", "warning", "error", "success"))}
    ),
    "card": Parts(
        {}, {"title": _TITLED, "subtitle": _TITLED, "body": Text(200, BOTH), "actions": Many(ANY, 3)}, is_open=True
    ),
    "carousel": Parts({"elements": Many(Kinds(("card",)), 10, minimum=1)}, is_open=True),
    "container": Parts(
        {"child_blocks": Many(ANY, 10, minimum=1)}, {"title": _TITLED, "subtitle": _TITLED}, is_open=True
    ),
    "data_table": Parts({}, {"rows": Many(ANY, 200)}, is_open=True),
    "data_visualization": Parts(is_open=True),
    "plan": Parts({"title": ANY}, {"tasks": Many(Kinds(("task_card",)), 50)}, is_open=True),
    "task_card": Parts({"task_id": Words(minimum=1), "title": ANY}, is_open=True),
}

TABLE: dict[str, Rule] = {
    **ELEMENTS,
    **INLINE,
    **RICH,
    **BLOCKS,
    "raw_text": Parts({"text": Words()}),
    "raw_number": Parts({"value": Number()}, {"text": Words()}),
}
"""All objects with a `type`. The image inside a block is `image_element`."""

_EVERYWHERE = ("actions", "context", "divider", "header", "image", "input", "section", "rich_text", "video")
_UNSETTLED = ("card", "carousel", "container", "data_table", "data_visualization")
"""Newer blocks whose surfaces Slack documents inconsistently: accepted anywhere."""
SURFACES: dict[str, tuple[str, ...]] = {
    "message": (*_EVERYWHERE, *_UNSETTLED, "context_actions", "file", "markdown", "plan", "table", "task_card"),
    "modal": (*_EVERYWHERE, *_UNSETTLED, "alert"),
    "home": (*_EVERYWHERE, *_UNSETTLED),
}

_OF_ANY_VIEW: dict[str, Rule] = {"private_metadata": Words(3000), "callback_id": ID, "external_id": ID}
VIEWS: dict[str, Rule] = {
    "modal": Parts(
        {"title": Text(24), "blocks": ANY},
        {
            **_OF_ANY_VIEW,
            "submit": Text(24),
            "close": Text(24),
            "clear_on_close": Flag(),
            "notify_on_close": Flag(),
            "submit_disabled": Flag(),
        },
    ),
    "home": Parts({"blocks": ANY}, _OF_ANY_VIEW),
}
"""Fields of a view; its blocks are checked by surface."""
