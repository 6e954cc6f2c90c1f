"""Word tables for search queries: stop words, weak words, optional words and synonyms.

Words are in their base form and stemmed at use. Each line can be changed without touching code.
"""

from __future__ import annotations


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP = _split_words("""
    a about above across actually after again against ago ah all almost already also although am an and another any
    anybody anyhow anyone anything anyway anywhere are around as asap at away back be because become becomes been
    before behind being below besides between beyond both but by bye came can cannot cant cheers come comes could
    couldnt cuz did didnt do does doesnt doing done dont down each either else elsewhere enough especially etc even
    ever every everybody everyone everything everywhere exactly far few first folks for from front further gave gets
    getting give given gives giving go goes going gone gonna good got great guess guys had happen happened happening
    happens has hasnt have havent having he hello help her here hers hey hi him his hmm how however i id idea ideas
    if ill im in inside instead into is isnt it its itself ive just kind kinda kindly knew know knows known last
    later lately least less let lets like likely little long look looked looking looks lot lots made mainly make
    makes making many may maybe me mean means meant meanwhile might mine more morning most mostly much must my myself
    near nearly need needed needs neither never next nice no nobody none nope nor not nothing now nowadays of off oh
    ok okay on once one only onto or other others otherwise ought our ours ourselves out over own particular per
    perhaps please pls plz possible possibly pretty probably quick quickly quite rather re really regarding right
    roughly said same saw say saying says see seeing seem seems seen several shall she should shouldnt show shows
    side simply since so some somebody somehow someone something sometimes somewhere soon sorry sort still stuff such
    sure take taken takes taking team tell tells than thank thanks that thats the their theirs them themselves then
    there therefore theres these they theyre thing things think this those though through thru thus till to today
    together told tomorrow too toward towards tried truly try trying turns twice two unless until up upon us usually
    various ve very via wanna want wanted wants was wasnt way ways we well went were werent weve what whatever whats
    when whenever where whereas wheres wherever whether which whichever while who whoever whole whom whos whose why
    will with within without wont wonder wondering would wouldnt yeah yep yes yesterday yet you your youre yours
    heya heyo huh hmmmm thx ty tnx ta whats thats dont arent isnt wasnt hasnt wouldnt shouldnt wich smth sth allthough
    hm hmmm mhm um umm uh uhh uhm erm ehm eh ugh oops btw fyi lol tja äh ähm öhm euh pues bueno naja hä anyways
    yourself ain hows whens whys three exact end ends ended say bit fine kinds sorts ones whatsoever somewhat
    ada adalah agar aku anda apa apakah bagaimana bisa buat dalam dan dapat dari dengan di dimana gimana ini itu
    jika juga kah kalau kami kamu kapan karena kata ke kenapa ketika kita lagi maka mana masih mau mengapa mereka
    mohon nya oleh pada punya saat saja sama saya seperti siapa sudah supaya tapi terjadi tersebut tidak tolong
    untuk yang berapa
""")
"""Stop words: English, with the question words of Indonesian."""

WEAK = _split_words("""
    actual bot call called calling case change changed check code codebase come config configure configured
    current decide decided decides define defined defines different do example explain feature file files
    find found function get give handle handled handles happen implement implementation implemented implements
    keep kept line live lives living logic make mechanism method module new part place point
    program project purpose put reason repo repository responsible return run set sets setting setup
    source specific spot start thing time turn use used uses using value values
    variable version want work working works write class default project name named names
""")
"""Weak words, which nearly every file contains or which only mean "the place where": searched for, but weak
evidence."""

DECLARING = _split_words("""
    declare declared declares declaration define defined defines definition set assigned assign initialise initialised
    initialize initialized specified specify introduced deklariert definiert gesetzt festgelegt déclaré déclarée défini
    définie declarado declarada definido definida dideklarasikan didefinisikan
""")
"""Words that ask for the place of a name; next to one they are not evidence."""

CALLING = _split_words("""
    call calls called caller callers invoke invokes invoked invoking use uses used referenced instantiated function
    functions method methods code place places ruft aufgerufen aufrufer verwendet benutzt llama invoca usa appelle
    appelé appelée utilisé utilisée chama chiama
""")
"""Words that ask for the calls of the name next to them."""

WRITING = _split_words("""
    doc docs document documented documents documentation guide guides howto handbook instructions manual page pages
    runbook tutorial tutorials write writeup written
""")
"""Words that ask for a document."""

EVERYDAY = _split_words("""
    able accept accidentally act active actively add added adjust age agree alive allow allowed alone amount anymore
    appear appears apply ask asked asking automatic automatically avoid aware backward bad basically bear beginning
    behave behaviour behavior best better big bigger biggest block bottom brand break breaks bring broken brought
    build built bunch business busy buy calculate calculated care careful carry catch cause caused certain chance
    choose chooses chosen clean clear clever close closed cold combine common compare complain complains complete
    completely complicated compute computed confused connect consider contain contains contrary convert converted
    copy correct correctly cost count cover create created cut daily damn date day days deal dealt dear decision deep
    deliver depend depends describe described detail details detect determine determined die dies difference
    directly discover discuss displayed document documented drop dropped dry during early easily easy effect
    empty encounter ensure enter entire entirely equal escape eventually everytime everyday evil exist exists expect
    expected extra face fact fail failed fails fair fall falls fast feel fetch figure fill final finally finish
    finished finishes fit fix fixed follow followed follows force forever forget forgets form forward free fresh
    friend full fully fun general generally generate generated glad gracefully grab grow grows guarantee half hand
    hang hanging hangs happy hard hear held hide high higher hit hits hold holds hour hours huge human hurt ignore
    ignored immediately important improve include included including increase indeed individual inform initial
    initially insist interested internally introduce involved issue jump keeps kick kill kills knowledge large larger
    last late latest lead leave leaves left lies life limited list lists load loaded local locate located longer lose
    loses loss lost love low lower magic main manage managed manually match matter maximum meaning measure meet mention
    mentioned middle mind minimum minute minutes miss missing mistake mode moment move moved moves multiple named
    natural nature necessary nested newest noise normal normally notice noticed obvious occur occurs odd official old
    older open opened opens operate opposite ordinary original originally outcome overall overly page paid pair
    part passed passes pause people perfect perform person pick picked picks piece places plain plan play pleased
    plenty point points practice precisely prefer prepare present prevent prevents previous previously print prints
    prior problem produce proper properly protect prove provide provided pull push quick quiet random range rare
    reach reached reaches read reading reads real realise realize reason receive received recent recently recommend
    record refer refuse refused refuses regular reject rejected related rely remain remember reminder remove removed
    repeat replace report represent require required reset resolve respect respond rest result results returned
    returns round rule rules running runs safe safely save saved scratch second seconds secondly select
    send sends sense sent separate serious serve share shared short shorter shown sign similar simple simplest
    single sit sits situation size skip skipped skips slow slowly small smaller smart sold solve special spend spent
    split stand standard stands started starting starts stay stays step steps stick stop stopped stopping stops
    straight strange strip stripped strips struggle stuck submit submitted suddenly suggest suit supply support
    supported suppose supposed surprised survive switch switched talk talking tear temporary tend term
    throw thrown throws thrice tidy times tiny together topic total touch track translate treat treated trick trigger
    triggered triggers trouble true turned turning typical typically unable understand unexpected unique unlike unused
    update updated upper urgent useful usual valid wait waiting waits wake walk warn wasted watch weird wise wish word
    words worked worker worry worth wrap wrapped wrong year years young zero forgetting remembering
    state store stored type process system object number control smile funny nicely automagically underlying behave
    worse worst chew stone overlook overlooked smth vanish vanishes vanished monday tuesday wednesday thursday friday
    saturday sunday weekend colleague colleagues sister brother teach teaches taught neighbour neighbours hammer
    hammering hiccup hiccups harmless throwaway dribble dribbling pumped demands furthest longest knob fake laptop
    sits swallow swallowed swallows spit spits complaining shouts yells moan unhappy sudden suddenly mysteriously
""")
"""Everyday words: a code base that lacks one may still answer; one that lacks any other word likely cannot."""

SYNONYMS = tuple(
    tuple(group.split())
    for group in (
        "default fallback initial",
        "timeout deadline expire overtime",
        "retry attempt backoff",
        "delete remove purge drop unlink discard prune clear evict forget erase wipe",
        "error exception failure fail",
        "config configuration setting option preference parameter conf",
        "limit max maximum cap quota threshold ceiling",
        "min minimum least floor",
        "interval period frequency cadence every",
        "delay sleep pause wait debounce backoff",
        "random jitter noise",
        "piece chunk part fragment segment",
        "short min",
        "long max",
        "lifetime age ttl expiry expire",
        "keep retain retention ttl",
        "seconds duration secs",
        "login auth authenticate authentication signin credential",
        "authorize authorization permission allow grant access",
        "password passwd secret credential",
        "create make build construct generate new factory",
        "start begin launch boot startup init spawn",
        "stop shutdown terminate halt quit abort kill exit",
        "close shutdown dispose release",
        "send post publish emit deliver dispatch push",
        "receive consume listen subscribe accept",
        "read load fetch parse",
        "write save store persist dump",
        "check validate verify assert ensure",
        "find search lookup locate discover resolve",
        "list enumerate index",
        "change update modify mutate edit",
        "replace substitute swap override",
        "convert transform translate cast",
        "encode serialize dump marshal pickle",
        "decode deserialize parse unmarshal",
        "encrypt cipher crypto",
        "compress gzip deflate zip",
        "cache memoize memo",
        "queue backlog buffer pending",
        "lock mutex semaphore exclusive",
        "parallel concurrent concurrency simultaneous async",
        "thread worker executor",
        "job task work",
        "schedule cron periodic timer",
        "message event notification",
        "notify alert notification",
        "email mail smtp",
        "user account member",
        "database db sql",
        "table schema",
        "folder directory dir",
        "path location file",
        "temporary temp tmp",
        "environment env environ",
        "variable var",
        "argument arg param parameter",
        "command cli cmd",
        "version release",
        "dependency requirement",
        "duplicate dedup dedupe duplicates unique",
        "ignore skip exclude drop suppress",
        "filter exclude select",
        "forbid deny refuse reject block disallow",
        "allow permit accept whitelist allowlist",
        "enable activate",
        "disable deactivate",
        "hide mask redact conceal",
        "show display render print",
        "count number total size",
        "size length len",
        "big large huge",
        "order sort priority rank",
        "choose select pick decide",
        "compare equal match diff",
        "merge combine join concat",
        "split chunk partition batch",
        "copy clone duplicate",
        "url uri link href endpoint",
        "host hostname domain server",
        "address addr",
        "connection conn connect socket",
        "request req",
        "response resp reply answer",
        "header headers",
        "body payload content",
        "certificate cert ssl tls",
        "signature sign hmac digest",
        "hash digest checksum fingerprint",
        "token key credential",
        "id identifier uuid",
        "log logging logger",
        "metric statistic stats counter",
        "monitor health heartbeat watch alive ping",
        "crash die died dead",
        "recover restore resume",
        "reconnect connection retry",
        "wrap decorate decorator wrapper",
        "hook callback handler listener signal",
        "middleware interceptor hook",
        "plugin extension addon",
        "test spec",
        "guess detect infer chardet",
        "charset encoding codec",
        "repeat loop recur",
        "empty blank none null",
        "memory ram",
        "throttle rate limit",
        "redirect location follow",
        "proxy proxies",
        "upload multipart",
        "screen terminal console tty",
        "progress percent bar",
        "undo revert rollback",
        "old stale outdated expired obsolete",
        "fast quick speed performance",
        "text string str",
        "number int integer",
        "escape quote sanitize",
        "permission role acl scope",
        "cost price spend money budget usd dollar",
        "mute quiet silence silent",
        "upgrade update",
        "person people user",
        "history past earlier",
        "assign reassign delegate",
        "picture image img",
        "window frame period",
        "hang timeout stall",
        "slow delay latency throttle",
        "domain host hostname",
        "unpack decompress extract",
        "machine host node server",
        "twice duplicate double",
        "customer user client",
        "clock time timezone utc",
        "batch bundle group",
        "refuse reject deny",
        "register registry",
    )
)
"""Synonyms in code: a match counts, but less than the asker's own word."""

JOINED = _split_words("""
    timeout logout login signin signup setup shutdown startup backoff fallback cleanup lookup rollback callback
    cutoff popup backup checkout checkin logon rollout layout failover turnover takeover breakdown playback feedback
    loopback plugin handoff kickoff wakeup
""")
"""Words that people write separately and code writes as one."""

POINTING = frozenset({
    "that", "this", "it", "das", "dies", "es", "\u00e7a", "cela", "eso", "esto", "isso", "isto", "itu", "ini", "quello",
    "questo", "\u0627\u06cc\u0646", "\u0627\u0648\u0646", "\u044d\u0442\u043e", "dat", "dit",
})  # fmt: skip
"""Words that refer to an earlier message."""
