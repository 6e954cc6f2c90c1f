"""Questions about the current state of a system or who is working on it, which code and documents cannot answer.
Pure."""

from __future__ import annotations

import re

_BAD = (
    r"(?:down|up|back|broken|slow|stuck|failing|flaky|degraded|unavailable|unreachable|offline|online|healthy"
    r"|hanging|lagging|delayed|late|crashing|timing out|not (?:working|responding)|overloaded|fixed|live|dead|50\d)"
)
_NOW = (
    r"(?:right now|at the moment|currently|today|tonight|this (?:morning|afternoon|evening|week)|at present"
    r"|(?<!what )(?<!how )(?<!and )now"
    r"|yesterday|last (?:night|week)|just now|ongoing)"
)
_ELSE = r"(?:any(?:one|body)|some(?:one|body)|every(?:one|body)|others?|all of us|you(?: guys| too)?)"
_UNTIL = r"[^.?!\n]{1,60}"
_NOT_ASKED = r"(?<!will )(?<!can )(?<!could )(?<!would )(?<!may )(?<!must )"
_DONE = (
    r"(?:deploy(?:ed)?|roll(?:ed)? out|releas(?:e|ed)|merged|finish(?:ed)?|complete(?:d)?|shipped|run|restarted"
    r"|succeed(?:ed)?|fail(?:ed)?)"
)
_EVENT = r"(?:release|deploy(?:ment)?|maintenance|freeze|outage|migration|switch|fixed|back|last \w+|next \w+)"
LONGEST = 1_000
"""Number of leading characters that are read: people ask about the current state at the start."""
_LIVE = re.compile(
    "|".join(
        (
            rf"{_NOT_ASKED}\b{_ELSE}\W+(?:else\W+)?(?:also\W+)?(?:is\W+|are\W+)?"
            r"(?:seeing|having|getting|experiencing|noticing|hitting|facing)\b",
            rf"\b(?:is|are|was|were|isn't|aren't)\b{_UNTIL}\b{_BAD}\b[^.?!\n]{{0,40}}\b(?:for|with|to)\W+{_ELSE}\b",
            rf"\b(?:is|are|was|were)\b{_UNTIL}\b{_BAD}\b[^.?!\n]{{0,30}}\b{_NOW}\b",
            rf"\b(?:is|are)\W+(?:the\W+|our\W+)?(?:\w+\W+){{1,3}}{_BAD}\W*(?:again|yet|{_NOW})?\W*$",
            r"\b(?:is|are) (?:there|we having|we seeing) (?:an? |any )?(?:known |ongoing |current )*"
            r"(?:outage|incident|problem|issue)s?\b",
            r"\b(?:what|who)(?:'s| is| was)\b[^.?!\n]{0,30}\bon[- ]?call\b",
            rf"\bwho(?:'s| is| was)\b{_UNTIL}\b{_NOW}\b",
            rf"\b(?:has|have|did|was|were|is)\b{_UNTIL}\b{_DONE}\b\W*(?:yet|already|{_NOW})\W*$",
            rf"\b(?:has|have|did)\b{_UNTIL}\b{_DONE}\W*$",
            rf"\bwhen (?:is|was|will|do we|are we)\b{_UNTIL}\b{_EVENT}\b",
            rf"\bwhere (?:do|can) (?:i|we) see\b[^.?!\n]{{0,40}}\b{_NOW}\b",
            r"\b(?:can|could) (?:some(?:one|body)|you|anyone) (?:please )?"
            r"(?:restart|reboot|redeploy|roll ?back|unlock|approve|merge|kill)\b",
            r"\b(?:noch jemand|sonst (?:noch )?jemand|bei (?:euch|jemandem) auch)\b",
            rf"\b(?:ist|sind)\b{_UNTIL}\b(?:gerade|down|kaputt|nicht erreichbar|ausgefallen|wieder da)\b",
            r"\bwer hat (?:heute|gerade) (?:dienst|bereitschaft)\b",
            r"\b(?:alguien|alg[uú]n otro) m[aá]s\b|\bmais algu[eé]m\b|\bquelqu'un d'autre\b",
            rf"\best[aá]n?\b{_UNTIL}\b(?:ca[ií]d[oa]s?|fallando|lent[oa]s?|fora do ar|caiu)\b",
            rf"\b(?:est|sont)(?:-il|-elle)?\b{_UNTIL}\b(?:en panne|tomb[eé]e?s?|hors service)\b",
            r"(?:今|現在).{0,20}(?:落ちて|遅い|止まって|つながらない|障害)|他にも.{0,20}(?:人|方)",
        )
    ),
    re.IGNORECASE,
)


def asks_live_state(question: str) -> bool:
    """Return whether a question needs a live source."""
    return bool(_LIVE.search(question[:LONGEST]))
