#pragma once

/// The style sheet of the report. Line colours are Okabe and Ito's that stand out on white, and
/// lighter ones of the same hues for dark pages; dashes distinguish UAVs of one colour.
namespace marsim::suite {

constexpr const char* kHtmlStyle = R"css(
:root { color-scheme: light dark; --page: #fff; --ink: #1c2126; --soft: #5b6670; --line: #d8dee4;
  --band: #f5f7f9; --grid: #e8ecf0; --map: #c3cad1; --pass: #116b3d; --fail: #b3261e;
  --skip: #7a5b00; --pass-back: #e2f3e8; --fail-back: #fbe4e2; --skip-back: #f8efd4;
  --u0: #0072b2; --u1: #d55e00; --u2: #009e73; --u3: #b0568e; --u4: #c98a00; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14181c; --ink: #e4e8ec; --soft: #9aa5b0; --line: #333b43; --band: #1b2026;
    --grid: #262d34; --map: #444e58; --pass: #6fd39b; --fail: #ff8a80; --skip: #e6c15a;
    --pass-back: #16301f; --fail-back: #3b1b1a; --skip-back: #332a10;
    --u0: #56b4e9; --u1: #ff8a3d; --u2: #2fc79b; --u3: #e08fc2; --u4: #f0b93a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 28px 60px; max-width: 1240px; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 25px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 0; }
a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: 3px; }
.about { color: var(--soft); margin: 0 0 14px; }
.about span + span::before { content: " · "; }
.totals { font-size: 17px; margin: 0 0 16px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; padding-right: 22px; font-variant-numeric: tabular-nums; white-space: nowrap; }
.verdict { display: inline-block; padding: 0 9px; border-radius: 9px; font-weight: 600;
  font-size: 13px; white-space: nowrap; }
.passed { color: var(--pass); background: var(--pass-back); }
.failed, .error { color: var(--fail); background: var(--fail-back); }
.skipped { color: var(--skip); background: var(--skip-back); }
.why { color: var(--soft); } .changed { font-weight: 600; }
section { margin: 34px 0 0; padding: 18px 0 0; border-top: 2px solid var(--line); }
.head { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: center; }
.facts { color: var(--soft); font-size: 14px; }
.message { color: var(--fail); margin: 8px 0; font-weight: 600; overflow-wrap: anywhere; }
.reason { color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.skip { color: var(--skip); }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 480px), 1fr));
  gap: 14px 26px; margin: 14px 0 0; grid-auto-flow: dense; }
.plan { grid-row: span 2; }
figure { margin: 0; min-width: 0; }
figcaption { font-weight: 600; font-size: 14px; margin: 0 0 2px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; font-size: 13px; margin: 12px 0 0; }
figure .legend { margin: 0 0 0 62px; }
.key { white-space: nowrap; } .swatch { width: 26px; height: 8px; margin-right: 6px; }
.chart { display: block; width: 100%; height: auto; font-size: 11px; }
.chart text { fill: var(--soft); } .chart text.label { fill: var(--ink); }
.chart text.mark { fill: var(--ink); paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
.chart text.level { fill: var(--fail); }
.grid, .axis, .level, .curve { fill: none; }
.grid { stroke: var(--grid); } .axis { stroke: var(--soft); }
path.level { stroke: var(--fail); stroke-dasharray: 2 3; }
.map { fill: var(--map); }
.curve { stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: butt; }
.u0 { stroke: var(--u0); } .u1 { stroke: var(--u1); } .u2 { stroke: var(--u2); }
.u3 { stroke: var(--u3); } .u4 { stroke: var(--u4); }
.d1 { stroke-dasharray: 7 3; } .d2 { stroke-dasharray: 2 2; } .d3 { stroke-dasharray: 9 3 2 3; }
.e0, .e1, .e2, .e3 { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 4 3; }
.e1 { stroke: var(--u3); } .e2 { stroke: var(--u4); } .e3 { stroke: var(--u2); }
circle { stroke-width: 1.8; } circle.start, circle.end { stroke-dasharray: none; }
circle.start { fill: var(--page); }
circle.end.u0 { fill: var(--u0); } circle.end.u1 { fill: var(--u1); }
circle.end.u2 { fill: var(--u2); } circle.end.u3 { fill: var(--u3); }
circle.end.u4 { fill: var(--u4); }
pre { background: var(--band); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px;
  overflow-x: auto; font-size: 12.5px; line-height: 1.4; }
summary { cursor: pointer; font-weight: 600; font-size: 14px; margin-top: 14px; }
.hidden { position: absolute; width: 0; height: 0; }
@media print { body { max-width: none; } section { break-inside: avoid; } }
)css";

}  // namespace marsim::suite
