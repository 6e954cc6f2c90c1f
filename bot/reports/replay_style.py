"""Style sheet of a replay's page: light and dark, narrow and wide, screen and paper."""

STYLE = """
:root { color-scheme: light dark; --page: #fff; --text: #1b1f24; --soft: #5b6570; --line: #d8dee4; --card: #f6f8fa;
  --actionable: #c2500a; --ambient: #8b98a5; --ack: #1f7a8c; --good: #1a7f37; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --page: #0f1419; --text: #e6e9ec; --soft: #9aa5b1; --line: #2d343c;
  --card: #171d24; --actionable: #f08a3c; --ambient: #6b7784; --ack: #4fb3c6; --good: #4ac26b; --bad: #ff8272; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 24px; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 36px 0 8px; }
h3 { font-size: 16px; margin: 32px 0 4px; padding-top: 12px; border-top: 1px solid var(--line); }
h4 { font-size: 14px; margin: 16px 0 4px; }
p { margin: 4px 0; } .soft { color: var(--soft); font-size: 13px; }
a { color: inherit; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(210px, 1fr)); gap: 12px; margin: 20px 0; }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
dt { color: var(--soft); font-size: 13px; } dd { margin: 0; font-weight: 600; }
table { border-collapse: collapse; width: 100%; font-size: 14px; margin: 4px 0 12px; }
th, td { padding: 5px 8px; text-align: right; border-bottom: 1px solid var(--line); vertical-align: top;
  font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th { background: var(--card); font-weight: 600; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 7em; }
td:last-child, th:last-child { padding-right: 4px; }
.bar { text-align: left; width: 22%; min-width: 120px; } .words { text-align: left; min-width: 6em; }
.track { display: flex; height: 14px; margin-top: 4px; } .track i { display: block; height: 100%; }
.actionable { background: var(--actionable); } .ambient { background: var(--ambient); } .ack { background: var(--ack); }
.key { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 8px 0; } .key i { display: inline-block; width: 11px;
  height: 11px; border-radius: 3px; margin-right: 6px; }
.fits { color: var(--good); } .many { color: var(--bad); font-weight: 600; } .undecided { color: var(--soft); }
ol { padding-left: 28px; margin: 4px 0 12px; } li { margin: 8px 0; } bdi { unicode-bidi: isolate; }
.said { display: block; white-space: pre-line; }
@media screen and (max-width: 720px) { body { padding: 14px; } .bar, .wide { display: none; } table { font-size: 11px; }
  th, td { padding: 4px 3px; } th:first-child { overflow-wrap: normal; } .words { min-width: 0; }
  th:first-child, td:first-child { min-width: 4.5em; } ol { padding-left: 22px; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 6px; } }
@media print { :root { color-scheme: light; --page: #fff; --text: #000; --soft: #444; --line: #bbb; --card: #f3f3f3;
  --actionable: #c2500a; --ambient: #8b98a5; --ack: #1f7a8c; --good: #1a7f37; --bad: #b42318; }
  @page { margin: 14mm; } body { max-width: none; padding: 0; font-size: 11px; line-height: 1.35; }
  table, .soft, dt { font-size: 10px; } th, td { padding: 3px 5px; } .bar { width: 15%; min-width: 60px; }
  .words { min-width: 0; } h2 { margin-top: 20px; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  tr, li, dl div { break-inside: avoid; } h2, h3, h4 { break-after: avoid; } thead { display: table-header-group; } }
"""
