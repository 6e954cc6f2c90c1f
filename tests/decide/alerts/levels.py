"""Alerts marked by a level or a compound word, and their ends, with another amount in the title."""

from __future__ import annotations

PAIRS = [
    ("[CRITICAL] lag on db-8 is 45s", "✅ [RESOLVED] lag on db-8 is 2s"),
    ("❌ [ERROR] queue on mq-1 is 4000", "✅ [OK] queue on mq-1 is 3"),
    ("🔥 CRITICAL: memory 91% on web-1", "✅ OK: memory 40% on web-1"),
    ("⚠️ WARNING: memory 91% on web-1", "OK: memory 40% on web-1"),
    ("[WARN] heap above 900 MB", "[CLEARED] heap above 900 MB"),
    ("[KRITISCH] Platte bei 97 %", "[BEHOBEN] Platte bei 60 %"),
    ("[FEHLER] Lag 45s auf db-8", "[OK] Lag 2s auf db-8"),
    ("[CRÍTICO] latencia 900 ms en api", "[RESUELTO] latencia 80 ms en api"),
    ("【障害発生】注文APIの遅延", "【復旧】注文APIの遅延"),
    ("[障害発生] 注文API", "[復旧] 注文API"),
    ("【障害発生中】倉庫", "【障害復旧済み】倉庫"),
    ("【障害検知】倉庫", "【障害解消】倉庫"),
    ("【アラート発生】CPU", "【アラート解消】CPU"),
    ("【異常発生】CPU", "【正常復旧】CPU"),
    ("【障害発生のお知らせ】倉庫", "【復旧完了のお知らせ】倉庫"),
    ("【故障告警】数据库", "【故障恢复】数据库"),
    ("[告警触发] CPU", "[告警已恢复] CPU"),
    ("[异常告警] CPU", "[告警解除] CPU"),
    ("[장애발생] 주문", "[장애복구] 주문"),
    ("[장애 발생] 주문", "[복구 완료] 주문"),
    ("[경고알림] 주문", "[해제알림] 주문"),
    ("[Störungsmeldung] Lager", "[Entstörung] Lager"),
    ("[Störungsalarm] Lager", "[Störung behoben] Lager"),
    ("[Alarmmeldung] Lager", "[Alarm aufgehoben] Lager"),
    ("[Alert triggered] shop", "[Alert resolved] shop"),
]
OTHERS = [
    ("[CRITICAL] lag on db-8 is 45s", "[RESOLVED] lag on db-9 is 2s"),
    ("🔥 CRITICAL: memory 91% on web-1", "✅ OK: disk 40% on web-1"),
    ("Warning: memory 91% on web-1", "OK: memory 40% on web-1"),
]
NOTICES = [
    "【障害訓練】倉庫",
    "【復旧作業】倉庫",
    "[告警规则] CPU",
    "[장애훈련] 주문",
    "[Störungsdienst] Lager",
    "[Alarmanlage] Lager",
]
"""Compounds with another word: a drill, work, rules, a service."""
