"""Runs of mgws-sim beside the same problems on GPUs."""

import re
import statistics

# How near the simulator is to be (docs/simulator.md).
NEAR = 0.15


def on_gpus(compared, kernels):
    """Milliseconds and GPU of each problem: of the first build of tools/compare_builds.py, and of
    bench/peers/compare_gpu.py."""
    found = {}
    for run in compared:
        if run["build"] != compared[0]["build"]:
            continue
        tree = re.match(r"mgws-bench (uts) --tree (\w+) |mgws-bench (spawn-tree) --depth (\w+) ", run["command"])
        if tree:
            problem = " ".join(word for word in tree.groups() if word)
            times, _ = found.setdefault(problem, ([], run["devices"][0]["name"]))
            times.append(run["summary"]["seconds"]["median"] * 1e3)
    for problem, sides in kernels["problems"].items():
        found.setdefault(problem, ([sides["mgws"]["median"] * 1e3], kernels["measured"]["gpus_before"][0]["name"]))
    return {problem: (statistics.median(times), gpu) for problem, (times, gpu) in found.items()}


def beside_gpus(runs, compared, kernels):
    """A row a problem: the median of the seeds, its least and most, what a GPU took, and the ratio."""
    gpus = on_gpus(compared, kernels)
    times = {}
    for run in runs:
        times.setdefault(run["problem"], (run["workers"], []))[1].append(run["makespan_ns"] / 1e6)
    rows = []
    for problem, (workers, of) in times.items():
        measured, gpu = gpus[problem]
        ratio = statistics.median(of) / measured
        rows.append([problem, f"{workers:,}", f"{statistics.median(of):.3f}", f"{min(of):.3f} to {max(of):.3f}",
                     f"{measured:.3f}", gpu, f"{ratio:.2f}", "yes" if abs(ratio - 1) <= NEAR else "no"])
    return ["problem", "workers", "simulated, ms", "least to most", "measured, ms", "by", "ratio",
            f"within {NEAR:.0%}".replace("%", " %")], rows


def loops_beside(runs, measured):
    """A row a loop: in each way the median of the seeds, what a GPU took, and the ratio."""
    times = {}
    for run in runs:
        times.setdefault((run["problem"], run["way"]), []).append(run["makespan_ns"] / 1e6)
    ways = list(dict.fromkeys(way for _, way in times))
    rows, ratios = [], []
    for problem in dict.fromkeys(problem for problem, _ in times):
        row = [problem]
        for way in ways:
            side = next(s for name, s in measured["problems"][problem].items()
                        if not s["peer"] and s["parameters"]["way"] == way)
            here, there = statistics.median(times[problem, way]), side["median"] * 1e3
            ratios.append(here / there)
            row.append(f"{here:.3f} / {there:.3f} ({here / there:.2f})")
        rows.append(row)
    rows.append([f"within {NEAR:.0%} / 25%".replace("%", " %")] + [
        f"{near(ratios[i::len(ways)], NEAR)} / {near(ratios[i::len(ways)], 0.25)} of {len(ratios[i::len(ways)])}"
        for i in range(len(ways))])
    return ["instances x base, pattern", *(f"`{way}`" for way in ways)], rows


def near(ratios, by):
    return sum(abs(ratio - 1) <= by for ratio in ratios)
