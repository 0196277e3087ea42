#!/usr/bin/env python3
"""Draws the plots of the docs from the result files that mgws-bench wrote.

usage: plots.py [--check]

Writes docs/plots/*.svg. Each has in it of which files with which contents it was made; with --check
nothing is drawn, and the exit code is 1 if a plot is missing or its files have changed since.
Drawing needs matplotlib."""

import hashlib
import json
import os
import re
import statistics
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "bench", "results")
PLOTS = os.path.join(ROOT, "docs", "plots")
WAYS = {"": "stealing", "one": "one by one, fixed shares", "bulk": "in batches, fixed shares"}


def load(name):
    with open(os.path.join(RESULTS, name), encoding="utf-8") as file:
        return json.load(file)


def seconds(run):
    return statistics.median(r["seconds"] for r in run["runs"])


def option(run, name, default=None):
    found = re.search(rf"--{name}[ =](\S+)", run["command"])
    return found.group(1) if found else default


def by_workers(runs, chosen):
    """Rates of each way of handing out tasks, by number of workers, of the runs that name one."""
    curves = {}
    for run in runs:
        if option(run, "workers") is None or not chosen(run):
            continue
        curve = curves.setdefault(option(run, "direct", ""), {})
        curve[run["devices"][0]["workers"]] = run["summary"]["tasks"] / seconds(run) / 1e6
    return curves


def draw_rates(axes, curves, title, scale="log"):
    for way, curve in curves.items():
        workers = sorted(curve)
        axes.plot(workers, [curve[w] for w in workers], marker="o", markersize=4, label=WAYS[way])
    axes.set_xscale("log", base=2)
    axes.set_yscale(scale)
    ticks = sorted({w for curve in curves.values() for w in curve})
    axes.set_xticks(ticks, [str(t) for t in ticks], fontsize=8)
    axes.minorticks_off()
    axes.set_xlabel("workers")
    axes.set_ylabel("million tasks a second")
    axes.set_title(title, fontsize=10)


def memset(figure, runs):
    sizes = sorted({int(option(r, "tasks")) for r in runs})
    for axes, n in zip(figure.subplots(1, len(sizes)), sizes):
        draw_rates(axes, by_workers(runs, lambda r, n=n: int(option(r, "tasks")) == n),
                   f"memset, {n:,} tasks")
    axes.legend(fontsize=8)


def contains(figure, *files):
    titles = ("a synthetic corpus", "pages of real text")
    for axes, runs, title in zip(figure.subplots(1, len(files)), files, titles):
        draw_rates(axes, by_workers(runs, lambda r: option(r, "width") is None
                                    and option(r, "tasks-in") is None
                                    and option(r, "repeat") != "200"),
                   f"contains, {title}", "linear")
        axes.set_ylim(bottom=0)
    axes.legend(fontsize=8)


def scaling(figure, runs):
    axes = figure.subplots()
    times = {}
    for run in runs:
        name = re.sub(r"^mgws-bench(-hip)? | --(devices|steal|repeat|timeout|warmup|json|word"
                      r"|mean-bytes|width|transport)[ =]\S+", "", run["command"])
        times.setdefault(name, {})[len(run["devices"])] = seconds(run)
    for name, of in times.items():
        if 1 not in of:
            continue
        gpus = sorted(of)
        axes.plot(gpus, [of[1] / of[g] for g in gpus], marker="o", markersize=4, label=name)
    most = max(g for of in times.values() for g in of)
    axes.plot([1, most], [1, most], color="grey", linestyle=":", label="as many times as GPUs")
    axes.set_xticks(range(1, most + 1))
    axes.set_xlabel("GPUs")
    axes.set_ylabel("times as fast as one GPU")
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))


def seven_ways(figure, irregular):
    """The thesis' seven ways to use two GPUs."""
    panels = (("uts", "uts T1"), ("contains", "contains"))
    for axes, (workload, title) in zip(figure.subplots(1, 2), panels):
        runs = [r for r in irregular if r["workload"] == workload]
        # Fewer workers than multiprocessors are in the table alone.
        counts = sorted(n for n in {r["devices"][0]["workers"] for r in runs} if n >= 132)
        ways = {}
        for run in runs:
            gpus = option(run, "devices")
            way = (gpus if "," not in gpus else
                   f"both, --direct={option(run, 'direct')}" if option(run, "direct") else
                   f"both, {option(run, 'steal')}")
            ways.setdefault(way, {})[run["devices"][0]["workers"]] = seconds(run) * 1e3
        width = 0.8 / len(ways)
        for i, (way, of) in enumerate(ways.items()):
            axes.bar([x + i * width for x in range(len(counts))], [of.get(c, 0) for c in counts],
                     width, label=way)
        axes.set_xticks([x + 0.4 - width / 2 for x in range(len(counts))], [str(c) for c in counts])
        axes.set_yscale("log" if workload == "uts" else "linear")
        axes.set_xlabel("workers a GPU")
        axes.set_ylabel("ms")
        axes.set_title(title, fontsize=10)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))


def simulated_scale(figure, runs):
    axes = figure.subplots()
    for tasks, line in ((80, "-"), (10000, ":")):
        for pattern in dict.fromkeys(r["pattern"] for r in runs):
            of = {r["all_workers"]: r["time"]["working"] for r in runs
                  if r["pattern"] == pattern and r["tasks_of_worker"] == tasks}
            if not of:
                continue
            axes.plot(list(of), list(of.values()), line, marker="o", markersize=4,
                      label=f"{pattern}, {tasks:,} tasks a worker")
    axes.set_xscale("log")
    axes.set_ylim(0, 1)
    axes.set_xlabel("workers")
    axes.set_ylabel("busy: part of their time that workers work")
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))


def kernels(figure, *files):
    """A problem a row: every form of mgws and of the kernels that were written for it alone, as times
    over the best kernel's, and the milliseconds of mgws' best. What a host feeds is another problem,
    and not there."""
    axes = figure.subplots()
    rows = {}
    for data in files:
        rows.update(data["problems"])
    # Searches first, from the top.
    names = sorted(rows, key=lambda name: ("uts nqueens contains md memset".split().index(name.split()[0]), name),
                   reverse=True)
    dots = {"another kernel": ("o", "lightgrey", 40), "mgws, another form": ("D", "lightblue", 30),
            "the best kernel": ("o", "dimgrey", 40), "mgws": ("D", "tab:blue", 40)}
    for y, name in enumerate(names):
        sides = {form: side for form, side in rows[name].items() if "--fed" not in form}
        best = {peer: min(s["ratio"] for s in sides.values() if s["peer"] == peer) for peer in (False, True)}
        for label, (mark, color, size) in dots.items():
            peer, first = "kernel" in label, "another" not in label
            at = [s["ratio"] for s in sides.values() if s["peer"] == peer and (s["ratio"] == best[peer]) == first]
            axes.scatter(at, [y] * len(at), size, color, mark, label=label if y == 0 else None, zorder=2 + first)
    axes.axvline(1, color="grey", linewidth=0.8, zorder=0)
    axes.set_xscale("log")
    ticks = (0.7, 1, 1.5, 2, 3, 4, 6, 8)
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    ours = [min(s["median"] for form, s in rows[name].items() if not s["peer"] and "--fed" not in form)
            for name in names]
    axes.set_yticks(range(len(names)), [f"{name}: {time * 1e3:.3g} ms" for name, time in zip(names, ours)], fontsize=8)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.grid(axis="y", linewidth=0.3)
    axes.set_xlabel("time, as a multiple of the best kernel's")
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))


# Of each plot: who draws it, its size in inches, and the result files.
DRAWN = {
    "gpu-memset": (memset, (9, 3.6), ["h200/gpu-memset.json"]),
    "gpu-contains": (contains, (9, 3.6), ["h200/gpu-contains.json", "h200/gpu-contains-real.json"]),
    "gpu-kernels": (kernels, (8, 3.6), ["h100/gpu-kernels.json", "h100/gpu-kernels-contains.json",
                                        "h100/gpu-md-cache.json"]),
    "gpus-scaling": (scaling, (8, 4), ["h200-x4/gpus-scaling.json"]),
    "sim-scale": (simulated_scale, (8, 3.6), ["simulated/scale.json"]),
    "gpus-seven-ways": (seven_ways, (10, 3.6), ["h200-x2/gpus-irregular.json"]),
}


def fingerprint(files):
    """Which files, with which contents."""
    said = []
    for name in files:
        with open(os.path.join(RESULTS, name), "rb") as file:
            said.append(f"{name} {hashlib.sha256(file.read()).hexdigest()[:16]}")
    return "; ".join(said)


def path_of(name):
    return os.path.join(PLOTS, name + ".svg")


def check():
    stale = []
    for name, (_, _, files) in DRAWN.items():
        try:
            with open(path_of(name), encoding="utf-8") as file:
                if fingerprint(files) not in file.read():
                    stale.append(f"{name}.svg is older than its result files")
        except FileNotFoundError:
            stale.append(f"{name}.svg is missing")
    for problem in stale:
        print(f"docs/plots: {problem}: run tools/plots.py")
    return 1 if stale else 0


def draw():
    import matplotlib
    matplotlib.use("svg")
    # The same files give the same bytes.
    matplotlib.rcParams["svg.hashsalt"] = "mgws"
    from matplotlib.figure import Figure
    os.makedirs(PLOTS, exist_ok=True)
    for name, (plot, size, files) in DRAWN.items():
        figure = Figure(figsize=size, layout="tight")
        plot(figure, *(load(f) for f in files))
        figure.savefig(path_of(name), metadata={"Date": None, "Description": fingerprint(files)})
    return 0


sys.exit(check() if "--check" in sys.argv[1:] else draw())
