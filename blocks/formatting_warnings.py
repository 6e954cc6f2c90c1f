"""Style warnings for a draft: labels in capitals, and openings such as "Sure!".

The card names them and nothing is rewritten: the approved text is posted as it is.
"""

from __future__ import annotations

import re

_OPENING = re.compile(
    r"\W*(?P<words>sure(?: thing)?|certainly|of course|absolutely|definitely|great|good question|excellent question"
    r"|(?:that's |what )?an? (?:great|good|excellent) question|great question|no problem|happy to help|glad to help"
    r"|i'd be happy to|i'm happy to|thank(?:s| you) for (?:asking|reaching out|your question)|hello|hi(?: there)?"
    r"|i hope this helps|as an ai\b[^.,\n]{0,30}|gerne|natürlich|selbstverständlich|bien sûr|por supuesto|claro)"
    r"(?=[!,.:\u2014-])",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^[ \t>#*_-]*(?P<words>[A-Z]{5,}|NOTE|TL;?DR|FIX|WHY|TIP|[A-Z]{2,}(?: (?:[A-Z]{2,}|&))+)[*_]*:", re.MULTILINE
)
_CODE = re.compile(r"^[ \t]*(`{3,}).*?(?:^[ \t]*\1|\Z)|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_MAX_LABELS = 3


def find_style_warnings(text: str) -> tuple[str, ...]:
    """Return a plain phrase for each style warning; code is ignored."""
    prose = _CODE.sub(lambda code: "\n" * code[0].count("\n"), text.replace("\u2019", "'"))
    opening = _OPENING.match(prose)
    labels = list(dict.fromkeys(match["words"] for match in _LABEL.finditer(prose)))
    warnings = [f"it opens with “{opening['words']}”"] if opening else []
    if labels:
        rest = f" and {len(labels) - _MAX_LABELS} more" if len(labels) > _MAX_LABELS else ""
        named = ", ".join(f"“{label[:40]}”" for label in labels[:_MAX_LABELS])
        warnings.append(f"label{'s' if len(labels) > 1 else ''} in capitals: {named}{rest}")
    return tuple(warnings)
