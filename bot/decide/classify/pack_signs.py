"""Patterns of tier 0 that are the same in every language, and the pack key of each word feature.

Program output, emoji by mood, hours and amounts are re2 patterns on lower-case text.
"""

TRACE = (
    r"traceback \(most recent|(?:^|\n)\s+at [a-z0-9_$.<>]+\(|(?:^|\n)\s*file \"[^\"]+\", line \d+"
    r"|(?:^|\n)\s*(?:caused by|[a-z0-9_.]+(?:error|exception)): "
    r"|(?:^|\n)\S*\s*\[?(?:error|warn|warning|info|debug|fatal)\]?[: ]"
    r"|\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d|[{};]\s*(?:$|\n)|(?:^|\n)[$#] "
)
FAILURE = (
    r"(?:^|\n)[^\n]{0,60}\b[a-z0-9_.]*(?:error|exception|panic|fatal)(?:\[[^\]\n]*\]|\([^)\n]*\))?: *\S"
    r"|traceback \(most recent|segmentation fault|core dumped|npm err!|(?:^|\n)\W*firing\b"
    r"|unhandled (?:promise )?(?:exception|rejection)"
    r"|(?:^|\n)caused by: |uncaught (?:[a-z]*error|exception)|exit(?:ed)?(?: with)?(?: code| status) [1-9]"
)
"""Lines that report a failure, from any source."""
LOGGED = (
    r"\b[a-z0-9_.]+(?:error|exception)\b|\b(?:warn|warning|error|err|fatal|panic|critical|emerg|crit)\b[: \]!]"
    r"|\b(?:crashloopbackoff|oomkilled|imagepullbackoff|segfault|sigsegv|sigkill|enospc|eacces|econn[a-z]+|etimedout"
    r"|enoent|eperm|err_[a-z_]+|ssl_[a-z_]+|x509|errno|e[a-z]*404|core dumped|stack ?trace|traceback)\b"
    r"|\b(?:http|status|code|error|got an?|gett?(?:ing|s)? an?|returns?|returning|gives|response)[ :=]*[45]\d\d\b"
    r"|\b[45]\d\ds\b"
    r"|\bexit(?:ed)?(?: with)?(?: code| status)? \d"
    r"|permission denied|access denied|connection (?:refused|reset|timed out|closed)|no such (?:file|host"
    r"|table|module)"
    r"|not found|timed out|took \d+ ?m?s\b|could not (?:resolve|connect|find)|unable to|failed to"
    r"|cannot (?:find|connect|open|read|import)"
    r"|command not found|out of memory|no space left|unexpected token|is not defined|undefined"
    r"|null pointer|unknown (?:host|authority|command)"
    r"|too many (?:connections|requests|open files)|rate limit|prematurely closed|\bretry(?:ing)?\b"
    r"|giving up|\d{4}-\d\d-\d\d[t ]\d\d:\d\d"
)
"""Program output about errors, in any language of the message."""
_LINE_END = r"(?:[,;.:]+ (?:please|contact|try|see|check|bitte|veuillez|por favor)\b[^?!\n]*)?[.!\s\"')]*$"
ERROR_LINE = (
    r"^[^?!,\n]*\S (?:(?:is|are|was) (?:invalid|malformed|not (?:valid|supported|authori[sz]ed))"
    r"|(?:is|are) already (?:in use|taken)"
    r"|already exists?|does(?: not|n't) exist|not (?:found|recogni[sz]ed|supported|permitted)"
    r"|(?:est |sont )?(?:introuvables?|invalides?|expir\x{e9}e?s?)|existe d\x{e9}j\x{e0}"
    r"|non (?:reconnue?|valide|valid[oa]|trovat[oa]|riconosciut[oa])|esiste gi\x{e0}"
    r"|existiert (?:bereits|nicht)|(?:ist )?(?:ung\x{fc}ltig|abgelaufen)|nicht (?:gefunden|erkannt|zul\x{e4}ssig)"
    r"|ya existe|no existe|no (?:encontrad|reconocid|v\x{e1}lid)[oa]|(?:es |\x{e9} )?inv\x{e1}lid[oa]"
    r"|j\x{e1} existe|n\x{e3}o (?:existe|encontrad[oa]|reconhecid[oa])"
    r"|tidak (?:valid|ditemukan|dikenali)|sudah ada"
    rf"){_LINE_END}"
    r"|^\W*(?:invalid|malformed|unsupported|unrecogni[sz]ed|(?:provided|supplied|specified) invalid) [^?!,.\n]+$"
    r"|^\W*(?:provided|supplied|specified|requested) [^?!,\n]+ (?:is|are) (?:invalid|malformed|missing)\W*$"
    r"|^\W*must (?:specify|provide|supply|contain|include|define|not be|be (?:a|an|one|at|set|unique|greater|less)) "
    r"[^?!,\n]+$"
    r"|^\W*(?:you are|you're|user is) not (?:authori[sz]ed|allowed|permitted) to [^?!,\n]+$"
    r"|^\W*ung\x{fc}ltige[nrs]? [^?!,\n]+$|^\W*(?:zugriff verweigert|acc\x{e8}s refus\x{e9}|acceso denegado)\W*$"
    r"|^\W*vous n'\x{ea}tes pas autoris\x{e9}e? [^?!,\n]+$|^\W*sie sind nicht berechtigt[^?!\n]+$"
)
"""Error line of a program, and nothing else."""
MERRY = (
    r"[\x{1f32d}-\x{1f37f}\x{1f380}-\x{1f3c6}\x{1f3d3}\x{1f3d6}\x{1f3d4}\x{1f3b3}\x{1f400}-\x{1f43f}\x{1f44f}\x{1f451"
    r"}"
    r"\x{1f483}\x{1f48c}-\x{1f4a0}\x{1f4e3}\x{1f525}\x{1f57a}\x{1f600}-\x{1f604}\x{1f606}-\x{1f60e}\x{1f61c}\x{1f61d}"
    r"\x{1f680}\x{1f6b4}\x{1f6eb}-\x{1f6f4}\x{1f917}\x{1f920}\x{1f923}\x{1f929}\x{1f930}-\x{1f93e}\x{1f942}-\x{1f94f}\x{1f950}-\x{1f96f"
    r"}"
    r"\x{1f970}\x{1f973}\x{1f980}-\x{1f9cb}\x{1fa70}-\x{1faff}\x{2600}-\x{2604}\x{2615}\x{263a}\x{2728}\x{2744}\x{2764}"
    r"]"
)
WORRIED = (
    r"[\x{1f605}\x{1f610}-\x{1f616}\x{1f61e}-\x{1f635}\x{1f614}\x{1f62c}\x{1f643}\x{1f644}\x{1f648}\x{1f64f}\x{1f914}"
    r"\x{1f926}\x{1f937}\x{1f62d}\x{1f621}\x{1f198}\x{1f6a8}\x{26a0}\x{1f97a}]"
)
HOUR = r"\b\d{1,2}(?:[:h]\d\d| ?[ap]m\b| ?uhr\b)|\d(?:\x{6642}|\x{70b9}|\x{c2dc})"
AMOUNT = r"\b\d[\d.,]* ?(?:%|k|m?s|sec|secs|seconds|min|mins|minutes|h|hours|days|[kmgt]b|rows|times|x)\b|\d%"
LASTING = (
    r"(?:\b(?:for|since|over|past|last|seit|depuis|desde|hace|h\x{e1}|faz|selama|sejak)\b(?: [^\s.,!?]+){0,3}"
    r" (?:min|mins|minutes?|minuten|hours?|hrs?|stunden?|days?|tagen?|weeks?|wochen?|heures?|jours?|semaines?|horas?"
    r"|d\x{ed}as?|dias?|minutos?|semanas?|jam|hari|menit|minggu)\b)"
    r"|\d ?(?:\x{6642}\x{9593}|\x{5206}\x{9593}"
    r"|\x{5c0f}\x{65f6}|\x{5206}\x{949f}|\x{5929}\x{4e86}|\x{c2dc}\x{ac04}|\x{bd84}\x{c9f8})"
)
"""Duration of a state: a lasting state is a report, or a closed room."""

ANYWHERE = {
    "thanks": "thanks",
    "promise": "promises",
    "resolved": "resolved",
    "advice": "advice",
    "asks_back": "asks_back",
    "tentative": "tentative",
    "contrast": "contrasts",
    "announcement": "announcements",
    "poll": "polls",
    "rhetorical": "rhetorical",
    "symptom": "symptoms",
    "joke": "jokes",
    "invitation": "invitations",
    "news": "news",
    "own_status": "statuses",
    "social": "social",
    "duty": "duties",
    "praise": "praise",
    "thing": "things",
    "ahead": "ahead",
    "trouble": "troubles",
    "need": "needs",
    "closed": "closed",
    "appeal": "appeals",
    "off_duty": "off_duty",
    "request_word": "requested",
    "first_person": "i",
    "second_person": "you",
    "wish": "wishes",
    "failing": "failures",
}
"""Pack key of each feature whose words count anywhere in a text."""
