"""Runs of mgws-sim beside the same problems on GPUs."""

import re
import statistics

# How near the simulator is to be (docs/simulator.md).
NEAR = 0.15


# By which name bench/ablation/main.cpp, whose programs record nothing, has a problem.
ABLATION = {"uts T1": "uts T1", "uts T3": "uts T3", "spawn-tree 24": "spawn-tree"}


def on_gpus(ablation, compared):
    """Milliseconds and GPU of each problem: of tools/ablate_gpu.py as core is, and of the first build
    of tools/compare_builds.py."""
    gpu = ablation["measured"]["gpus_before"][0]["name"]
    found = {problem: (ablation["rows"][0]["ms"][name], gpu) for problem, name in ABLATION.items()}
    sets = [run for run in compared if run["build"] == compared[0]["build"] and
            re.match(r"mgws-bench memset --tasks 1048576 --repeat", run["command"])]
    found["memset 2^20"] = (statistics.median(run["summary"]["seconds"]["median"] for run in sets) * 1e3,
                            sets[0]["devices"][0]["name"])
    return found


def beside_gpus(runs, ablation, compared):
    """A row a problem: the median of the seeds, its least and most, what a GPU took, and the ratio."""
    gpus = on_gpus(ablation, compared)
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
