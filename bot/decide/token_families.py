"""Families of tokens, known by their form: mostly a prefix that its maker chose so that leaks can be found.

Read by `decide/redact`. The forms are those that the makers document and secret scanners agree on. A form without a
prefix (a bare hex or UUID key, a password in a sentence) is no family: it would hit commit ids and ordinary code.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """One form. Where the re2 pattern has a group, only that part is secret."""

    name: str
    pattern: str


def _prefixed(prefix: str, rest: str) -> str:
    """A token that no letter or digit stands right before."""
    return rf"\b(?:{prefix}){rest}"


_WORD = r"[A-Za-z0-9_-]"
_ALNUM = r"[A-Za-z0-9]"
_ANY_KEY = r"[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"

FAMILIES = (
    # The body may stand behind the signs of a diff or the numbers of lines; without an end, what looks like it goes.
    Family(
        "a private key",
        rf"-----BEGIN {_ANY_KEY}(?:[A-Za-z0-9+/=\s\\\"',:.>|()-]*?-----END {_ANY_KEY}|(?:[A-Za-z0-9+/=\s\\]|\n-)*)",
    ),
    Family("an age key", _prefixed("AGE-SECRET-KEY-1", "[A-Z0-9]{20,}")),
    Family("a Slack token", _prefixed("xox[abceoprs]-|xoxe\\.xox[bp]-|xapp-|xwfp-", f"{_ALNUM}[A-Za-z0-9-]{{7,}}")),
    Family("a Slack webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})"),
    Family("an Anthropic key", _prefixed("sk-ant-", f"{_WORD}{{16,}}")),
    Family("an OpenAI key", _prefixed("sk-(?:proj-|svcacct-|admin-|or-v1-)", f"{_WORD}{{20,}}")),
    Family("an OpenAI key of the old form", _prefixed("sk-", f"{_ALNUM}{{20}}T3BlbkFJ{_ALNUM}{{20}}")),
    Family("a GitHub token", _prefixed("gh[pousr]_", f"{_ALNUM}{{30,}}")),
    Family("a GitHub fine-grained token", _prefixed("github_pat_", r"\w{36,}")),
    Family("a GitLab token", _prefixed("gl(?:pat|dt|ptt|rt|cbt|ft|imt|agent|soat|oas)-", f"{_WORD}{{20,}}")),
    Family("an AWS key id", _prefixed("AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9]", r"[A-Z0-9]{16}\b")),
    Family(
        "an AWS secret key",
        r"(?i)aws.{0,20}?(?:secret|key).{0,20}?[=:]\s*[\"']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)",
    ),
    Family("an AWS Bedrock key", _prefixed("ABSK", r"[A-Za-z0-9+/]{100,}={0,2}")),
    Family("a Google API key", _prefixed("AIza", f"{_WORD}{{35}}")),
    Family("a Google OAuth secret", _prefixed("GOCSPX-", f"{_WORD}{{20,}}")),
    Family("a Google access token", _prefixed(r"ya29\.", f"{_WORD}{{20,}}")),
    Family("an Azure storage key", r"AccountKey=([A-Za-z0-9+/]{60,}={0,2})"),
    Family("a shared access signature", r"(?i)(?:SharedAccessKey=|[?&]sig=)([A-Za-z0-9%+/]{30,}={0,2})"),
    Family("a Stripe key", _prefixed("(?:sk|rk)_(?:live|test)_|whsec_", f"{_ALNUM}{{16,}}")),
    Family("a Square token", _prefixed("sq0(?:atp|csp|idp)-", f"{_WORD}{{22,}}")),
    Family("a Twilio key", _prefixed("SK", r"[0-9a-f]{32}\b")),
    Family("a SendGrid key", _prefixed(r"SG\.", rf"{_WORD}{{16,}}\.{_WORD}{{16,}}")),
    Family("a Mailchimp key", r"\b[0-9a-f]{32}-us[0-9]{1,2}\b"),
    Family("a Mailgun key", _prefixed("key-", r"[0-9a-f]{32}\b")),
    Family("an npm token", _prefixed("npm_", f"{_ALNUM}{{36}}")),
    Family("an npm registry token", r"_(?:authToken|auth|password)\s*=\s*([A-Za-z0-9+/=_-]{16,})"),
    Family("a PyPI token", _prefixed("pypi-AgE", f"{_WORD}{{40,}}")),
    Family("a Hugging Face token", _prefixed("hf_|api_org_", f"{_ALNUM}{{30,}}")),
    Family("a Docker token", _prefixed("dckr_(?:pat|oat)_", f"{_WORD}{{20,}}")),
    Family("a DigitalOcean token", _prefixed("do[opr]_v1_", "[0-9a-f]{64}")),
    Family("a Grafana token", _prefixed("glsa_|glc_", "[A-Za-z0-9+/=_-]{32,}")),
    Family("a Sentry token", _prefixed("sntry[sua]_", "[A-Za-z0-9+/=_-]{32,}")),
    Family("a Honeycomb key", _prefixed("hc[a-z](?:ik|lk|mk)_", f"{_ALNUM}{{26,}}")),
    Family("a Datadog key", _prefixed("ddap[pi]_", f"{_ALNUM}{{30,}}")),
    Family("a New Relic key", _prefixed("NRAK-|NRJS-|NRII-", f"{_WORD}{{19,}}")),
    Family("a HashiCorp Vault token", _prefixed(r"hv[sbr]\.", f"{_WORD}{{24,}}")),
    Family("a Terraform token", rf"\b{_ALNUM}{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{60,}}"),
    Family("a Databricks token", _prefixed("dapi", r"[0-9a-f]{32}(?:-\d)?\b")),
    Family("a Shopify token", _prefixed("shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]{32}")),
    Family("a Linear key", _prefixed("lin_(?:api|oauth)_", f"{_ALNUM}{{32,}}")),
    Family("a Notion token", _prefixed("ntn_", f"{_ALNUM}{{40,}}")),
    Family("an Atlassian token", _prefixed("ATATT3|ATCTT3", "[A-Za-z0-9+/=_-]{60,}")),
    Family("an Artifactory token", _prefixed("AKC[a-zA-Z0-9]", f"{_ALNUM}{{60,}}")),
    Family("a PlanetScale token", _prefixed("pscale_(?:tkn|pw|oauth)_", f"{_WORD}{{32,}}")),
    Family("a Supabase token", _prefixed("sbp_|sb_secret_", f"{_WORD}{{20,}}")),
    Family("a Doppler token", _prefixed(r"dp\.(?:pt|st|ct|sa|scim|audit)\.", "[A-Za-z0-9._-]{40,}")),
    Family("a Telegram bot token", rf"\b[0-9]{{8,10}}:AA{_WORD}{{33}}"),
    Family("a Discord bot token", rf"\b[MNO][A-Za-z0-9_-]{{23,25}}\.{_WORD}{{6}}\.{_WORD}{{27,}}"),
    Family("a JSON web token", rf"\beyJ{_WORD}{{8,}}\.eyJ{_WORD}{{8,}}(?:\.{_WORD}*)?"),
    Family(
        "an authorization header",
        r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{16,})",
    ),
    Family("a bearer token", r"\b[Bb]earer\s+([A-Za-z0-9_-]*[0-9][A-Za-z0-9._~+/=-]{19,})"),
    Family(
        "a password in an address",
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s:/@\"'<>]*:([^\s/@\"'<>${}*%]{3,}|[^\s/@\"'<>${}*]{8,})@",
    ),
)
"""In the order in which they are taken out; a private key first, since others could stand inside one."""

PLACEHOLDERS = frozenset(
    {"password", "passwd", "pass", "secret", "changeme", "example", "user", "username", "postgres", "root", "admin"}
    | {"xxx", "xxxx", "xxxxx", "xxxxxx", "xxxxxxxx", "...", "your_password", "your-password", "[redacted]", "[redacted"}
)
"""What documents write where a password would stand."""
