"""The style of an episode's page, beside that of every page."""

from __future__ import annotations

from experiments.svg import CLASSES

STORY = """
nav{position:sticky;top:0;z-index:2;background:var(--back);padding:8px 0;margin:0 0 4px;overflow-x:auto;white-space:nowrap;
border-bottom:1px solid var(--line);font-size:.88rem}
nav a{color:var(--accent);text-decoration:none;margin-right:16px}
section{scroll-margin-top:44px}
h3{font-size:1rem;margin:1.2em 0 .5em}h3:first-child{margin-top:0}h3 small,h4 small{color:var(--soft);font-weight:400}
h4{margin:.1em 0 .2em;font-size:.88rem}
p.note{color:var(--soft);font-size:.9rem;margin:.2em 0 1em;max-width:75ch}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(128px,1fr));gap:10px;margin:16px 0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 14px}
.tile b{display:block;font-size:1.55rem;line-height:1.2;font-variant-numeric:tabular-nums}
.tile span{color:var(--soft);font-size:.85rem}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr));gap:22px}
.minis{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,236px),1fr));gap:14px 18px}
.minis>div{border:1px solid var(--line);border-radius:8px;padding:8px 10px 4px;min-width:0}
.legend{font-size:.84rem;color:var(--soft);margin:.3em 0 .9em}
.legend span{display:inline-block;margin-right:14px}
.legend i{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:5px;vertical-align:-1px}
.chip{display:inline-block;border-radius:99px;padding:0 8px;font-size:.78rem;line-height:1.5;border:1px solid currentColor}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}.soft{color:var(--soft)}
.meter{display:block;height:11px;border-radius:6px;background:var(--ghost);overflow:hidden}
.meter i{display:block;height:100%;background:var(--c0);border-radius:6px}
.part{display:grid;grid-template-columns:200px 1fr 52px 118px;gap:0 12px;align-items:center;padding:3px 0;font-size:.92rem;
font-variant-numeric:tabular-nums}
.part b{font-weight:400;text-align:right}.points{text-align:right}
.rounds{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,232px),1fr));gap:14px}
.round{border:1px solid var(--line);border-radius:10px;padding:10px 12px;font-size:.88rem}
.round .fills{display:grid;grid-template-columns:auto 1fr auto;gap:3px 8px;align-items:center;margin:.5em 0}
.round ul{margin:.4em 0 .2em;padding-left:1.1em}
details.ward>summary{color:var(--ink);margin:1em 0 .5em}details.ward>summary h3{display:inline;margin:0}
details>summary{cursor:pointer;color:var(--accent);font-size:.9rem;margin:.5em 0}
details.call>summary{color:var(--ink);font-size:.82rem;margin:.15em 0;overflow-wrap:anywhere}
details.call code{color:var(--soft)}
details.call pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--back);border-radius:6px;padding:8px 10px;
margin:.2em 0 .6em 1em;color:var(--ink)}
.who{display:inline-block;min-width:8.4em;color:var(--soft)}
.words td,.words th{white-space:normal;text-align:left;vertical-align:top}
.words td:first-child{white-space:nowrap}
.second td:nth-child(2),.second th:nth-child(2){text-align:left}.second table{font-size:.86rem}
.said{max-height:250px!important;font-size:.9rem}.said p{margin:.2em 0 .8em}
.scroll.tall{max-height:480px;overflow:auto}.scroll.tall thead th{position:sticky;top:0;background:var(--card)}
@media(max-width:480px){main{padding:16px 10px 40px}section{padding:14px 12px}
.part{grid-template:"name value points" "bar bar bar"/1fr auto auto;gap:3px 10px;padding:5px 0}.part .name{grid-area:name}
.part .bar{grid-area:bar}.part b{grid-area:value}.part .points{grid-area:points}}
"""

STYLE = CLASSES + STORY
