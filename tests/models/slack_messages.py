"""Messages of other apps and of people in the shapes that Slack sends, with what they say beside their text."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

GRAFANA: Json = {
    "text": "",
    "attachments": [
        {
            "id": 1,
            "color": "D63232",
            "fallback": "[FIRING:1] PaymentRetries (shop)",
            "title": "[FIRING:1] PaymentRetries (shop)",
            "title_link": "https://grafana.example/alerting/list",
            "text": "**Firing**\n\nValue: A=17\nLabels:\n - name = Retries\nRETRY_LIMIT was reached for 17 orders",
            "fields": [{"title": "Severity", "value": "critical", "short": True}],
            "image_url": "https://grafana.example/render.png",
            "footer": "Grafana v11.2.0",
            "ts": 1767600000,
            "mrkdwn_in": ["text"],
        }
    ],
}
ALERTMANAGER: Json = {
    "text": "",
    "attachments": [
        {
            "fallback": "[FIRING:2] OrderCancelled prod | <https://alerts.example/#/alerts?receiver=slack>",
            "title": "[FIRING:2] OrderCancelled prod",
            "title_link": "https://alerts.example/#/alerts?receiver=slack",
            "text": "*Description:* RETRY_LIMIT reached, payments are not tried again",
            "color": "danger",
        }
    ],
}
PAGERDUTY: Json = {
    "text": "",
    "attachments": [
        {
            "id": 1,
            "color": "FF0000",
            "fallback": "[no preview available]",
            "blocks": [
                {
                    "type": "section",
                    "text": {
                        "type": "mrkdwn",
                        "text": "*Triggered <https://x.pagerduty.example/incidents/Q1|#4211>*: refund fails",
                    },
                },
                {
                    "type": "section",
                    "fields": [
                        {"type": "mrkdwn", "text": "*Service:* shop"},
                        {"type": "mrkdwn", "text": "*Urgency:* high"},
                    ],
                },
                {
                    "type": "actions",
                    "elements": [
                        {"type": "button", "text": {"type": "plain_text", "text": "Acknowledge"}, "action_id": "ack"}
                    ],
                },
            ],
        }
    ],
}
BLOCKS: Json = {
    "text": "Deployment report",
    "blocks": [
        {"type": "header", "text": {"type": "plain_text", "text": "Deployment report", "emoji": True}},
        {"type": "section", "text": {"type": "mrkdwn", "text": "*RETRY_LIMIT* was raised &amp; payments fail"}},
        {"type": "divider"},
        {
            "type": "context",
            "elements": [
                {"type": "image", "image_url": "https://x.example/i.png", "alt_text": "red"},
                {"type": "mrkdwn", "text": "by <@U0OPS>"},
            ],
        },
        {
            "type": "table",
            "rows": [
                [{"type": "raw_text", "text": "order"}, {"type": "raw_text", "text": "tries"}],
                [
                    {"type": "raw_text", "text": "A-17"},
                    {
                        "type": "rich_text",
                        "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "5"}]}],
                    },
                ],
            ],
        },
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_list",
                    "style": "bullet",
                    "elements": [
                        {"type": "rich_text_section", "elements": [{"type": "text", "text": "first"}]},
                        {"type": "rich_text_section", "elements": [{"type": "text", "text": "second"}]},
                    ],
                },
                {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "a < b"}]},
            ],
        },
    ],
}
SHARED: Json = {
    "text": "",
    "attachments": [
        {
            "ts": "1767500000.000100",
            "author_id": "U0BEN",
            "author_name": "Ben Okri",
            "author_subname": "Ben",
            "channel_id": "C0SHOP",
            "channel_team": "T0SANDBOX",
            "is_msg_unfurl": True,
            "is_share": True,
            "from_url": "https://sandbox.example/archives/C0SHOP/p1767500000000100",
            "fallback": "[January 4th, 2026 4:13 AM] ben: how often is a payment tried again?",
            "text": "how often is a payment tried again?",
            "message_blocks": [
                {
                    "team": "T0SANDBOX",
                    "channel": "C0SHOP",
                    "ts": "1767500000.000100",
                    "message": {
                        "blocks": [
                            {
                                "type": "rich_text",
                                "elements": [
                                    {
                                        "type": "rich_text_section",
                                        "elements": [{"type": "text", "text": "how often is a payment tried again?"}],
                                    }
                                ],
                            }
                        ]
                    },
                }
            ],
            "footer": "Posted in #shop",
            "id": 1,
        }
    ],
}
PREVIEW: Json = {
    "id": 1,
    "from_url": "https://docs.example/retries",
    "original_url": "https://docs.example/retries",
    "service_name": "docs.example",
    "title": "Retries",
    "text": "All about retries and backoff",
    "fallback": "docs.example: Retries",
}
SNIPPET: Json = {
    "id": "F1",
    "name": "orders.log",
    "title": "What I see",
    "mimetype": "text/plain",
    "filetype": "text",
    "pretty_type": "Plain Text",
    "mode": "snippet",
    "size": 9_000,
    "lines": 120,
    "lines_more": 115,
    "preview": "RETRY_LIMIT reached\nKeyError: 'order' <main>",
    "preview_highlight": "<div>RETRY_LIMIT reached</div>",
    "preview_is_truncated": True,
    "url_private": "https://files.example/F1",
}
SCREENSHOT: Json = {
    "id": "F2",
    "name": "screenshot.png",
    "title": "screenshot.png",
    "mimetype": "image/png",
    "filetype": "png",
    "pretty_type": "PNG",
    "mode": "hosted",
    "alt_txt": "The checkout says payment failed",
    "url_private": "https://files.example/F2",
}
EMAIL: Json = {
    "id": "F3",
    "name": "Refund_missing",
    "title": "Refund missing",
    "subject": "Refund missing",
    "filetype": "email",
    "pretty_type": "Email",
    "mode": "email",
    "plain_text": "The refund of order 17 did not come.",
}
