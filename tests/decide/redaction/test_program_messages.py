"""Common passwords in the messages of programs, and code that stays readable."""

from __future__ import annotations

import pytest

from bot.decide.redaction.redactor import REDACTED, Redactor

WORD = "hunter" + "2abc"
WEAK = "letmein" + "123"

MESSAGES = [
    f"mysqladmin: connect failed password={WEAK}",
    f"[err] password={WORD}",
    f"psql: DB_PASSWORD={WEAK} is wrong",
    f"error: password: {WORD}",
    f"run with --password {WORD}",
    f"2026-11-24 10:02:11 WARN retry login passwd={WORD} in 5s",
    f"redis-cli: no access with requirepass={WORD}",
    f"Verbindung fehlgeschlagen kennwort={WORD}",
    f"erreur: mot_de_passe={WORD}",
    f"export DB_PASSWORD={WEAK}",
    f"password={WORD}",
]
CODE = [
    "user = login(name, password=form.password)",
    "def sign_in(password: string)",
    "password: string",
    "retry --password prompt",
    "    password=args.password2,",
    "return password == password2",
    "connect(host, password=password1)",
    "const password = input1",
    "if password: password2 = password",
    "error: password: required",
    "error: password: must have 8 characters",
    "set password=user_password2 in the form",
    "invalid password=form.password2 of the user",
]


@pytest.mark.parametrize("text", MESSAGES)
def test_a_common_password_in_a_message_is_hidden(text: str) -> None:
    """Wherever it is in the line, in several languages."""
    redacted = Redactor().redact(text)
    assert REDACTED in redacted
    assert WORD not in redacted
    assert WEAK not in redacted


@pytest.mark.parametrize("text", CODE)
def test_code_stays_readable(text: str) -> None:
    """Names, types and sentences are no passwords."""
    assert Redactor().redact(text) == text
