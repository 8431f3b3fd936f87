"""The style sheet of the report: one column, light and dark, phone and paper."""

STYLE = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1d2329; --soft: #5b6670;
  --line: #d5dbe0; --panel: #f4f6f8; --link: #00598c; --blue: #0072b2; --shade: #00000040; }
@media (prefers-color-scheme: dark) { :root { --paper: #15191d; --ink: #e4e9ed; --soft: #a2adb7;
  --line: #39424a; --panel: #1e242a; --link: #7cc4ee; --blue: #3d9bd9; --shade: #ffffff40; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 46rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-top: .75rem;
  border-top: 1px solid var(--line); }
header p, footer, .note, figcaption { color: var(--soft); }
header p { margin: .25rem 0 0; }
footer { margin-top: 3rem; font-size: .875rem; }
nav ol { list-style: none; margin: 1rem 0 0; padding: 0; display: flex; flex-wrap: wrap;
  gap: .25rem 1rem; font-size: .9rem; }
a { color: var(--link); }
.lead { font-size: 1.125rem; }
.formula { font-family: "STIX Two Math", "Cambria Math", Georgia, serif; font-size: 1.05rem;
  background: var(--panel); padding: .75rem 1rem; border-radius: .375rem; }
pre { background: var(--panel); padding: .75rem 1rem; border-radius: .375rem;
  white-space: pre-wrap; }
code { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; font-size: .9em; }
/* A shade where a table goes on; paper that moves with the table covers it at its end. */
.scroll { overflow-x: auto; margin: 1rem 0; background:
  linear-gradient(to right, var(--paper) 40%, transparent) 0 0 / 3rem 100% no-repeat local,
  linear-gradient(to left, var(--paper) 40%, transparent) 100% 0 / 3rem 100% no-repeat local,
  linear-gradient(to right, var(--shade), transparent) 0 0 / 1rem 100% no-repeat scroll,
  linear-gradient(to left, var(--shade), transparent) 100% 0 / 1rem 100% no-repeat scroll; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; overflow-wrap: normal; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
td:first-child { overflow-wrap: anywhere; min-width: 7rem; }
th:empty { padding: 0; }
.confusion { width: auto; } .confusion td, .confusion th { padding: .35rem .75rem; }
dt { font-weight: 600; margin-top: .75rem; } dd { margin: .25rem 0 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; padding-right: .25rem;
  padding-left: .75rem; white-space: nowrap; }
th.number { white-space: normal; }
.number + :not(.number) { padding-left: 1rem; }
.interval { display: block; color: var(--soft); font-size: .8125rem; white-space: nowrap; }
figure { margin: 1.5rem 0; }
figcaption { font-size: .9rem; margin-top: .5rem; }
figcaption strong { color: var(--ink); }
.picture svg { display: block; width: 100%; height: auto; max-width: 30rem; margin: 0 auto;
  color: var(--ink); fill: currentColor; }
.picture svg * { stroke-linejoin: round; stroke-linecap: butt; }
.picture svg text { fill: currentColor; }
@media screen and (min-width: 60rem) { body { max-width: 54rem; }
  p, ul, dl, pre, nav, figure { max-width: 46rem; } }
@media (max-width: 40rem) { table { font-size: .875rem; } .number { white-space: normal; }
  td:first-child { min-width: 6.5rem; } th, td { padding-right: .5rem; }
  .number { padding-left: .25rem; } .number:last-child { white-space: nowrap; }
  .interval { font-size: .75rem; } }
@media print { :root { color-scheme: light; --paper: #ffffff; --ink: #000000; --soft: #444444;
  --line: #bbbbbb; --panel: #ffffff; --link: #000000; --blue: #0072b2; --shade: #ffffff; }
  @page { margin: 18mm 16mm; }
  body { max-width: none; padding: 0; font-size: 10.5pt; orphans: 3; widows: 3; }
  nav { display: none; } h2, dt, p:has(+ figure), p:has(+ .scroll) { break-after: avoid; }
  figure, tr, pre, .formula { break-inside: avoid; }
  .scroll { overflow: visible; background: none; }
  pre, .formula { border: 1px solid var(--line); } .picture svg { max-width: 24rem; } }
"""
