"""Expected minutes of questions: which take a longer run before they start, in every language of the classifier."""

from __future__ import annotations

from bot.decide.escalation import EscalationPolicy, choose_before_start
from bot.decide.rubric import choose_rubric
from tests.tables import each_row

POLICY = EscalationPolicy(enabled=True, may_start=frozenset({2, 3}))
PROJECTS = ("shop", "billing", "search-index", "api", "web")

LONG = [
    "Can you go through the logs of the last two weeks and say how often the payment timed out?",
    "What do the logs say about 502s over the past month?",
    "Look at the access logs since March: which clients still call v1?",
    "Check 10 days of logs for OOM kills please",
    "The logs of the last few days: how many timeouts?",
    "Regarde les logs des 10 derniers jours",
    "What is the root cause of the intermittent 502s, and the commit that introduced it? Check every place",
    "investigate in detail how an order moves from cart to invoice",
    "10일 동안의 로그를 확인해 주세요",
    "过去 10 天的日志里有多少超时?",
    "10日間のログを確認してください",
    "Everywhere we read it, and what is the difference between the two of them? Which commit made it so?",
    "这两个类的区别是什么? 从哪个版本开始的? 请整理成表",
    "Which of all our repositories still pin requests 2.x?",
    "Does the retry policy differ across our services?",
    "Is the timeout the same in both repos?",
    "How does shop hand an order over to billing?",
    "Do we need a deep dive into why the queue grows? Please investigate thoroughly.",
    "Please do an in-depth analysis of the locking",
    "Find every place where we read the flag, and since when each of them exists",
    "What is the root cause of the flaky upload test, and which commit introduced it?",
    "Where do all callers of charge() live, which commit added them, and what differs? Write a report please",
    "What does A do? And B? And C? And D? And E? And F? And G? And H?",
    "Kannst du die Logs der letzten drei Wochen nach Timeouts durchsuchen?",
    "Seit wann gibt es das und wo sind alle Stellen, die es benutzen? Bitte gründlich.",
    "Unterscheidet sich das in mehreren Repositories?",
    "¿Puedes revisar los registros de las últimas dos semanas?",
    "Necesito un análisis detallado del bloqueo, por favor",
    "¿Se usa en todos nuestros servicios?",
    "Peux-tu regarder les journaux du mois dernier ?",
    "Il faudrait une analyse complète du verrouillage",
    "Est-ce pareil dans tous nos dépôts ?",
    "Você pode olhar os logs das últimas duas semanas?",
    "Preciso de uma análise detalhada do bloqueio",
    "É igual em todos os serviços?",
    "Tolong periksa log selama dua minggu terakhir",
    "Tolong telusuri secara mendalam kenapa antreannya penuh",
    "Apakah sama di semua layanan?",
    "لطفا لاگ های دو هفته گذشته را بررسی کن",
    "لطفا یک بررسی کامل از قفل ها انجام بده",
    "آیا در همه سرویس ها یکسان است؟",
    "지난달 로그를 확인해 주세요",
    "왜 큐가 커지는지 자세히 조사해 주세요",
    "모든 저장소에서 같은가요?",
    "過去2週間のログを確認してください",
    "ロックの挙動を徹底的に調べてください",
    "すべてのリポジトリで同じですか?",
    "请查看过去三个月的日志",
    "请深入分析一下锁的问题",
    "所有仓库里都一样吗?",
]
SHORT = [
    "Where is the retry limit set?",
    "Is the login page down right now?",
    "I cannot log in since last week, who can help?",
    "How do I log out of the admin page after two weeks?",
    "How long do we keep logs? Is it 30 days?",
    "Do we rotate logs every week?",
    "Where do I find the logs?",
    "The logs of today show a timeout, what is it?",
    "Where are all callers of charge()?",
    "No need for a deep dive: where is the flag read?",
    "What does `deep dive` mean in config.yml?",
    "> please do a thorough analysis\nwhat does this line do?",
    "```\ngo through all repositories, in depth\n```\nwhat does this script do?",
    "How does the web api start?",
    "How do I run shop?",
    "Which commit is deployed?",
    "What is the difference between GET and HEAD here?",
    "When was v2 introduced?",
    "Why does the upload fail sporadically?",
    "thanks!",
    "wie komme ich an die Logs von gestern",
    "Nos logs de la nuit sont muets jusqu'à midi",
    "We need a higher limit of Datadog custom metrics for an org",
    "explain in detail how the cache works",
    "What do the logs of 1 day cost?",
    "What do the logs of one day show?",
    "不需要深入分析,限制在哪里?",
    "この変更に徹底的な調査は不要です。制限はどこですか?",
    "shop billing: where is the limit?",
    "",
    "Wo steht das Limit?",
    "Wie lange werden Logs aufbewahrt, 30 Tage?",
    "¿Dónde está el límite?",
    "¿Cuánto tiempo se guardan los logs, dos semanas?",
    "Où est la limite ?",
    "Sans analyse complète : où est la limite ?",
    "Onde fica o limite?",
    "Di mana batasnya?",
    "حد مجاز کجاست؟",
    "제한은 어디에 있나요?",
    "로그는 30일 동안 보관되나요?",
    "制限はどこにありますか?",
    "ログは2週間保存されますか?",
    "限制在哪里设置?",
    "日志保留三个月吗?",
]


def choose(question: str) -> str | None:
    """The reason for a longer run before the start of a question."""
    choice = choose_before_start(question, choose_rubric(question).question_type, PROJECTS, POLICY)
    return choice.reason if choice else None


@each_row("question", LONG)
def test_a_long_question_begins_with_a_longer_run(question: str) -> None:
    """With a reason that names its words."""
    assert choose(question)


@each_row("question", SHORT)
def test_a_short_question_begins_in_the_bot(question: str) -> None:
    """Ordinary questions, negated signals, code and quotes."""
    assert choose(question) is None
