//! Colours and type of every picture, for light and dark.

/// Colour classes of curves, in order: three hues that stay apart for colour-blind readers.
pub const SERIES: [&str; 6] = ["c0", "c1", "c2", "c3", "c4", "c5"];

/// Custom properties and classes of the pictures.
pub const PICTURE_CSS: &str = "\
:root{--paper:#fcfcfb;--card:#ffffff;--ink:#1d2329;--soft:#5c6670;--line:#d9dde1;--grid:#e9ecef;\
--c0:#0067b3;--c1:#c2500a;--c2:#00805c;--c3:#8a3ffc;--c4:#a56a00;--c5:#5c6670;\
--body:#9fc5e4;--edge:#0b4f82;--ghost:#d3d8dc;--plate:#dfe3d6;--plate-edge:#7d8a68;--load:#c0281f;--rod:#2f7fc1;--solid:#b9c0a8;--stone:#b4bac0;--good:#0a7d4f;--careful:#9a5b00;--bad:#b3261e}\
@media (prefers-color-scheme:dark){:root{--paper:#14181c;--card:#1b2025;--ink:#e6e9ec;--soft:#98a3ad;--line:#39424a;--grid:#262d34;\
--c0:#5db1f0;--c1:#f29a55;--c2:#4fcf9f;--c3:#b99aff;--c4:#e0b04a;--c5:#98a3ad;\
--body:#23587f;--edge:#8cc7f2;--ghost:#353d44;--plate:#3a4233;--plate-edge:#9aa886;--load:#ff7a6e;--rod:#4a9fe0;--solid:#7f8a6d;--stone:#5d6871;--good:#57d19c;--careful:#f0b33c;--bad:#ff8a80}}\
svg{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-size:12px;display:block;max-width:100%;height:auto}\
svg text{fill:var(--soft)}svg .title{fill:var(--ink);font-size:13px;font-weight:600}svg .strong{fill:var(--ink)}\
.grid{stroke:var(--grid);stroke-width:1;fill:none}.zero{stroke:var(--line);stroke-width:1.2;fill:none}.frame{stroke:var(--line);stroke-width:1;fill:none}\
.curve{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}\
.exact{fill:none;stroke:var(--ghost);stroke-width:9;stroke-linejoin:round;stroke-linecap:round}.thin{stroke-width:1.6}.ghost{fill:var(--ghost);stroke:none}.body{fill:var(--body);stroke:none}.axisline{fill:none;stroke:var(--edge);stroke-width:1.4;stroke-linejoin:round}\
.tube{fill:var(--body);fill-opacity:.45;stroke:none}.tube-edge{fill:none;stroke-width:1.1;stroke-linejoin:round}.tube-end{fill:none;stroke-width:2}\
.held{fill:none;stroke:var(--ink);stroke-width:1.5}.load{stroke:var(--load);fill:none;stroke-width:2}.head{fill:var(--load);stroke:none}svg text.load-name{fill:var(--load);stroke:var(--card);stroke-width:3px;paint-order:stroke}\
.solid{fill:var(--plate);stroke:var(--plate-edge);stroke-width:1;fill-opacity:.62;stroke-linejoin:round}.edge{fill:none;stroke:var(--plate-edge);stroke-width:1;stroke-linejoin:round}\
.trail{fill:none;stroke:var(--c0);stroke-width:1.1;stroke-linejoin:round}.t0{stroke-opacity:.16}.t1{stroke-opacity:.24}.t2{stroke-opacity:.33}.t3{stroke-opacity:.45}\
.cable{fill:none;stroke:var(--c4);stroke-width:1.3}.slack{stroke-dasharray:4 3}.compliance{fill:none;stroke:var(--c2);stroke-width:1;stroke-dasharray:2 2}.cable-point{fill:var(--c4);stroke:none}svg text.cable-name{fill:var(--c4);stroke:var(--card);stroke-width:3px;paint-order:stroke}\
.obstacle{fill:var(--ghost);fill-opacity:.45;stroke:none}.obstacle-line{fill:none;stroke:var(--soft);stroke-width:.8;stroke-opacity:.55;stroke-linejoin:round}.obstacle-edge{fill:none;stroke:var(--soft);stroke-width:1.6}\
.contact{stroke:var(--c3);fill:none;stroke-width:1.6}.contact-head{fill:var(--c3);stroke:none}svg text.contact-name{fill:var(--c3);stroke:var(--card);stroke-width:3px;paint-order:stroke}\
.target{fill:none;stroke:var(--c1);stroke-width:1.4;stroke-dasharray:3 2}\
.disk{fill:var(--plate);fill-opacity:.35;stroke:var(--plate-edge);stroke-width:1;stroke-linejoin:round}\
.spring{fill:none;stroke:var(--c2);stroke-width:1.4;stroke-linejoin:round}.spring-end{fill:var(--c2);stroke:none}\
.joint{fill:var(--card);stroke:var(--ink);stroke-width:1.4}.driven{fill:var(--c1)}.joint-axis{stroke:var(--ink);stroke-width:1;stroke-dasharray:5 2 1 2;fill:none}\
.cursor{stroke:var(--load);stroke-width:1.2;fill:none}.cursor-dot{fill:none;stroke:var(--load);stroke-width:2}.mark{stroke:var(--card);stroke-width:1}.step{stroke:var(--line);stroke-dasharray:3 3;fill:none}.dashed{stroke-dasharray:6 5}\
.c0{stroke:var(--c0)}.c1{stroke:var(--c1)}.c2{stroke:var(--c2)}.c3{stroke:var(--c3)}.c4{stroke:var(--c4)}.c5{stroke:var(--c5)}\
.f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}.f4{fill:var(--c4)}.f5{fill:var(--c5)}";

/// What the page adds.
pub const PAGE_CSS: &str = "\
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\
main{max-width:1400px;margin:0 auto;padding:28px 24px 48px}h1{font-size:26px;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em}\
h2{font-size:17px;margin:34px 0 12px}.under{color:var(--soft);margin:0 0 20px}\
.badge{display:inline-block;padding:1px 10px;border-radius:99px;font-size:13px;font-weight:600;color:var(--card);background:var(--good);vertical-align:4px;margin-left:10px}.badge.careful{background:var(--careful)}.badge.bad{background:var(--bad)}\
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px}.fact{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px}\
.fact b{display:block;font-size:19px;font-weight:600;font-variant-numeric:tabular-nums}.fact span{color:var(--soft);font-size:13px}\
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,520px),1fr));gap:16px;align-items:start}.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px;overflow-x:auto}\
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}th{text-align:left;color:var(--soft);font-weight:500;font-size:13px}th,td{padding:6px 12px 6px 0;border-bottom:1px solid var(--grid);vertical-align:top}tr:last-child td{border-bottom:0}\
.note{border-left:4px solid var(--bad);background:var(--card);padding:10px 14px;margin:18px 0;border-radius:0 8px 8px 0}.note p{margin:2px 0}\
details{margin-top:28px}details .pair,details .card{margin-top:12px}summary{cursor:pointer;color:var(--soft)}pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px;overflow-x:auto;font-size:13px}\
.stage{background:var(--card);border:1px solid var(--line);border-radius:8px;margin:20px 0 8px}.stage-view{position:relative;height:min(62vh,560px);min-height:300px}\
.stage-canvas,.stage-over{position:absolute;inset:0;width:100%;height:100%;border-radius:8px}.stage-canvas{touch-action:pan-y;cursor:grab}.stage-canvas:active{cursor:grabbing}.stage-over{pointer-events:none}\
.stage-legend{position:absolute;top:10px;left:14px;right:14px;display:flex;flex-wrap:wrap;gap:2px 8px;align-items:center;font-size:13px;pointer-events:none}\
.stage-bar{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;padding:8px 14px;font-size:14px;border-top:1px solid var(--grid)}.stage-bar:empty{display:none}.stage-bar input[type=range]{flex:1 1 160px;min-width:0;accent-color:var(--c0)}\
.stage-where{min-width:8.5em;text-align:right;font-variant-numeric:tabular-nums}.stage button,.stage select{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:3px 10px;min-height:32px;max-width:100%}\
.stage button{cursor:pointer;min-width:44px}.stage .stage-play{min-width:72px}.stage-choices{color:var(--soft)}.stage-views{display:inline-flex;flex-wrap:wrap;gap:6px;margin-left:auto}svg[data-window]{cursor:col-resize}\
footer{margin-top:36px;color:var(--soft);font-size:13px}\
@media print{.stage,.cursor,.cursor-dot{display:none}}@media (max-width:600px){main{padding:18px 12px 36px}h1{font-size:21px;overflow-wrap:anywhere}.stage-view{height:340px}.card{padding:8px 6px}.stage-where{min-width:0;flex:1 0 100%;text-align:left}}";
