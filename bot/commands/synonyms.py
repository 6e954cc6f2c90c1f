"""Synonyms of the words in commands' names, in several languages: meanings that letters do not show.

A synonym leads to words of names, in the singular, and never to a command: the catalogue says which commands have
those words. Words with a space between them count together, in a name that has both; `|` separates alternatives.
"""

from __future__ import annotations

from types import MappingProxyType

_SYNONYMS_BY_WORDS = {
    # verbs
    "get|read|list": "show view display see print cat open inspect describe fetch look zeig zeige zeigen anzeigen "
    "ansehen montrer afficher voir mostrar ver mostra tampilkan lihat",
    "list": "ls all every liste auflisten lister listar lista daftar",
    "read": "lesen lies lire leer ler baca",
    "create": "new add make register neu anlegen erstelle erstellen hinzufügen créer ajouter nouveau crear añadir "
    "nuevo criar novo buat tambah",
    "delete": "remove rm del drop destroy erase purge löschen lösche entfernen supprimer effacer eliminar borrar "
    "apagar excluir hapus",
    "edit": "change update modify rename alter ändern ändere bearbeiten modifier cambiar editar alterar ubah",
    "set": "assign link connect bind setze setzen",
    "write": "save store schreiben schreib écrire escribir escrever tulis",
    "append": "extend anhängen ergänzen",
    "restore note": "undo revert rollback undelete wiederherstellen rückgängig annuler deshacer desfazer",
    "search file": "grep rg ag find lookup locate suche suchen finde rechercher chercher buscar procurar cari",
    "stop": "halt quit kill abort terminate shutdown stopp stoppen anhalten beenden arrêter detener parar berhenti",
    "fire hook": "trigger auslösen déclencher disparar picu",
    "stop task": "cancel interrupt abbrechen cancelar batal",
    "pause": "hold suspend freeze pausieren suspendre pausar jeda",
    "resume": "continue unpause unfreeze unsuspend proceed weiter fortsetzen reprendre continuer continuar reanudar "
    "retomar lanjut lanjutkan",
    "restart task": "rerun retry redo again relaunch neustart wiederholen relancer redémarrer reiniciar reintentar "
    "ulang",
    "restart daemon": "reboot reload neustarten",
    "run command": "execute exec invoke ausführen exécuter ejecutar executar jalankan",
    "approve task": "lgtm",
    "approve": "accept confirm genehmigen freigeben approuver aprobar aprovar setujui",
    "skip": "bypass überspringen saltar pular lewati",
    "mute": "silence ignore shush hush quiet snooze stumm stummschalten muet silenciar bisukan",
    "unmute": "unsilence unsnooze",
    "allow": "topup",
    "mode": "preview practice live silent modus",
    # nouns
    "task": "job ticket issue work todo aufgabe auftrag tâche tarea tarefa tugas",
    "project": "repo repository codebase app projekt projet proyecto projeto proyek",
    "channel": "room kanal canal salon saluran",
    "note": "memo wiki notiz nota catatan",
    "file": "source path datei fichier archivo arquivo berkas",
    "hook": "trigger cron cronjob schedule automation recurring webhook zeitplan automatisch déclencheur disparador "
    "gatilho jadwal",
    "pr": "pull request mr pullrequest mergerequest",
    "agent": "worker slot runner who process ps arbeiter",
    "agent|session": "run running lauf läufe exécution ejecución",
    "token usage": "usage cost spend spending spent money dollar price bill billing expense consumption quota budget "
    "kosten verbrauch ausgaben geld coût dépense consommation costo coste gasto custo biaya",
    "recent event": "log history activity journal feed happened news protokoll verlauf historique registro historial "
    "riwayat",
    "status": "ping uptime alive state info stand zustand état estado keadaan",
    "service": "health monitor check dienst dienste servicio serviço layanan",
    "queue": "backlog pending waiting inbox schlange warteschlange wartend attente cola espera fila antrian",
    "mine": "my me own meine eigene mes mis minhas saya",
    "brief": "summary report digest briefing standup overview zusammenfassung bericht résumé rapport resumen resumo "
    "ringkasan",
    "metric": "stat statistic kpi number figure zahlen statistik kennzahlen chiffre métrica estadística estatística "
    "angka",
    "config": "setting configuration option preference env einstellung einstellungen konfiguration paramètre "
    "configuración ajuste configuração pengaturan",
    "why": "reason explain because warum wieso weshalb pourquoi raison porque kenapa mengapa",
    "help": "man command manual hilfe befehle aide ayuda ajuda bantuan помощь справка 帮助 ヘルプ 도움말",
    "audit": "trail",
    "chain health": "dependency blocked stuck blockiert",
    "error": "failure exception crash traceback fehler erreur fallo erro kesalahan galat",
    "result": "output outcome answer ergebnis résultat resultado hasil",
    "orchestrator": "scheduler dispatcher engine",
    "daemon": "bot server",
    "event": "alert incident warning ereignis ereignisse événement evento kejadian",
    "spec": "specification doc",
    # plurals without a final s
    "list project": "projekte",
    "list task": "aufgaben",
    "list note": "notizen",
}


def _invert(synonyms_by_words: dict[str, str]) -> dict[str, tuple[frozenset[str], ...]]:
    inverted: dict[str, list[frozenset[str]]] = {}
    for words, synonyms in synonyms_by_words.items():
        groups = [frozenset(group.split()) for group in words.split("|")]
        for synonym in synonyms.split():
            inverted.setdefault(synonym, []).extend(groups)
    return {synonym: tuple(groups) for synonym, groups in inverted.items()}


SYNONYMS = MappingProxyType(_invert(_SYNONYMS_BY_WORDS))
"""Groups of words of names by each of their synonyms; the words of a group count together."""
