/// \file
/// How the page looks: as wide as a phone or wider, light or dark.
#pragma once

#include <string_view>

namespace mgws::bench {

inline constexpr std::string_view k_style = R"(
:root { color-scheme: light dark; --page: #fff; --text: #1c2126; --soft: #5b6670; --line: #d9dee3;
  --room: #fbfbfc; --working: #1b6ca8; --stealing: #c4401c; --searching: #e8a317; --idle: #b9c1c9;
  --unknown: #ece5f5; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --page: #14181c; --text: #e4e8ec; --soft: #9aa5af;
  --line: #343c44; --room: #191e23; --working: #4fa3dd; --stealing: #f0754e; --searching: #f2c14e;
  --idle: #59636d; --unknown: #3a3150; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; line-height: 1.25; } h2 { font-size: 1.1rem; margin: 2.2rem 0 0.4rem; }
p { max-width: 46rem; } strong { color: var(--bad); }
code { overflow-wrap: anywhere; white-space: pre-wrap; font-size: 13px; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; }
th, td { border-bottom: 1px solid var(--line); padding: 0.2rem 0.7rem 0.2rem 0; text-align: right;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
th { font-weight: 600; } thead th { color: var(--soft); } th:first-child { text-align: left; }
tbody th { white-space: normal; }
#facts td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
#facts th { vertical-align: top; color: var(--soft); }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr));
  gap: 0.5rem 1.5rem; }
figure { margin: 0.6rem 0; max-width: 34rem; } figcaption { font-size: 13px; color: var(--soft); }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 11px; }
svg .marked { fill: var(--text); }
.room { fill: var(--room); } .grid, .tick { stroke: var(--line); }
.working { fill: var(--working); background: var(--working); }
.stealing { fill: var(--stealing); background: var(--stealing); }
.searching { fill: var(--searching); background: var(--searching); }
.idle { fill: var(--idle); background: var(--idle); }
.unknown { fill: var(--unknown); background: var(--unknown); }
.count { fill: var(--idle); background: var(--idle); }
.part, .shade { fill: var(--working); background: var(--working); }
path.left { fill: none; stroke: var(--stealing); stroke-width: 1.5; } .key.left { background:
  var(--stealing); }
.mark { stroke: var(--text); stroke-dasharray: 3 3; } .border { stroke: var(--soft); fill: none; }
.legend { font-size: 13px; color: var(--soft); }
.key { display: inline-block; width: 0.8em; height: 0.8em; margin: 0 0.35em 0 0.8em; }
.key:first-child { margin-left: 0; } summary { cursor: pointer; color: var(--soft); }
)";

}  // namespace mgws::bench
