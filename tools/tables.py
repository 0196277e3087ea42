#!/usr/bin/env python3
"""Fills the tables of Markdown pages from result files, so that a page quotes nothing else.

A page says `<!-- table KIND FILE -->`, with FILE below bench/results (or FILE+FILE, for a kind that
wants two), and `<!-- end -->` after it;
what stands between is replaced. With --check nothing is written: exit code 1 if a page is not what
its files say.

KIND: `peers`      a file of bench/peers/compare.py: how many times mgws is faster
      `sequential` the same file: against one thread without a runtime
      `scale`      the same file: several workers against one, and what the machine gives
      `runs`       a file with a list of mgws-bench's JSON: times and rates, of what the workload counts
      `live`       the same, of live: trips and rates by devices
      `orders`     the same, of dijkstra by --order: how often an edge was relaxed, and how long it took
      `compared`   a file of tools/compare_builds.py: the first build's times, and how many times as
                   long the others take
      `grid`       a file as for `runs`: rates by number of workers
      `spread`     the same: of commands with many runs, how far apart these are; in medians
      `footprints` the same: registers, shared memory and workers a multiprocessor of a GPU
      `workers`    a file of tools/simulate_scale.py: busy, and the makespan over its
                   bound, by workers and tasks
      `steals`     the same, of a build with statistics, and a file of mgws-probe: what a steal takes,
                   by pair of devices, beside its floor, a fetch_add and a copy
      `volumes`    a file of tools/measure_steals.py: what a steal takes by the number of slots, of both
                   queues
      `litmus`, `costs`, `copies`  of mgws-probe
      `balance`    a file as for `runs`, of tools/measuring.py: how the work was spread over the workers
      `examples`   a file of examples/compare.py: the median times of each form, and how many times as
                   fast mgws is
      `ablation`   a file of tools/ablate_gpu.py: by group of problems, how many times as long they take
      `constants`, `constants_noise`  a file of tools/ablate_cpu.py: by constant and workload, how many
                   times as long they take; and how many times as long the same program takes again
      `rules`      of tools/ablate_gpu.py, without rules: the problems that take another time then
      `reports`    the reports of docs/evaluation: FILE is that folder
      `simulated`  a file of tools/simulate_trees.py, one of tools/ablate_gpu.py and one of
                   tools/compare_builds.py: what the simulator says beside what GPUs took
      `simulated_loops`  a file of tools/simulate_balance.py and one of tools/measure_balance.py, of one
                   build on a GPU: the same of loops
      `policy`     a file of tools/ablate_policy.py: what was simulated, by constant and workload
      `loops`      one or two of the latter, the second without the board: times over the best peer's
      `several`, `repeats`  as for `runs`: where tasks ran; of many short runs the least and most
      `source`     of any of them: when, from which commit, by which command
"""

import argparse
import json
import pathlib
import re
import statistics
import sys

import cpu_ablation
import kept_reports
import simulated
from ages import Ages, without_ages
from counted import unit_of, unit_of_all

ROOT = pathlib.Path(__file__).resolve().parent.parent
AGES = Ages()
MARK = re.compile(r"(<!-- table (\w+) (\S+) -->\n).*?(<!-- end -->)", re.S)


def markdown(headings, rows):
    lines = ["| " + " | ".join(headings) + " |",
             "|" + "|".join("---" if i == 0 else "---:" for i in range(len(headings))) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def problems(data):
    """The comparisons by problem and number of workers, in the file's order."""
    groups = {}
    for c in data["comparisons"]:
        groups.setdefault((c["problem"], c["workers"]), []).append(c)
    return groups


def best(comparison):
    """Our side that answers a peer: the bulk form where the peer takes ranges and we have one."""
    sides = {side["program"]: side for side in comparison["mgws"]}
    if comparison["peer"]["program"].endswith("range") and "mgws bulk" in sides:
        return sides["mgws bulk"]
    return sides["mgws"]


def peers(data):
    names = []
    for c in data["comparisons"]:
        name = c["peer"]["program"]
        if name != "sequential" and name not in names:
            names.append(name)
    rows = []
    for (problem, workers), group in problems(data).items():
        sides = {}
        for c in group:
            for side in c["mgws"]:
                sides.setdefault(side["program"], []).append(side["ns_per_task"])
        ours = [f"{min(sides[n]):.2f}" if n in sides else "" for n in ("mgws", "mgws bulk")]
        against = {c["peer"]["program"]: f"{best(c)['ratio']:.2f}" for c in group}
        rows.append([problem, str(workers), *ours, *(against.get(n, "") for n in names)])
    return markdown(["problem", "workers", "mgws, ns a task", "in bulk slots",
                     *(f"faster than {n}" for n in names)], rows)


def sequential(data):
    rows = []
    for (problem, workers), group in problems(data).items():
        for c in group:
            if c["peer"]["program"] != "sequential":
                continue
            for side in c["mgws"]:
                rows.append([problem, str(workers), side["program"],
                             f"{c['peer']['ns_per_task']:.2f}", f"{side['ns_per_task']:.2f}",
                             f"{side['ratio']:.2f}"])
    return markdown(["problem", "workers", "program", "sequential, ns", "ns a task", "speed-up"],
                    rows)


def scale(data):
    rows = [[c["problem"], str(c["workers"]), f"{c['scale']['workers']:.2f}",
             f"{c['scale']['possible']:.2f}"] for c in data["comparisons"] if "scale" in c]
    return markdown(["problem", "workers", "speed-up over one", "as many programs side by side"], rows)


def devices_of(run):
    """The devices in words; several GPUs that are alike in one."""
    devices = run["devices"]
    if len(devices) > 1 and len({d["workers"] for d in devices}) == 1:
        name = devices[0]["name"].rsplit(" ", 1)[0]
        if devices[0]["kind"] == "gpu" and len({d["name"] for d in devices}) == 1:
            return f"{name} as {len(devices)}: {devices[0]['workers']} workers each"
        return f"{len(devices)} × {name}: {devices[0]['workers']} workers each"
    return ", ".join(f"{d['name']}: {d['workers']} workers" for d in devices)


def short(command):
    """A command without what all of them have in common."""
    return re.sub(r"^mgws-bench(-hip)? | --(json \S+|timeout \S+|warmup \S+|repeat \S+|devices \S+)", "",
                  command)


# What the workloads count, which need not be tasks: newer files say it.
UNITS = {"cilksort": "keys", "clique": "nodes", "contains": "articles", "crypt": "blocks", "dijkstra": "edges",
         "fib": "calls", "knapsack": "nodes", "loop": "instances", "mandelbrot": "pixels", "md": "atoms",
         "quicksort": "keys", "taskbench": "nodes", "uts": "nodes"}


def unit_of(run):
    return run["summary"].get("unit") or UNITS.get(run["workload"], "tasks")


def runs(data):
    """Medians, with the least and the most of the runs, and how long the call took that the run is in,
    where files have it."""
    calls_too = any("call_seconds" in run["summary"] for run in data)
    rows = []
    for run in data:
        summary = run["summary"]
        seconds, call = summary["seconds"], summary.get("call_seconds")
        rows.append([f"`{short(run['command'])}`", devices_of(run), f"{summary['result']:,}",
                     "right" if summary["verified"] else "WRONG",
                     f"{seconds['median'] * 1e3:.3f}", f"{seconds['min'] * 1e3:.3f} to {seconds['max'] * 1e3:.3f}",
                     *([f"{call['median'] * 1e3:.3f}" if call else ""] if calls_too else []),
                     f"{summary['tasks_per_second']['median'] / 1e6:,.1f} {unit_of(run)}"])
    return markdown(["command", "devices", "result", "", "ms (median)", "least to most",
                     *(["call, ms"] if calls_too else []), "million a second"], rows)


def beside(data):
    """Each workload on a GPU alone, and as many times as long with CPU workers beside it."""
    lines = {}
    for run in data:
        if sum(d["kind"] == "gpu" for d in run["devices"]) != 1:
            continue
        cpu = sum(d["workers"] for d in run["devices"] if d["kind"] == "cpu")
        lines.setdefault(re.sub(r" --(termination|workers|domains) \S+", "", short(run["command"])), {})[cpu] = run
    counts = sorted({cpu for of in lines.values() for cpu in of} - {0})
    rows = []
    for command, of in lines.items():
        alone = of[0]["summary"]["seconds"]["median"]
        rows.append([f"`{command}`", f"{alone * 1e3:.3f}",
                     *(f"{of[n]['summary']['seconds']['median'] / alone:.3f}" for n in counts),
                     *(f"{of[n]['statistics']['tasks_by_device'][0]:,}" for n in counts)])
    return markdown(["workload", "GPU alone, ms", *(f"with {n} CPU workers" for n in counts),
                     *(f"tasks of the {n}" for n in counts)], rows)


def live(data):
    """Of `live`, by what was submitted and by devices; of several processes' runs the median."""
    cells = {}
    for run in data:
        asked, summary, more = run["parameters"], run["summary"], {}
        if asked.get("arrivals"):
            at = summary["details"]["arrival_seconds"]
            row = "until its first instruction, us, at least"
            value = at["at_least"]["median"] * 1e6
            more = {"the same, at most": at["at_most"]["median"] * 1e6}
        elif asked["trips"]:
            row = "a trip, one task at a time, us"
            value = summary["details"]["trip_seconds"]["median"] * 1e6
        else:
            how = f"`submit_n` of {asked['instances']:,}" if asked["instances"] > 1 else "task by task"
            threads = f"{asked['producers']} thread{'s' * (asked['producers'] > 1)}"
            slots = f", rings of {asked['inbox_slots']:,}" if asked["inbox_slots"] != 1024 else ""
            row = f"{threads}, {how}{slots}, M {unit_of(run)}/s"
            value = summary["tasks_per_second"]["median"] / 1e6
        cpu = sum(d["workers"] for d in run["devices"] if d["kind"] == "cpu")
        parts = ["GPU"] * any(d["kind"] == "gpu" for d in run["devices"])
        parts += [f"{cpu} CPU worker{'s' * (cpu > 1)}"] * (cpu > 0)
        for name, number in {row: value, **more}.items():
            cells.setdefault(name, {}).setdefault(" and ".join(parts), []).append(number)
    columns = list(dict.fromkeys(name for of in cells.values() for name in of))

    def cell(values):
        median = statistics.median(values) if values else None
        return "" if median is None else f"{median:,.0f}" if median >= 100 else f"{median:.2f}"
    return markdown(["", *columns], [[row, *(cell(of.get(name)) for name in columns)] for row, of in cells.items()])


def orders(data):
    """Of `dijkstra` by tasks in some order: how often an edge was relaxed, and how long it took."""
    rows = {}
    for run in data:
        asked, summary = run["parameters"], run["summary"]
        size = f"{' + '.join(d['name'] for d in run['devices'])}, {asked['nodes']:,} nodes"
        rows.setdefault(size, {})[asked["order"]] = (
            f"{summary['details']['relaxed'] / summary['tasks']:.2f}", f"{summary['seconds']['median'] * 1e3:.3f}")
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    return markdown(["relaxations of an edge, and ms (median)", *(cell for name in names for cell in (f"`{name}`", ""))],
                    [[size, *(cell for name in names for cell in row.get(name, ("-", "-")))]
                     for size, row in rows.items()])


def grid(data):
    """Rates by number of workers: a row for each way, a column for each number."""
    rates = {}
    for run in data:
        way = re.sub(r" --workers \d+", "", short(run["command"]))
        times = re.search(r"--repeat (\d+)", run["command"]).group(1)
        rate = run["summary"]["tasks_per_second"]["median"] / 1e6
        rates.setdefault((way, times), {})[run["devices"][0]["workers"]] = f"{rate:,.1f}"
    workers = sorted({n for row in rates.values() for n in row})
    return markdown([f"M {unit_of_all(data)}/s by number of workers", "runs", *map(str, workers)],
                    [[f"`{way}`", times, *(row.get(n, "-") for n in workers)]
                     for (way, times), row in rates.items()])


def spread(data):
    """How far apart the runs of one command lie, of those with many."""
    rows = []
    for run in data:
        seconds = sorted(r["seconds"] for r in run["runs"])
        if len(seconds) < 50:
            continue
        median = statistics.median(seconds)
        rows.append([f"`{short(run['command'])}`", f"{len(seconds)}", f"{median * 1e3:.3f}",
                     *(f"{seconds[min(int(part * len(seconds)), len(seconds) - 1)] / median:.3f}"
                       for part in (0, 0.05, 0.95, 1)),
                     str(sum(s > 1.1 * median for s in seconds))])
    return markdown(["command", "runs", "ms (median)", "least", "5 %", "95 %", "most",
                     "runs above 1.1"], rows)


def compared(data):
    builds = list(dict.fromkeys(run["build"] for run in data))
    medians = {}
    for run in data:
        seconds = medians.setdefault(short(run["command"]), {})
        seconds.setdefault(run["build"], []).append(run["summary"]["seconds"]["median"])
    rows = []
    for command, seconds in medians.items():
        first = statistics.median(seconds[builds[0]])
        rows.append([f"`{command}`", f"{first * 1e3:.3f}",
                     *(f"{statistics.median(seconds[b]) / first:.2f}" if b in seconds else "-"
                       for b in builds[1:])])
    return markdown(["command", f"{builds[0]}, ms", *builds[1:]], rows)


def calls(data):
    """From call to return, and of that the run itself, in microseconds."""
    builds = list(dict.fromkeys(run["build"] for run in data))
    medians = {}
    for run in data:
        words = re.sub(r" --workers \d+", "", short(run["command"]))
        both = medians.setdefault((words, sum(d["workers"] for d in run["devices"])), {})
        both.setdefault(run["build"], []).append(
            tuple(run["summary"][of]["median"] * 1e6 for of in ("call_seconds", "seconds")))
    rows = []
    for (words, workers), of_build in medians.items():
        row = [f"`{words}`", f"{workers:,}"]
        for build in builds:
            call, run = (statistics.median(times) for times in zip(*of_build[build]))
            row.append(f"{call:,.0f} ({run:,.0f})")
        rows.append(row)
    return markdown(["command", "workers", *(f"{build}, us (kernel)" for build in builds)], rows)


def metg(data):
    """The shortest nodes with which half of the time goes into them, in microseconds: how long the
    work of one takes, of several processes in the median."""
    patterns = list(dict.fromkeys(run["parameters"]["pattern"] for run in data))
    found = {}
    for run in data:
        of_columns = found.setdefault(run["parameters"]["columns"], {})
        of_columns.setdefault(run["parameters"]["pattern"], []).append(run["summary"]["details"]["metg_us"])

    def cell(times):
        return f"{statistics.median(times):.2f}" if None not in times else "none"
    rows = [[str(columns), *(cell(of_pattern[p]) for p in patterns)]
            for columns, of_pattern in found.items()]
    return markdown(["columns", *(f"`{p}`" for p in patterns)], rows)


def examples(data):
    rows = []
    gpu = any("gpu" in c["seconds"] for c in data["comparisons"])
    for c in data["comparisons"]:
        natural = c.get("peer_arguments")
        rows.append([f"`{' '.join([c['example'], *c['arguments']])}`" +
                     (f", oneTBB with `{' '.join([*c['arguments'], *natural])}`" if natural else ""),
                     *(f"{statistics.median(c['seconds'][who]) * 1e3:.1f}"
                       for who in ("sequential", "oneTBB", "mgws")),
                     *(f"{c['ratios'][who]:.2f}" for who in ("sequential", "oneTBB")),
                     *([f"{statistics.median(c['seconds']['gpu']) * 1e3:.2f}"] if gpu else [])])
    return markdown(["example", "one thread, ms", "oneTBB, ms", "mgws, ms", "faster than one thread",
                     "faster than oneTBB", *(["mgws on the GPU, ms"] if gpu else [])], rows)


def compiles(data):
    """What tools/measure_compile.py found."""
    ways = {"before": f"headers alone, of {data['before']}", "headers": "headers alone", "library": "with the library"}
    return markdown(["compiler", "", "s", "least to most", "of what it took before"],
                    [[f"`{c['compiler']}`", ways[c["way"]], f"{statistics.median(c['seconds']):.1f}",
                      f"{min(c['seconds']):.1f} to {max(c['seconds']):.1f}", f"{c['ratio_to_before']:.2f}"]
                     for c in data["comparisons"]])


def kernels(*files):
    """What bench/peers/compare_gpu.py found."""
    rows = []
    for data in files:
        for problem, sides in data["problems"].items():
            for name, side in sides.items():
                call = side["call_seconds"]
                rows.append([problem, f"`{name.removeprefix('peer ') if side['peer'] else name}`",
                             f"{side['median'] * 1e3:.3f}",
                             " to ".join(f"{t * 1e3:.3f}" for t in side["spread"]),
                             f"{statistics.median(call) * 1e3:.3f}" if call else "",
                             f"{side['ratio']:.2f}"])
    return markdown(["work", "by", "ms", "least to most", "call, ms", "of the best kernel's time"], rows)


def answers(data):
    """How long domains waited for an answer: who asked, and by when so many parts of all were answered."""
    rows = []
    for row in data["rows"]:
        for i, asker in enumerate(row["answers"]):
            if not asker["count"]:
                continue
            def within(part, asker=asker):
                seen = 0
                for power, n in sorted((int(power), n) for power, n in asker["bins"].items()):
                    seen += n
                    if seen >= part * asker["count"]:
                        return f"{2 ** (power + 1) / 1000:.0f}"
                return ""
            least = min(int(power) for power, n in asker["bins"].items() if n)
            rows.append([f"`{short(row['command']).removesuffix(' --trace FILE')}`",
                         f"{asker['device'].split(':')[0]} ({i})", f"{asker['count']:,}", f"{2 ** least / 1000:.0f}",
                         within(0.25), within(0.5), within(0.75), f"{asker['longest'] * 1e6:.0f}"])
    return markdown(["command", "device that asks", "answers", "least, us", "a quarter within", "half", "three quarters",
                     "longest"], rows)


def source(whole):
    data = whole[0] if isinstance(whole, list) else whole
    if "processor" not in data:
        return AGES.sentence(whole) + "\n"
    of_runs = f" of {data['runs']} runs" if "runs" in data else ""
    return (f"{data['processor']}, {data['processors']} processors; {data['rounds']} rounds{of_runs}; "
            f"{data['date']}, commit {data['commit']}; `{data['command']}`.{AGES.change(data)}\n")


def workers(data):
    """Simulated loops by workers and tasks: the part of their time that workers work, that they are in
    steps, and the makespan as a multiple of its bound."""
    patterns = list(dict.fromkeys(run["pattern"] for run in data))
    by = {}
    for run in data:
        by.setdefault((run["all_workers"], run["devices"], run["tasks_of_worker"]), {})[run["pattern"]] = (
            f"{run['time']['working']:.3f}, {run['busy']:.3f} ({run['times_bound']:.2f})")
    return markdown(["workers", "devices", "tasks a worker", *patterns],
                    [[f"{count:,}", str(devices), f"{tasks:,}", *(of.get(pattern, "") for pattern in patterns)]
                     for (count, devices, tasks), of in by.items()])


def footprints(data):
    """What a GPU's worker takes, by task set: one row for each that differs."""
    rows = {}
    for run in data:
        worker = run["devices"][0].get("worker")
        if worker is None:
            continue
        name = " ".join([run["workload"], *(f"--{k}" for k in ("bulk",) if run["parameters"].get(k)),
                         *(f"--width {run['parameters']['width']}" for _ in (0,)
                           if run["parameters"].get("width", "lane") != "lane")])
        rows[name, worker["registers"], worker["shared_bytes"]] = [
            f"`{name}`", *(f"{worker[k]:,}" for k in ("lanes", "registers", "shared_bytes",
                                                       "local_bytes", "resident"))]
    return markdown(["tasks of", "lanes", "registers a lane", "shared bytes", "local bytes a lane",
                     "workers a multiprocessor"], [rows[key] for key in sorted(rows)])


def repeats(data):
    """Many runs of one command each, every one verified."""
    rows = []
    for run in data:
        seconds = run["summary"]["seconds"]
        times = re.search(r"--repeat (\d+)", run["command"]).group(1)
        rows.append([f"`{short(run['command'])}`", devices_of(run), f"{int(times):,}",
                     "all right" if run["summary"]["verified"] else "WRONG",
                     *(f"{seconds[k] * 1e6:.0f}" for k in ("min", "median", "max"))])
    return markdown(["command", "devices", "runs", "", "us (least)", "(median)", "(most)"], rows)


def several(data):
    """Runs on several devices: where their tasks ran, and when each device had its first."""
    rows = []
    for run in data:
        statistics = run["statistics"]
        first = statistics.get("first_task_seconds") or []
        rows.append([f"`{short(run['command'])}`", ", ".join(d["name"] for d in run["devices"]),
                     f"{run['summary']['seconds']['median'] * 1e3:.3f}",
                     " + ".join(f"{n:,}" for n in statistics["tasks_by_device"]),
                     ", ".join("-" if t is None else f"{t * 1e6:.0f}" for t in first)])
    return markdown(["command", "devices", "ms (median)", "tasks, last run",
                     "first task after, us"], rows)


def balance(data):
    """How the work of each command's last run was spread: imbalance is the standard deviation of the
    workers' tasks over their mean."""
    rows = []
    for run in data:
        statistics = run["statistics"]
        tasks = statistics.get("tasks_by_worker") or statistics.get("tasks_of_a_worker") or [0]
        rows.append([f"`{short(run['command'])}`", devices_of(run),
                     *("-" if statistics.get(k) is None else f"{statistics[k]:.3f}"
                       for k in ("busy", "lanes", "imbalance")), f"{min(tasks):,} to {max(tasks):,}"])
    return markdown(["command", "devices", "busy", "lanes", "imbalance", "tasks of a worker, last run"],
                    rows)


def ablation(data):
    """Each constant at other values: how many times as long each group of problems takes, as the
    geometric mean of the group's."""
    groups = {"loops of 1024 iterations, seeded": r"loop 1024 .*, seed_n", "spawned": r"loop 1024 .*, spawned",
              "of 16384, seeded": r"loop 16384 .*, seed_n", "spawned ": r"loop 16384 .*, spawned",
              "`uts` T1": "uts T1", "`uts` T3": "uts T3", "`spawn-tree`": "spawn-tree"}
    rows = []
    for row in data["rows"]:
        if row["constant"] is None:
            continue
        name = f"`{row['constant']}` = {row['value']}"
        if "failed" in row:
            rows.append([name, row["failed"], *[""] * (len(groups) - 1)])
            continue
        rows.append([name, *(f"{statistics.geometric_mean(r for p, r in row['ratio'].items() if re.fullmatch(g, p)):.2f}"
                             for g in groups.values())])
    return markdown(["constant", *map(str.strip, groups)], rows)


def rules(data):
    """Each problem without each rule, or with another constant: how many times as long it takes, if
    that differs anywhere."""
    without = [row for row in data["rows"] if row["constant"] is not None]
    rows = []
    for problem, ms in data["rows"][0]["ms"].items():
        ratios = [row["ratio"][problem] for row in without]
        if any(abs(r - 1) > 0.05 for r in ratios):
            rows.append([problem, f"{ms:.3f}", *(f"{r:.2f}" for r in ratios)])
    return markdown(["problem", "ms", *(f"without `{row['constant']}`" if row["value"] == "without"
                                           else f"`{row['constant']}` = {row['value']:,}" for row in without)],
                    rows)


def halves(data):
    """Each problem by two halves of a GPU that share queues, by two that have a bridge between them,
    and by those without each rule."""
    without = [row for row in data["rows"] if row["constant"] is not None]
    rows = []
    for problem, ms in data["rows"][0]["ms"].items():
        name, _, how = problem.rpartition(", ")
        if how != "halves":
            continue
        shared = data["rows"][0]["ms"][f"{problem} that share"]
        rows.append([name, f"{shared:.3f}", f"{ms:.3f}", f"{ms / shared:.2f}",
                     *(f"{row['ms'][problem] / shared:.2f}" for row in without)])
    return markdown(["problem", "halves that share, ms", "with a bridge, ms", "",
                     *(f"without `{row['constant']}`" for row in without)], rows)


def litmus(data):
    operations = ("fetch_add", "exchange", "message", "lock")
    found = {}
    for run in data["litmus"]:
        row = found.setdefault((*run["between"], run["memory"], run["scope"]), {})
        row[run["operation"]] = ("right" if run["verdict"] == "passed" else
                                 f"WRONG {run['wrong']:,} of {run['operations']:,}"
                                 if run["verdict"] == "failed" else run["verdict"])
        if run["driver_says"] is not None:
            row["driver"] = "coherent" if run["driver_says"] else "not coherent"
    rows = [[f"{a}, {b}", memory, scope, *(row.get(o, "-") for o in operations),
             row.get("driver", "-")]
            for (a, b, memory, scope), row in found.items()]
    return markdown(["between", "memory", "scope", *operations, "driver says"], rows)


def costs(data):
    operations = list(dict.fromkeys(x["operation"] for x in data["latencies"]))
    found = {}
    for x in data["latencies"]:
        found.setdefault((x["device"], x["memory"], x["scope"]), {})[x["operation"]] = x["median"]
    rows = [[device, memory, scope, *(f"{row[o]:.0f}" if row.get(o) is not None else "-" for o in operations)]
            for (device, memory, scope), row in found.items() if device != "cpu"]
    return markdown(["device", "memory", "scope", *operations], rows)


def copies(data):
    sizes = list(dict.fromkeys(x["bytes"] for x in data["copies"]))
    found = {}
    for x in data["copies"]:
        found.setdefault((x["device"], x["memory"]), {})[x["bytes"]] = x["median"]
    rows = [[device, memory, *(f"{row[b]:,.0f}" for b in sizes)]
            for (device, memory), row in found.items() if device != "cpu"]
    return markdown(["to", "from", *(f"{b:,} bytes" for b in sizes)], rows)


def floor_of(probe, thief, target, scope, size):
    """Nanoseconds of a fetch_add as a thief claims and of a copy of so many bytes, on a quiet machine."""
    claim = next(x["median"] for x in probe["latencies"]
                 if (x["device"], x["memory"], x["scope"], x["operation"])
                 == (thief, target, scope, "fetch_add acquire"))
    sizes = sorted((x["bytes"], x["median"]) for x in probe["copies"]
                   if (x["device"], x["memory"]) == (thief, target))
    below = max((s for s in sizes if s[0] <= size), default=sizes[0])
    above = min((s for s in sizes if s[0] >= size), default=sizes[-1])
    part = 0 if above[0] == below[0] else (size - below[0]) / (above[0] - below[0])
    return claim + below[1] + part * (above[1] - below[1])


def steals(data, probe):
    rows = []
    for run in data:
        labels = re.search(r"--devices (\S+)", run["command"]).group(1).split(",")
        scope = "system" if len(labels) > 1 else "device"
        for thief, row in enumerate(run["statistics"]["steals"]):
            for target, of in enumerate(row):
                if of["won"] == 0:
                    continue
                size = of["slots"] * run["statistics"]["slot_bytes"] / of["won"]
                floor = floor_of(probe, labels[thief], labels[target], scope, size)
                ns = [of[k] / of["won"] * 1e9 for k in ("look_seconds", "take_seconds", "settle_seconds")]
                pair = labels[thief] if len(labels) == 1 else \
                    f"{thief} ({labels[thief]}) from {target} ({labels[target]})"
                rows.append([f"`{short(run['command'])}`", pair, f"{of['won']:,}", f"{size:.0f}",
                             *(f"{n:,.0f}" for n in ns), f"{floor:,.0f}", f"{ns[1] / floor:.2f}"])
    return markdown(["command", "device", "steals", "bytes each", "look, ns", "claim and copy", "settle",
                     "floor", "claim and copy of the floor"], rows)


def volumes(data):
    if isinstance(data, list):
        data, = data
    rows = {}
    for case in data["rows"]:
        sws, sdc = (statistics.median(case[queue]) - data["clock_ns"] for queue in ("sws", "sdc"))
        ratio = statistics.median((b - data["clock_ns"]) / (a - data["clock_ns"])
                                  for a, b in zip(case["sws"], case["sdc"]))
        rows.setdefault((case["task_bytes"], case["slots"]), []).extend([f"{sws:,.0f}", f"{sdc:,.0f}", f"{ratio:.2f}"])
    memories = {"own": "own memory", "peer": "a peer's"}
    headings = [heading for memory in dict.fromkeys(case["from"] for case in data["rows"])
                for heading in (f"{memories[memory]}, `sws`, ns", "`sdc`", "ratio")]
    return markdown(["bytes of a task", "slots", *headings], [[f"{b}", f"{n:,}", *cells] for (b, n), cells in rows.items()])


def reports(folder):
    """The reports that are kept: of which machine and commits, and what is missing in each."""
    rows = [[kept_reports.machine(data["about"]), f"[{path.name}]({folder}/{path.name})",
             AGES.sentence(data), kept_reports.left(data["about"])] for path, data in kept_reports.kept()]
    return markdown(["machine", "report", "when", "commands that are left"], rows)


def loops(now, before=None):
    def of(problem, way):
        side = next((s for s in problem.values() if not s["peer"] and s["parameters"].get("way", way) == way), None)
        return f"{side['ratio']:.2f}" if side else ""

    ways = ["seed_n", "seeds", "spawn"]
    rows = []
    for name, problem in now["problems"].items():
        peer, best = min(((s["parameters"]["form"], s["median"]) for s in problem.values() if s["peer"]),
                         key=lambda p: p[1])
        rows.append([name, f"{best * 1e3:.3f} ({peer})", *(of(problem, way) for way in ways),
                     *([of(before["problems"].get(name, {}), "spawn")] if before else [])])
    return markdown(["instances x base, pattern", "best peer, ms", "`seed_n`", "`seeds`", "spawned by a root",
                     *(["the same without the board"] if before else [])], rows)


def simulated_beside(*data):
    return markdown(*simulated.beside_gpus(*data))


def policy(data):
    """As multiples of the first of each workload, too."""
    workloads = list(dict.fromkeys(row["workload"] for row in data))
    took = {(row["constant"], row["how"], row["workload"]): row["makespan_ns"] for row in data}

    def of(constant, how, workload):
        ns = took[constant, how, workload]
        return f"{ns / 1e6:.3f} ({ns / took['as it is', '', workload]:.2f})" if ns else "not done in 60 s"

    rows = [[f"`{constant}`" if constant.startswith("k_") else constant, how,
             *(of(constant, how, workload) for workload in workloads)]
            for constant, how in dict.fromkeys((row["constant"], row["how"]) for row in data)]
    return markdown(["constant", "", *workloads], rows)


def simulated_loops(*data):
    return markdown(*simulated.loops_beside(*data))


def constants(data):
    return markdown(*cpu_ablation.by_constant(data))


def constants_noise(data):
    return markdown(*cpu_ablation.by_workload(data))


KINDS = {"simulated": simulated_beside, "simulated_loops": simulated_loops, "loops": loops, "policy": policy, "constants": constants, "constants_noise": constants_noise, "ablation": ablation, "calls": calls, "metg": metg, "rules": rules, "halves": halves, "beside": beside, "repeats": repeats, "several": several, "litmus": litmus, "costs": costs, "copies": copies,
         "answers": answers, "balance": balance, "examples": examples, "kernels": kernels, "compiles": compiles,
         "peers": peers, "sequential": sequential, "scale": scale,
         "runs": runs, "live": live, "orders": orders, "footprints": footprints, "workers": workers,
         "steals": steals, "volumes": volumes, "source": source, "compared": compared, "grid": grid, "spread": spread}


def filled(text):
    sources = {match[3] for match in MARK.finditer(text) if match[2] == "source"}

    def fill(match):
        if match[2] == "reports":
            return match[1] + reports(match[3]) + match[4]
        names = match[3].split("+")
        data = [json.loads((ROOT / "bench" / "results" / name).read_text()) for name in names]
        said = KINDS[match[2]](*data)
        for name, of in zip(names, data):
            if match[2] != "source" and name not in sources:
                said += f"\n{AGES.sentence(of)}\n"
        return match[1] + said + match[4]
    return MARK.sub(fill, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("pages", nargs="*", type=pathlib.Path,
                        help="default: all pages of docs/ that have tables")
    options = parser.parse_args()
    stale = False
    # What only the history tells is not compared without it.
    seen = without_ages if options.check and AGES.no_history else str
    if options.check and AGES.no_history:
        print(f"Whether files are older than what they are of is not looked at: {AGES.no_history}")
    for page in options.pages or sorted((ROOT / "docs").glob("*.md")):
        before = page.read_text()
        after = filled(before)
        if seen(after) == seen(before):
            continue
        stale = True
        if options.check:
            print(f"{page}: its tables are not what its result files say: run tools/tables.py")
        else:
            page.write_text(after)
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
