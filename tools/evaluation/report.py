"""Makes the report of a folder of results: one HTML file that needs no other."""

import hashlib
import html
import json
import pathlib
import re
import sys

from figure import PAPERS
from figures import FIGURES
from metrics import counted, workers_of

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tools"))
import ages  # noqa: E402
import tables  # noqa: E402
from standing import elsewhere_of, found, others, state_of  # noqa: E402

STYLE = """
body { font: 15px/1.45 sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em; color: #222; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.5em; } section { margin: 2.5em 0; }
table { border-collapse: collapse; font-size: 13px; margin: 0.7em 0; }
th, td { border-bottom: 1px solid #ddd; padding: 0.2em 0.7em; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { max-width: 100%; height: auto; }
.missing { color: #777; } .warning { background: #fff2cc; padding: 0.5em 0.8em; }
summary { cursor: pointer; color: #555; } code { font-size: 12px; overflow-wrap: anywhere; }
"""


def escaped(text):
    return html.escape(str(text))


def table(headings, rows):
    """Cells that are numbers stand on the right."""
    def cell(value):
        text = str(value)
        return f'<td class="number">{escaped(text)}</td>' if re.fullmatch(r"-?[\d.,]+", text) else \
            f"<td>{escaped(text)}</td>"
    head = "".join(f"<th>{escaped(h)}</th>" for h in headings)
    body = "\n".join("<tr>" + "".join(map(cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>\n"


def table_of_markdown(text):
    """What tools/tables.py made."""
    rows = [[cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
            for line in text.strip().splitlines()]
    return table(rows[0], rows[2:]) if len(rows) > 2 else "<p>Nothing.</p>"


def load_results(folder):
    """What was measured, and by figure its runs."""
    folder = pathlib.Path(folder)
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    results = {}
    for figure in FIGURES:
        path = folder / f"{figure.id}.json"
        if path.exists():
            found = json.loads(path.read_text(encoding="utf-8"))
            results[figure.id] = found if isinstance(found, list) else [found]
    return about, results


def fingerprint(folder):
    """Which result files, with which contents."""
    return "; ".join(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
                     for path in sorted(pathlib.Path(folder).glob("*.json")))


def points_table(results):
    """A row a command of mgws-bench or mgws-sim."""
    def number(value, digits=3):
        return "" if value is None else f"{value:.{digits}f}"
    rows = []
    for run in results:
        name = [run["point"]["panel"], run["point"]["series"], f"{workers_of(run):,}"]
        if "summary" not in run:
            rows.append([*name, f"{run['makespan_ns'] / 1e6:.3f}", "", "", number(run["busy"]), "", "",
                         f"{run['times_bound']:.2f}", ""])
            continue
        seconds = run["summary"]["seconds"]
        calls = run["summary"]["call_seconds"]
        statistics = run["statistics"]
        tasks = statistics.get("tasks_by_worker") or statistics.get("tasks_of_a_worker")
        rows.append([*name, f"{seconds['median'] * 1e3:.3f}",
                     f"{seconds['min'] * 1e3:.3f} to {seconds['max'] * 1e3:.3f}",
                     f"{calls['median'] * 1e3:.3f}", number(statistics.get("busy")),
                     number(statistics.get("lanes")), number(statistics.get("imbalance")),
                     f"{counted(run) / seconds['median'] / 1e6:.3f}",
                     f"{min(tasks):,} to {max(tasks):,}" if tasks else ""])
    simulated = bool(results) and "summary" not in results[0]
    return table(["problem", "how", "workers", "ms", "least to most", "call, ms", "busy", "lanes",
                  "imbalance", "times the bound" if simulated else "million a second", "tasks of a worker"],
                 rows)


def commits_said(runs, about):
    """The commits of a figure's runs, where they are not the report's."""
    commits = ages.told(runs, "commit")
    if not set(commits) - {about["commit"] + ("-dirty" if about["dirty"] else "")}:
        return ""
    said = [commit.removesuffix("-dirty") + (ages.DIRTY if commit.endswith("-dirty") else "") for commit in commits]
    return f"Measured at {ages.listed(said)}."


def said_here(figure, about, results, elsewhere):
    """What was found, and a link to each report that has what this one lacks."""
    links = " and ".join(f'<a href="{escaped(name)}">{escaped(machine)}</a>' for name, machine in elsewhere)
    return escaped(found(figure, about, results, elsewhere)) + (f" Measured by {links}." if links else "")


def section(figure, about, results, elsewhere):
    parts = [f'<section id="{figure.id}">',
             f"<h3>{escaped(figure.name)}: {escaped(figure.title)}</h3>",
             f"<p><b>{'The paper' if figure.paper != 'own' else 'Claim'}:</b> {escaped(figure.claim)}</p>",
             f"<p{'' if figure.id in results else ' class=missing'}><b>Here:</b> "
             f"{said_here(figure, about, results, elsewhere)}</p>"]
    remark = about["remarks"].get(figure.id)
    if remark:
        parts.append(f"<p>{escaped(remark)}</p>")
    for failure in about["failed"].get(figure.id, []):
        parts.append(f'<p class="warning">Failed: <code>{escaped(failure)}</code></p>')
    if figure.id in results:
        import plotting
        runs = results[figure.id]
        said = commits_said(runs, about)
        if said:
            parts.append(f"<p>{escaped(said)}</p>")
        parts.append(plotting.svg_of(figure, runs))
        shown = (table_of_markdown(tables.KINDS[figure.table](runs[0])) if figure.table
                 else points_table(runs))
        parts.append(f"<details><summary>Table</summary>{shown}</details>")
        commands = "\n".join(dict.fromkeys(escaped(run["command"]) for run in runs))
        parts.append(f"<details><summary>Commands</summary><pre><code>{commands}</code></pre></details>")
    parts.append("</section>")
    return "\n".join(parts)


def machine_table(about, results):
    machine = about["machine"]
    measured = [run["measured"] for runs in results.values() for run in runs if "measured" in run]
    rows = [["processor", f"{machine['processor']}, {machine['processors']} usable"],
            ["system", machine["system"]],
            ["GPUs", "; ".join(f"{g['name']}, driver {g['driver_version']}, {g['clocks.max.sm']} MHz at most"
                               for g in machine["gpus"]) or f"none: {machine['no_gpu']}"],
            ["workers", "of the processor" if about["place"] == "cpu" else "of the GPUs"],
            ["compiler", machine.get("compiler", "unknown")],
            ["build", ", ".join(f"{k}={v}" for k, v in machine.get("options", {}).items() if v != [])],
            ["commit", about["commit"] + (", with changes that are in no commit" if about["dirty"] else "")],
            ["measured", f"{about['first']} to {about['last']}"
             + (", with --quick: small problems, three runs" if about["quick"] else "")]]
    if measured:
        loads = [m[k] for m in measured for k in ("load_before", "load_after")]
        rows.append(["load", f"{min(loads):.1f} to {max(loads):.1f} on {machine['processors']} processors"])
    if any(commits_said(runs, about) for runs in results.values()):
        rows.append(["other commits", "of figures that say so"])
    clocks = sorted({int(gpu["clocks.sm"]) for m in measured for gpu in m.get("gpus_after", [])
                     if gpu["clocks.sm"].isdigit()})
    if clocks:
        rows.append(["clocks after runs", f"{clocks[0]} to {clocks[-1]} MHz"])
    return table(["machine", ""], rows)


def warnings(about, results):
    said = []
    measured = [run["measured"] for runs in results.values() for run in runs if "measured" in run]
    processors = about["machine"]["processors"]
    busy = sum(m["load_before"] > processors + 0.5 for m in measured)
    if busy:
        said.append(f"More wanted to run than there were processors before {busy} of {len(measured)} "
                    "commands: times and ratios of this report are of little use.")
    if about["dirty"]:
        said.append("The programs have changes that are in no commit.")
    return "".join(f'<p class="warning">{escaped(text)}</p>\n' for text in said)


def page(folder, name=None, out=None):
    """The report as text. `name` is the folder as the page calls it, `out` where the report will lie: it
    leads to the others there."""
    about, results = load_results(folder)
    reports = others(out) if out else []
    elsewhere = {f.id: elsewhere_of(f, about, results, reports) for f in FIGURES}
    rows = "\n".join(
        f'<tr><td>{escaped(f.paper)}</td><td><a href="#{f.id}">{escaped(f.name)}</a></td>'
        f"<td>{escaped(f.claim)}</td><td>{said_here(f, about, results, elsewhere[f.id])}</td>"
        f"<td>{escaped(state_of(f, about, results, elsewhere[f.id]))}</td></tr>" for f in FIGURES)
    parts = []
    for key, paper in PAPERS.items():
        parts.append(f"<h2>{escaped(paper)}</h2>")
        parts += [section(figure, about, results, elsewhere[figure.id]) for figure in FIGURES if figure.paper == key]
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="made-from" content="{escaped(fingerprint(folder))}">
<meta name="results" content="{escaped(name or pathlib.Path(folder).name)}">
<title>mgws: evaluation</title>
<style>{STYLE}</style>
</head>
<body>
<h1>mgws: evaluation</h1>
{warnings(about, results)}
{machine_table(about, results)}
<p>Each figure of the papers with what it claims, in one sentence, and what was found here. Every run was
verified by the program that made it. Bars and marks are medians of the runs, their whiskers the least and
the most; <i>imbalance</i> is the standard deviation of the workers' numbers of tasks over their mean
(equation 1 of John et al.), <i>busy</i> the part of their time in which workers had tasks, <i>lanes</i>
the part of a GPU worker's lanes that had one.</p>
<h2>Overview</h2>
<table id="overview"><thead><tr><th>paper</th><th>figure</th><th>claim</th><th>here</th><th></th></tr></thead>
<tbody>
{rows}
</tbody></table>
{chr(10).join(parts)}
</body>
</html>
"""
