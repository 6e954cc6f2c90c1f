"""Words of people who send a draft back: patterns and lists for `decide/bounce/correction`."""

from __future__ import annotations


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ANSWERS = "An operator answers the open questions: "
"""Prefix of the answers to a draft's open questions, as feedback of the next round."""

_TESTED = (
    r"(?:is|are|it['\u2019]?s|that['\u2019]?s) (?:only |just )?(?:an? |the )?"
    r"(?:tests?|mocks?|fixtures?|examples?|changelog)"
)
NEGATIVE = (
    rf"\b(?:{_TESTED}|wrong|not|isn['\u2019]?t|aren['\u2019]?t|doesn['\u2019]?t|don['\u2019]?t|won['\u2019]?t|none"
    r"|neither|incorrect|irrelevant|unrelated|drop|remove|without|ignore|skip|nothing to do|nonsense|bad|outdated"
    r"|obsolete|deprecated|false|misleading|off[ -]topic|useless|leave out|instead of|rather than|no good"
    r"|noise|rubbish|junk|raus|ohne|sans|sin|sem|hors sujet|themafremd"
    r"|falsch\w*|nicht|kein\w*|veraltet|weglassen|statt|faux|fausse|pas|mauvais\w*|au lieu de"
    r"|incorrect[oa]|equivocad[oa]|mal|errad[oa]|não|en vez de|em vez de|no (?:es|está|son|sirven?|quiero|quiere)"
    r"|salah|keliru|bukan(?:nya)?|jangan|tidak (?:benar|tepat|mau|perlu)|نیست|نه|اشتباه|غلط|نادرست|نمی.?خواه\w+)\b"
    r"|^\s*no\b|\b(?:no|nope|nein|non|não)\W*$|間違|違[うい]|誤り|(?:では|じゃ)な[いく]|不要"
)
"""Words that call a place wrong."""

OMITS = (
    r"(?:n['\u2019]t|\bnot|\bnever)\s+(?:\w+\s+)?(?:been\s+)?(?:cited?|mention(?:ed|s)?|quoted?|shown?"
    r"|included?|considered?|listed"
    r"|covered?)\b"
    r"|\bnão (?:cit|mencion|mostr|olh|viu)\w*|\bno (?:cit|mencion|muestr|mir[aó]|vi[os])\w*"
    r"|\b(?:pas|nicht) (?:cité|mentionné|montré|regardé|genannt|zitiert|gezeigt|erwähnt|angesehen)\w*"
    r"|\b(?:tidak|belum) (?:di)?(?:sebut|kutip|lihat|tampilkan)\w*"
    r"|\b(?:did|has|have)(?:n['\u2019]t| not) (?:look|read|open|check|see|use)\w*\b"
    r"|\b(?:forg[eo]t\w*|miss(?:es|ed)|overlook\w*|leaves? out|left out|lacks|fehlt|vergessen|olvid\w+|esquec\w+|lupa"
    r"|manque|falta|oublié)\b|抜け|足りな"
)
"""Words that say that the draft lacks a place."""
WANTS_NOT = (
    r"(?:n['\u2019]?t|\bnot) (?:want|need|mean|ask|care)\w*"
    r"|\bno (?:quier|quer|necesit|pid|busc)\w+"
    r"|\bnão (?:quer|precis|ped)\w*"
    r"|\b(?:will|möchte|brauch\w*|such\w*|mein\w*)\s+(?:\w+\s+)?(?:kein\w*|nicht)\b|\bne (?:veu\w*"
    r"|voul\w*|cherche\w*) pas\b"
    r"|\b(?:nobody|no one|nadie|ningu[eé]m|niemand|personne|tidak ada yang|هیچ.?کس)\b|誰も"
    r"|\btidak (?:mau|ingin|perlu|butuh)\b|نمی.?خوا\w+|いらな|不要|(?:では|じゃ)な[いく]"
)
"""Words that say that the things beside them are unwanted."""
DO_NOT = r"^\W*(?:please\s+)?(?:don['\u2019]?t|do not|never)\b"
"""Beginning of an order that refuses its object."""

REFUSED = (
    r"\bnothing to do with\b|\b(?:irrelevant\w{0,2}|unrelated|off[ -]topic|noise|rubbish|junk|hors sujet|themafremd)\b"
    r"|\b(?:is|are)(?: not|n['\u2019]t) (?:about|relevant)\b"
    r"|\bhat nichts\b.{0,80}\bzu tun\b|\brien à voir\b|\bnada que ver\b|\bnada a ver\b"
)
"""Words that call something irrelevant."""
KINDS = {
    "examples": (
        r"\b(?:examples?|samples?|demos?|beispiele?|exemples?|ejemplos?|exemplos?|contoh|نمونه|مثال)\b|サンプル",
        r"(?:^|/)_?(?:examples?|samples?|demos?)/|(?:^|[/._-])(?:examples?|samples?)(?:\.\w+)?$"
        r"|(?:^|[/._-])(?:examples?|samples?)[._-][^/]{0,60}\.(?:ya?ml|toml|json|ini|conf|cfg|config|properties|env|xml|php)"
        r"(?:\.\w+)?$|\.dist$",
    ),
    "tests": (
        r"\b(?:(?:unit )?tests?(?: files?)?|testdatei|testes?|pruebas?|pengujian|تست)\b|テスト",
        r"(?:^|/)(?:tests?|spec|__tests__)/|(?:^|/)test_|[_.](?:test|spec)\.\w+$",
    ),
    "documents": (
        r"\b(?:docs?|documentation|readme|doku\w*|documentaci[oó]n|documentação|dokumentasi|مستندات)\b|ドキュメント|文書",
        r"\.(?:mdx?|rst|txt|adoc)$|(?:^|/)docs?/",
    ),
    "settings": (
        r"\b(?:config(?:uration)?|settings?) files?\b|\bthe (?:config(?:uration)?|toml|ya?ml|ini|env)\b"
        r"|\bkonfig(?:uration)?sdatei\b|\b(?:fichier|archivo|arquivo) de config\w*"
        r"|\b(?:file|berkas) konfigurasi\b|設定ファイル|فایل (?:تنظیمات|پیکربندی)",
        r"\.(?:toml|ya?ml|ini|cfg|cnf|conf|properties)$|(?:^|/)\.env|(?:^|/)(?:config|settings)[^/]*\.json$",
    ),
    "code": (
        r"\b(?:source )?code\b|\bquellcode\b|\bc[oó]digo\b|\bkode\b|\bکد\b|コード",
        r"\.(?:py|pyx|js|jsx|mjs|cjs|ts|tsx|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|php|swift|scala|ex|exs|sh)$",
    ),
}
"""Kinds of files: their names, and their paths."""

SUBJECT = (
    r"^\W*+(?:(?:the|all|these|those|this|any|die|der|das|les?|la|las|los|os?|as?|el|il)\s{1,9})?(?P<thing>.{2,60}?)"
    r"\s+(?:is|are|was|were|has|have|ist|sind|hat|haben|est|sont|es|son|tiene|é|são|tem)\b"
)
"""Subject of a clause."""
PARTS = _split_words("stuff part parts bit bits thing things side zeug teil teile partie parte cosas coisas")
"""Words for a part of the draft, beside the word that specifies it."""

STYLE = (
    r"\b(?:too (?:long|short|much)|shorter|briefer|simpler|politer|zu lang|kürzer|trop long|plus court|más corto"
    r"|mais curto|demasiado largo|longo demais|terlalu panjang|lebih pendek|کوتاه.?تر|طولانی)\b|長すぎ|短く"
)
"""Words about the style of a draft, not about its places."""
KEEP = (
    r"\b(?:right|correct|keep|good|fine|ok(?:ay)?|useful|helpful|fits|stays?|richtig|stimmt|passt|gut|behalten"
    r"|bon(?:ne)?|juste|garde[rz]?|correct[oa]|bien|cert[oa]|bom|boa|benar|tepat|درست)\b|正しい|合って"
)
"""Words that call a place right."""

POSITIVE = (
    rf"{KEEP}|\b(?:see|look(?: (?:in|at|into))|check|use|try|should be|it['\u2019]?s in|it is in|lives? in|stands? in"
    r"|belongs? in|more of|better|siehe|schau\w*|steht in|voir|regarde\w*|ver|mira|veja|olha|lihat|cek|ببین\w*)\b"
    r"|見て|参照"
)
"""Words that ask to look at a place."""

ONLY = r"\b(?:only|just|nur|seulement|sólo|solo|só|apenas|hanya|cuma|فقط)\b|だけ|のみ"
KEEPING = r"\b(?:keep|leave|behalt\w*|lass\w*|garde[rz]?|deja|mantén|mantenga|mantenha|deixe|biarkan|نگه)\b|残"
"""Words that ask for a draft without anything else: *keep only the first*."""
OTHERS = (
    r"\b(?:(?:the )?others?|(?:the )?rest|everything else|die anderen|der rest|les autres|los (?:otros|demás)"
    r"|as outras|os outros)\b"
)
ALL = r"^\W*(?:they['\u2019]re |they are |these are )?(?:all|none|neither|alle|tous|toutes|todos|todas)\b"

_PLACE_WORDS = (
    r"one|ones|place|places|reference|references|refs?|file|files|passage|quote|result|link|hit|match|citation|snippet"
    r"|source|stelle|datei|quelle|treffer|référence|fichier|endroit|referencia|archivo|lugar|arquivo|referência"
    r"|tempat|berkas|referensi|(?:line|zeile|ligne|línea|linha|baris|خط)(?!\s+(?:of|in|from|von|de|du|da|do|از)\b)"
)
ORDINALS = (
    (0, r"first|1st|erste[rns]?|premi(?:er|[eè]re)|primer[oa]?|primeir[oa]|pertama|(?:خط )?اول|اولی"),
    (1, r"second|2nd|zweite[rns]?|deuxi[eè]me|second[oe]?|segund[oa]|kedua|(?:خط )?دوم|دومی"),
    (2, r"third|3rd|dritte[rns]?|troisi[eè]me|tercer[oa]?|terceir[oa]|ketiga|(?:خط )?سوم|سومی"),
    (3, r"fourth|4th|vierte[rns]?|quatri[eè]me|cuart[oa]|quart[oa]|keempat|(?:خط )?چهارم"),
    (-1, r"last|letzte[rns]?|derni(?:er|[eè]re)|[uú]ltim[oa]|terakhir|(?:خط )?آخر|آخری"),
)
"""Places in the draft by ordinal number, from 0; -1 is the last one."""
ORDINALS_UNSPACED = (
    (0, r"最初|[一1]つ目|[一1]番目|第[一1]"),
    (1, r"[二2]つ目|[二2]番目|第[二2]"),
    (2, r"[三3]つ目|[三3]番目|第[三3]"),
    (-1, r"最後"),
)
"""The same in a script without spaces."""
AFTER_ORDINAL = (
    rf"\s*(?:$|[,.;:!?)]|(?:{_PLACE_WORDS})\b|(?:is|isn['\u2019]?t|are|aren['\u2019]?t|was|and|or|but|has|does"
    rf"|doesn['\u2019]?t"
    r"|ist|sind|und|est|et|es|está|y|é|e|só|no|não|nicht|n'est|looks|seems|should|can|fits"
    r"|itu|salah|dan|bukan|است|غلط|اشتباه|درست|نیست|و)\b)"
)
"""Text after an ordinal number that names a place; not *the second attempt*."""
NUMBERED = rf"(?:#\s?|\b(?:number|no\.?|nr\.?|{_PLACE_WORDS})\s+)([1-9])\b(?![\w.:/-])"
NAMED_ONE = rf"\s+(?:{_PLACE_WORDS}|module|class|function)\b"
"""Words that make the bare name of a file a place: *the watcher one*."""

_VERBS = (
    r"wants?|wanted|means?|meant|needs?|needed|asks?|asked|asking|looks? for|looking for|looked for|would like"
    r"|talks? about|talking about|interested in|cares? about|expects?|expected|trying to|tries to|said|says|refers? to"
    r"|referring to|wonders?|wondering|knows?|is after|after|möchte|will|wollte|meint|meinte|fragt|fragte|braucht|sucht"
    r"|veut|voulait|demande|cherche|quiere|quería|pregunta|busca|quer|queria|perguntou|se refiere a|quiso decir"
    r"|parle de|ingin|mau|bertanya|maksud(?:nya)?|میخواهد|می‌خواهد"
)
_SAYS = (
    r"wants|wanted|means|meant|asks|asked|is asking|was asking|is after|would like|said|says|möchte|meint|meinte|fragt"
    r"|veut|demande|quiere|pregunta|quer"
)
_WHO = (
    r"she|he|they|we|i|you|it|asker|(?:the|our|this) (?:asker|user|customer|person|colleague|team|reporter|member)"
    r"|somebody|someone|people|everybody|er|sie|man|elle|il|on|ella|él|ele|ela|dia|او"
)
_AUXILIARY = (
    r"(?:(?:['\u2019](?:s|re|d|m)|is|are|was|were|had|has|have|only|just|really|probably|clearly|actually"
    r"|still|also|did)"
    r"\s+)*"
)
_TO = r"(?:\s+(?:to (?:know|see|have|hear|ask|find out)|that|about|for|after|with))*"
ASKER = (
    rf"(?i:\b(?:{_WHO})\b)\s*{_AUXILIARY}(?i:{_VERBS})\b{_TO}"
    rf"|\b(?:[A-Z][a-zà-öø-ÿ]+\s+){{1,2}}{_AUXILIARY}(?:{_SAYS})\b{_TO}"
)
"""Statement about a person: a name or pronoun, and that they want, mean or ask."""

VALUE = (
    r"\b(?:defaults?|values?|numbers?|amounts?|constants?|figures?|how (?:many|much|long|big|large|often|high|far|soon)"
    r"|(?:what|which) (?:one )?is (?:it|that|the|set)|exact(?:ly)?|concrete|in (?:bytes|seconds|numbers)"
    r"|(?:the|its) (?:interval|timeout|delay|duration|period|size|length|count|threshold|port|address|setting|ttl|rate)"
    r"|limits?|maximum|minimum|bytes|seconds|minutes|set to|standard(?:wert)?|vorgabe(?:wert)?|werte?|zahl"
    r"|wie (?:viele?|lange|gro(?:ß|ss)|oft)|valeurs?|d[eé]faut|combien|valor(?:es)?|defecto|predeterminad[oa]|padr[aã]o"
    r"|cu[aá]nt[oa]s?|quant[oa]s?|nilai|angka|jumlah|bawaan|berapa|عدد|chiffres?|(?:le|un) nombre|número|numero)\b"
    r"|既定|デフォルト|の値|数字|数値|いくつ|何(?:秒|分|個|回|件|バイト)|مقدار|پیش.?فرض|默认|默認"
)
DEFINITION = (
    r"\b(?:definitions?|enum\w*|options|choices|allowed|possible|lists?|all (?:the )?(?:values|members|states|fields)"
    r"|dict(?:ionary)?|mapping|table|fields|members|signature|struct|schema|(?:whole|full|entire|complete) \w+"
    r"|definiert|aufzählung|liste|définition|definici[oó]n|definição)\b|定義"
)

NUMBER = (
    r"\b(?:numbers?|amounts?|figures?|how (?:many|much|long|big|large|often|high|far|soon)|limits?|maximum|minimum"
    r"|bytes|seconds|minutes|zahl|wie (?:viele?|lange|gro(?:ß|ss)|oft)|combien|cu[aá]nt[oa]s?|quant[oa]s?"
    r"|angka|jumlah|berapa|عدد|چند|chiffres?|(?:le|un) nombre|número|numero)\b"
    r"|数字|数値|いくつ|何(?:秒|分|個|回|件|バイト)"
)

VALUE_WORDS = _split_words("""
    default defaults value values number numbers amount constant constants figure bytes
    seconds minutes definition definitions enum options choices allowed possible list lists dict dictionary mapping
    table fields members signature struct schema whole full entire complete first standard standardwert vorgabe wert
    zahl valeur défaut valor defecto predeterminado padrão compares compare
    valeurs valores predeterminada chiffre chiffres nombre número numero nilai angka jumlah bawaan berapa عدد مقدار
    پیش‌فرض پیشفرض combien cuánto cuántos cuántas quanto quantos quantas
""")
"""Words that ask for a value or a definition, and are not places to look at."""

META = _split_words("""
    show shows shown showing give gives tell tells quote quotes quoted cite cites cited include includes included
    mention mentions print paste say says provide spell write state display please answer answers answered reply
    draft reference references ref refs evidence place places passage passages snippet citation line lines
    incomplete wrong missing lacks lacking absent actual actually itself exact exactly concrete asker question asked
    asks need needs want wants wanted mean means meant see look check try use better instead rather correct right
    keep good fine more of only also too here there it its that this those these one ones the and but she he they
    her his their set bitte zeige zeig falsch falsche falschen falscher falsches falschem stelle richtig fehlt
    der die das montre manque muestra falta mostre
    too long longer short shorter brief briefer zu lang kurz kürzer trop court demasiado largo
    forgot forgotten forgets missed misses overlooked lies lives stands vergessen oublié olvidaste olvidó esqueceu falta
    citou citado mencionado you did belongs first second third last both siehe schau
    correcto correcta incorrecto incorrecta equivocado equivocada errado errada lugar sitio endroit place mauvais
    mauvaise bonne faux fausse vrai juste certo certa bom boa respuesta resposta réponse antwort pregunta pergunta
    segundo segunda primero primera primeiro primeira último última premier première deuxième dernier dernière línea
    linha ligne zeile baris erste zweite dritte letzte richtig referencia referência référence incompleto incompleta
    zeigen zeigt geben gib donne donner montrer mostrar dar dame mira veja olha voir regarde busca cherche sucht
    salah benar keliru tepat jawaban pertanyaan pertama kedua ketiga terakhir lihat tunjukkan kurang lengkap
    maksudnya غلط اشتباه درست نادرست خط اول دوم سوم آخر جواب پاسخ سوال سؤال جا جای ببین ناقص کامل بده ندارد
""")
"""Words about the draft, in plain lower case."""

META_UNSPACED = (
    r"数字|数値|回答|答え|返信|箇所|場所|最初|最後|行目|間違\w?|違[うい]|足りな[いく]|質問|参照|引用|不足|必要|全部|全体|表示|説明|正解|正しい"
    r"|結果|既定値?|不要|誤り|欲しい|本当|下書き|短く|長すぎ|[一二三1-9](?:つ目|番目)"
)
"""The same in Japanese."""
