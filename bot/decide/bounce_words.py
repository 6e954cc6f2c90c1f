"""Words of people who send a draft back: patterns and lists for `decide/bounce`."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ANSWERS = "An operator answers the open questions: "
"""How the answers to a draft's open questions begin, as feedback of the next round."""

_TESTED = (
    r"(?:is|are|it['\u2019]?s|that['\u2019]?s) (?:only |just )?(?:an? |the )?"
    r"(?:tests?|mocks?|fixtures?|examples?|changelog)"
)
NEGATIVE = (
    rf"\b(?:{_TESTED}|wrong|not|isn['\u2019]?t|aren['\u2019]?t|doesn['\u2019]?t|don['\u2019]?t|won['\u2019]?t|none"
    r"|neither|incorrect|irrelevant|unrelated|drop|remove|without|ignore|skip|nothing to do|nonsense|bad|outdated"
    r"|obsolete|deprecated|false|misleading|off topic|useless|leave out|instead of|rather than|no good"
    r"|falsch\w*|nicht|kein\w*|veraltet|weglassen|statt|faux|fausse|pas|mauvais\w*|au lieu de"
    r"|incorrect[oa]|equivocad[oa]|mal|errad[oa]|não|en vez de|em vez de)\b"
    r"|^\s*no\b|間違|違う|اشتباه|غلط"
)
"""What calls a place wrong."""

REFUSED = (
    r"\bnothing to do with\b|\b(?:irrelevant|unrelated|off topic)\b"
    r"|\b(?:is|are)(?: not|n['\u2019]t) (?:about|relevant)\b"
    r"|\bhat nichts\b.*\bzu tun\b|\brien à voir\b|\bnada que ver\b|\bnada a ver\b"
)
"""What says that the words beside it are not what is asked about."""
KINDS = {
    "examples": (
        r"\b(?:examples?|samples?|demos?|beispiele?|exemples?|ejemplos?|exemplos?)\b",
        r"(?:^|/)_?(?:examples?|samples?|demos?)/",
    ),
    "tests": (
        r"\b(?:(?:unit )?tests?(?: files?)?|testdatei)\b",
        r"(?:^|/)(?:tests?|spec|__tests__)/|(?:^|/)test_|[_.](?:test|spec)\.\w+$",
    ),
    "documents": (r"\b(?:docs?|documentation|readme|doku\w*)\b", r"\.(?:md|rst|txt|adoc)$|(?:^|/)docs?/"),
    "settings": (
        r"\b(?:config(?:uration)?|settings?) files?\b|\bthe (?:config(?:uration)?|toml|ya?ml|ini|env)\b"
        r"|\bkonfig(?:uration)?sdatei\b|\b(?:fichier|archivo|arquivo) de config\w*",
        r"\.(?:toml|ya?ml|ini|cfg|cnf|conf|properties)$|(?:^|/)\.env|(?:^|/)(?:config|settings)[^/]*\.json$",
    ),
    "code": (
        r"\b(?:source )?code\b|\bquellcode\b|\bc[oó]digo\b",
        r"\.(?:py|pyx|js|jsx|mjs|cjs|ts|tsx|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|php|swift|scala|ex|exs|sh)$",
    ),
}
"""Kinds of files: how people name them, and their paths."""

MANNER = (
    r"\b(?:too (?:long|short|much)|shorter|briefer|simpler|politer|zu lang|kürzer|trop long|plus court|más corto"
    r"|mais curto)\b"
)
"""What speaks of how a draft is written, not of its places."""
KEEP = (
    r"\b(?:right|correct|keep|good|fine|ok(?:ay)?|useful|helpful|fits|stays?|richtig|stimmt|passt|gut|behalten"
    r"|bon(?:ne)?|juste|garde[rz]?|correct[oa]|bien|cert[oa]|bom|boa|正しい)\b"
)
"""What calls a place right."""

POSITIVE = (
    rf"{KEEP}|\b(?:see|look(?: (?:in|at|into))|check|use|try|should be|it['\u2019]?s in|it is in|lives? in|stands? in"
    r"|belongs? in|more of|better|siehe|schau\w*|steht in|voir|regarde\w*|ver|mira|veja|olha)\b"
)
"""What says that a place is to be looked at."""

ONLY = r"\b(?:only|just|nur|seulement|sólo|solo|só|apenas)\b"
OTHERS = (
    r"\b(?:(?:the )?others?|(?:the )?rest|everything else|die anderen|der rest|les autres|los (?:otros|demás)"
    r"|as outras|os outros)\b"
)
ALL = r"^\W*(?:they['\u2019]re |they are |these are )?(?:all|none|neither|alle|tous|toutes|todos|todas)\b"

_NOUNS = (
    r"one|ones|place|places|reference|references|refs?|file|files|passage|quote|result|link|hit|match|citation|snippet"
    r"|source|stelle|datei|quelle|treffer|référence|fichier|endroit|referencia|archivo|lugar|arquivo|referência"
)
ORDINALS = (
    (0, r"first|1st|erste[rns]?|premi(?:er|[eè]re)|primer[oa]?|primeir[oa]"),
    (1, r"second|2nd|zweite[rns]?|deuxi[eè]me|second[oe]?|segund[oa]"),
    (2, r"third|3rd|dritte[rns]?|troisi[eè]me|tercer[oa]?|terceir[oa]"),
    (3, r"fourth|4th|vierte[rns]?|quatri[eè]me|cuart[oa]|quart[oa]"),
    (-1, r"last|letzte[rns]?|derni(?:er|[eè]re)|[uú]ltim[oa]"),
)
"""Places in the draft by their number, from 0; -1 is the last one."""
NOUN_AFTER = (
    rf"\s*(?:$|[,.;:!?)]|(?:{_NOUNS})\b|(?:is|isn['\u2019]?t|are|aren['\u2019]?t|was|and|or|but|has|does|doesn['\u2019]?t"
    r"|ist|sind|und|est|et|es|está|y|é|e|só|no|não|nicht|n'est|looks|seems|should|can|fits)\b)"
)
"""What follows an ordinal that names a place, not a thing of the project (*the second attempt*)."""
NUMBERED = rf"(?:#\s?|\b(?:number|no\.?|nr\.?|{_NOUNS})\s+)([1-9])\b(?![\w.:/-])"
NAMED_ONE = rf"\s+(?:{_NOUNS}|module|class|function)\b"
"""What makes the bare name of a file a place: *the watcher one*."""

_VERBS = (
    r"wants?|wanted|means?|meant|needs?|needed|asks?|asked|asking|looks? for|looking for|looked for|would like"
    r"|talks? about|talking about|interested in|cares? about|expects?|expected|trying to|tries to|said|says|refers? to"
    r"|referring to|wonders?|wondering|knows?|is after|after|möchte|will|wollte|meint|meinte|fragt|fragte|braucht|sucht"
    r"|veut|voulait|demande|cherche|quiere|quería|pregunta|busca|quer|queria|perguntou"
)
_SAYS = (
    r"wants|wanted|means|meant|asks|asked|is asking|was asking|is after|would like|said|says|möchte|meint|meinte|fragt"
    r"|veut|demande|quiere|pregunta|quer"
)
_WHO = (
    r"she|he|they|we|i|you|it|asker|(?:the|our|this) (?:asker|user|customer|person|colleague|team|reporter|member)"
    r"|somebody|someone|people|everybody|er|sie|man|elle|il|on|ella|él|ele|ela"
)
_AUXILIARY = (
    r"(?:(?:['\u2019](?:s|re|d|m)|is|are|was|were|had|has|have|only|just|really|probably|clearly|actually|still|also|did)"
    r"\s+)*"
)
_TO = r"(?:\s+(?:to (?:know|see|have|hear|ask|find out)|that|about|for|after|with))*"
ASKER = (
    rf"(?i:\b(?:{_WHO})\b)\s*{_AUXILIARY}(?i:{_VERBS})\b{_TO}"
    rf"|\b(?:[A-Z][a-zà-öø-ÿ]+\s+){{1,2}}{_AUXILIARY}(?:{_SAYS})\b{_TO}"
)
"""What is said of a person: who it is, and that they want, mean or ask."""

VALUE = (
    r"\b(?:defaults?|values?|numbers?|amounts?|constants?|figures?|how (?:many|much|long|big|large|often|high|far|soon)"
    r"|(?:what|which) (?:one )?is (?:it|that|the|set)|exact(?:ly)?|concrete|in (?:bytes|seconds|numbers)"
    r"|(?:the|its) (?:interval|timeout|delay|duration|period|size|length|count|threshold|port|address|setting|ttl|rate)"
    r"|limits?|maximum|minimum|bytes|seconds|minutes|set to|standard(?:wert)?|vorgabe(?:wert)?|werte?|zahl"
    r"|wie (?:viele?|lange|gro(?:ß|ss)|oft)|valeurs?|d[eé]faut|combien|valor(?:es)?|defecto|predeterminad[oa]|padr[aã]o"
    r"|cu[aá]nt[oa]s?|quant[oa]s?)\b|既定|デフォルト|の値|مقدار|پیش.?فرض|默认|默認"
)
DEFINITION = (
    r"\b(?:definitions?|enum\w*|options|choices|allowed|possible|lists?|all (?:the )?(?:values|members|states|fields)"
    r"|dict(?:ionary)?|mapping|table|fields|members|signature|struct|schema|(?:whole|full|entire|complete) \w+"
    r"|definiert|aufzählung|liste|définition|definici[oó]n|definição)\b|定義"
)

NUMBER = (
    r"\b(?:numbers?|amounts?|figures?|how (?:many|much|long|big|large|often|high|far|soon)|limits?|maximum|minimum"
    r"|bytes|seconds|minutes|zahl|wie (?:viele?|lange|gro(?:ß|ss)|oft)|combien|cu[aá]nt[oa]s?|quant[oa]s?)\b"
)

VALUE_WORDS = _words("""
    default defaults value values number numbers amount constant constants figure bytes
    seconds minutes definition definitions enum options choices allowed possible list lists dict dictionary mapping
    table fields members signature struct schema whole full entire complete first standard standardwert vorgabe wert
    zahl valeur défaut valor defecto predeterminado padrão compares compare
""")
"""Words that ask for a value or a definition: what is to be shown, not where to look."""

META = _words("""
    show shows shown showing give gives tell tells quote quotes quoted cite cites cited include includes included
    mention mentions print paste say says provide spell write state display please answer answers answered reply
    draft reference references ref refs evidence place places passage passages snippet citation line lines
    incomplete wrong missing lacks lacking absent actual actually itself exact exactly concrete asker question asked
    asks need needs want wants wanted mean means meant see look check try use better instead rather correct right
    keep good fine more of only also too here there it its that this those these one ones the and but she he they
    her his their set bitte zeige zeig falsch stelle richtig fehlt der die das montre manque muestra falta mostre
    too long longer short shorter brief briefer zu lang kurz kürzer trop court demasiado largo
""")
"""Words that speak of the draft, in plain lower case."""
