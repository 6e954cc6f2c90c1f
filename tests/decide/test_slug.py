"""The slug of a task: a name for people, whatever they write in."""

from __future__ import annotations

import re

from bot.decide.redaction.redactor import Redactor
from bot.decide.slug import LONGEST, slug
from tests.tables import each_row

THREAD = "T0SANDBOX-C0HELP-1708353000.678900"  # 2024-02-19, 14:30 UTC
FORM = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*)-0219-1430-[a-z2-7]{6}")


def words(text: str) -> str:
    """The part that the text decides."""
    found = FORM.fullmatch(slug(text, THREAD))
    assert found, slug(text, THREAD)
    return found[1]


@each_row(
    ("text", "expected"),
    [
        ("portal: fix the flyout", "portal-fix-flyout"),
        ("How often is a PAYMENT retried?", "often-payment-retried"),
        ("Wie groß ist das Übertragungslimit?", "wie-gross-ist-das-ubertragungslimit"),
        ("почему падает сборка щита?", "pochemu-padaet-sborka-shchita"),
        ("γιατί αποτυγχάνει η πληρωμή", "giati-apotygchanei-pliromi"),
        ("¿cuántos reintentos hace el señor robot?", "cuantos-reintentos-hace-el-senor-robot"),
        ("支付失败后重试几次", "question"),
        ("支付 retry_limit は", "retry-limit"),
        ("كم مرة تعاد المحاولة", "question"),
        ("🔥🔥🔥", "question"),
        ("", "question"),
        ("why is it?", "why-is-it"),
        ("`RETRY_LIMIT = 3` in shop/orders.py", "retry-limit-3-shop-orders-py"),
        ("```\nTraceback: KeyError\n```", "traceback-keyerror"),
        ("@U0TRIAGE @W0ANA builds fail", "builds-fail"),
        ("@updates builds fail", "updates-builds-fail"),
        ("<@U0BOT> see https://example.com/a/b?c=d builds", "builds"),
        ("link (https://shop.example.com/orders/1) why is the basket slow?", "basket-slow"),
        ("Link: (https://shop.example.com/a?b=c) fix the flyout", "fix-flyout"),
        ("see this link (https://shop.example.com/a), retries?", "retries"),
        ("the order page (https://shop.example.com/orders/1) is slow", "order-page-slow"),
        ("link: how often is a delivery retried?", "often-delivery-retried"),
        ("how do projects link?", "projects-link"),
        ("link?", "link"),
        ("link (https://github.com/acme/shop/blob/main/orders/retry.py) why?", "orders-retry-py"),
        ("https://grafana.example.com/d/aB3dE/checkout-errors?from=now#x", "checkout-errors"),
        ("https://shop.example.com/ and https://shop.example.com/debounce_ms", "debounce-ms"),
        ("https://acme.slack.com/archives/C0HELP/p1708353000678900 what does this mean?", "what-does-this-mean"),
        ("https://shop.example.com/[redacted]/4f3a9c77d0 is it?", "is-it"),
        ("https://shop.example.com", "question"),
        ("\uff46\uff55\uff4c\uff4c width", "full-width"),
        ("../../etc/passwd", "passwd"),
        ("x" * 100, "x" * LONGEST),
        ("deployment pipeline configuration rollback procedure", "deployment-pipeline-configuration"),
    ],
)
def test_a_slug_is_made_of_the_first_words_that_say_something(text: str, expected: str) -> None:
    """In lower case and Latin letters, at most forty characters, whole words where there are several."""
    assert words(text) == expected


def test_two_threads_never_share_a_slug() -> None:
    """The same words in the same minute: in another channel, or a moment later."""
    others = ("T0SANDBOX-C0GENERAL-1708353000.678900", "T0SANDBOX-C0HELP-1708353000.678901")
    assert len({slug("fix the flyout", thread) for thread in (THREAD, *others)}) == 3


def test_the_same_message_gives_the_same_slug() -> None:
    """So a document that is made anew finds its folder."""
    assert slug("fix the flyout", THREAD) == slug("fix the flyout", THREAD)


def test_what_was_redacted_leaves_no_word() -> None:
    """A slug is a file name, which no redactor sees any more."""
    token = "ghp_" + "a1B2" * 9
    assert words(Redactor().redact(f"{token} stopped working")) == "stopped-working"
