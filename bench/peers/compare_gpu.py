#!/usr/bin/env python3
"""Runs mgws-bench and mgws-peer-gpu, which has kernels of its own for each problem, on one GPU with
the same input, and prints how many times as long mgws takes.

usage: compare_gpu.py --build BUILD [--json FILE]

The two run in turn, in each round each of them once, in a process of its own; what is compared is the
median over the rounds of the median of a process' runs: of mgws the kernel from start to end, as its
report says, and of the peers all kernels of a run. The time of the call is printed beside it. The
programs verify all results themselves, and the two must find the same; after a wrong one this script's
exit code is 1. Ratios are times over the best form's of the peer: 1.00 is as fast, 2.00 takes twice as
long."""

import argparse
import datetime
import json
import os
import re
import shlex
import statistics
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from circumstances import Circumstances

SYNTHETIC = ["--synthetic", 300000, "--mean-bytes", 7000, "--fraction", 0.1, "--corpus-seed", 1]
CRYPT = [["--bulk"], ["--bulk", "--width", "warp", "--grain", "256"],
         ["--bulk", "--width", "block", "--grain", "4096"], ["--width", "warp", "--grain", "256"]]
# Problem: the options that both understand alike; mgws in its ways; the peer's workload, where it has
# another name, and options.
PROBLEMS = {
    "contains 2.1 GB": ("contains", SYNTHETIC,
                        [[], ["--width", "warp"], ["--piece", "0"]],
                        "contains", []),
    "crypt 2^26": ("crypt", ["--size", 1 << 26], CRYPT, "crypt", []),
    "crypt 2^28": ("crypt", ["--size", 1 << 28], CRYPT, "crypt", []),
    "memset 2^26": ("memset", ["--tasks", 1 << 26], [[], ["--bulk"]], "fill", []),
    "memset 2^20": ("memset", ["--tasks", 1 << 20], [[], ["--bulk"]], "fill", []),
    "md 2^15": ("md", ["--atoms", 1 << 15], [[], ["--order", "random"], ["--fed", "20"]], "md", []),
    "md 2^17": ("md", ["--atoms", 1 << 17], [[], ["--order", "random"], ["--fed", "20"]], "md", []),
    "md 2^19": ("md", ["--atoms", 1 << 19], [[], ["--order", "random"], ["--fed", "20"]], "md", []),
    # Patterns of load of Chen et al.: which blocks have anything to do.
    **{f"md 2^19 {pattern}": ("md", ["--atoms", 1 << 19, "--density", "uniform", "--pattern", pattern],
                              [[], ["--fed", "20"]], "md", ["--form", "sorted,counter"])
       for pattern in ("P0", "P1", "P2", "P3", "P4")},
    "nqueens 16": ("nqueens", ["--n", 16], [[]], "nqueens", []),
    "nqueens 18": ("nqueens", ["--n", 18], [[]], "nqueens", []),
    "nqueens 20": ("nqueens", ["--n", 20], [[]], "nqueens", []),
    # Neighbours whose lengths are all different: what lanes that refill are for.
    "loop 2^24 geometric": ("loop", ["--n", 1 << 24, "--base", 64, "--grain", 1, "--pattern", "geometric"],
                            [[], ["--piece", "256"]], "loop", ["--form", "all", "--chunk", 256, "--piece", 128]),
    "mandelbrot 4096x3072": ("mandelbrot", ["--size", "4096x3072", "--iterations", 20000],
                             [[], ["--piece", "256"]], "mandelbrot", []),
    "uts T1": ("uts", ["--tree", "T1"], [[]], "uts", []),
    "uts T3": ("uts", ["--tree", "T3"], [[]], "uts", []),
    "uts T1L": ("uts", ["--tree", "T1L"], [[]], "uts", []),
    # A level of a deep tree is a few families and a launch: only the stacks.
    "uts T3L": ("uts", ["--tree", "T3L"], [[]], "uts", ["--form", "stacks"]),
    "uts T1XL": ("uts", ["--tree", "T1XL"], [[]], "uts", []),
}
# Of these a run takes seconds: a process has no more of them than (runs, runs before them).
LONG = {"nqueens 20": (2, 1)}
QUICK = {
    "contains 2.1 MB": ("contains", ["--synthetic", 3000, "--mean-bytes", 700], [[], ["--bulk"]],
                        "contains", []),
    "crypt 2^20": ("crypt", ["--size", 1 << 20], CRYPT, "crypt", []),
    "memset 2^16": ("memset", ["--tasks", 1 << 16], [[], ["--bulk"]], "fill", []),
    "md 2^15": ("md", ["--atoms", 1 << 15], [[], ["--fed", "20"]], "md", []),
    "nqueens 12": ("nqueens", ["--n", 12], [[]], "nqueens", []),
    "loop 2^16 geometric": ("loop", ["--n", 1 << 16, "--base", 64, "--grain", 1, "--pattern", "geometric"],
                            [[], ["--piece", "256"]], "loop", ["--form", "all", "--chunk", 256, "--piece", 128]),
    "mandelbrot 1024x768": ("mandelbrot", ["--size", "1024x768", "--iterations", 2000], [[]], "mandelbrot", []),
    "uts T1": ("uts", ["--tree", "T1"], [[]], "uts", []),
}


class Failure(Exception):
    """A program that did not do its work; the text is one sentence."""


def results_of(command, limit):
    """What a program reports: a result for each variant."""
    words = [str(word) for word in command]
    shown = shlex.join([os.path.basename(words[0]), *words[1:]])
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=limit, check=False)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{shown}: not done after {limit:g} s") from error
    except OSError as error:
        raise Failure(f"{shown}: {error.strerror}") from error
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["nothing said"]
        raise Failure(f"{shown}: exit code {done.returncode}: {said[-1]}")
    out = json.loads(done.stdout)
    variants = out.get("variants", [out])
    if not all(variant["summary"]["verified"] for variant in variants):
        raise Failure(f"{shown}: a wrong result")
    return variants


def sides_of(title, problem, asked):
    """(name, whether a peer, command); a peer's command gives a side for each form."""
    workload, options, ways, theirs, peer_options = problem
    devices = ",".join(f"gpu:{asked.device + i}" for i in range(asked.gpus))
    repeat, warmup = map(min, LONG.get(title, (asked.repeat, asked.warmup)), (asked.repeat, asked.warmup))
    runs = ["--busy", asked.busy, "--repeat", repeat, "--warmup", warmup, "--json", "-"]
    for way in ways:
        yield (" ".join(["mgws", *way]), False,
               [asked.bench, workload, *options, *way, "--devices", devices, "--timeout", asked.limit,
                *runs])
    gpus = ["--gpus", asked.gpus] if workload == "md" else []
    yield ("peer", True,
           [asked.peer, theirs, *options, *peer_options, "--device", asked.device, *gpus, *runs])


def play(title, problem, asked):
    """Name of a side -> what its rounds gave."""
    found = {}
    for _ in range(asked.rounds):
        for name, peer, command in sides_of(title, problem, asked):
            for variant in results_of(command, asked.limit):
                form = variant["parameters"]["form"] if peer else ""
                side = found.setdefault(f"{name} {form}".strip(), {
                    "peer": peer, "seconds": [], "call_seconds": [],
                    "command": shlex.join([os.path.basename(command[0]), *map(str, command[1:])]),
                    "parameters": variant["parameters"], "commit": variant.get("commit"),
                    "result": variant["summary"]["result"]})
                summary = variant["summary"]
                if side["result"] != summary["result"]:
                    raise Failure(f"{name}: result {summary['result']} after {side['result']}")
                side["seconds"].append(summary["seconds"]["median"])
                if "call_seconds" in summary:
                    side["call_seconds"].append(summary["call_seconds"]["median"])
    results = {side["result"] for side in found.values()}
    if len(results) != 1:
        raise Failure("results differ: " + ", ".join(f"{name} {side['result']}"
                                                     for name, side in found.items()))
    best = min(statistics.median(side["seconds"]) for side in found.values() if side["peer"])
    for side in found.values():
        side["median"] = statistics.median(side["seconds"])
        side["spread"] = [min(side["seconds"]), max(side["seconds"])]
        side["ratio"] = side["median"] / best
    return found


def show(found):
    head = ["problem", "side", "ms", "least", "most", "call ms", "ratio"]
    rows = []
    for problem, sides in found.items():
        for name, side in sides.items():
            call = f"{statistics.median(side['call_seconds']) * 1e3:.3f}" if side["call_seconds"] else ""
            rows.append([problem, name, f"{side['median'] * 1e3:.3f}",
                         *(f"{seconds * 1e3:.3f}" for seconds in side["spread"]), call,
                         f"{side['ratio']:.2f}"])
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(cell.ljust(w) if i < 2 else cell.rjust(w)
                        for i, (cell, w) in enumerate(zip(row, widths))).rstrip())


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", metavar="DIR", help="Meson's build folder [build]")
    parser.add_argument("--device", type=int, default=0, metavar="I", help="number of the GPU [0]")
    parser.add_argument("--gpus", type=int, default=1, metavar="N",
                        help="GPUs from that one on; with more than one only md is run [1]")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="[3]")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of a process [5]")
    parser.add_argument("--warmup", type=int, default=2, metavar="N", help="runs before them [2]")
    parser.add_argument("--busy", type=float, default=0.5, metavar="S",
                        help="seconds of other work first, for the clocks [0.5]")
    parser.add_argument("--limit", type=float, default=120, metavar="S", help="for one process [120]")
    parser.add_argument("--only", default="", metavar="REGEX", help="problems, as 'nqueens|uts T1$'")
    parser.add_argument("--corpus", metavar="PATH", help="search this corpus, too")
    parser.add_argument("--word", default="zwischen", metavar="W", help="in it [zwischen]")
    parser.add_argument("--quick", action="store_true", help="smaller problems")
    parser.add_argument("--json", metavar="FILE", help="write everything measured to FILE")
    asked = parser.parse_args()
    if min(asked.rounds, asked.repeat, asked.gpus) < 1 or min(asked.warmup, asked.device) < 0:
        parser.error("--rounds, --repeat and --gpus must be at least 1, --warmup and --device at least 0")
    asked.bench = os.path.join(asked.build, "bench", "mgws-bench")
    asked.peer = os.path.join(asked.build, "bench", "peers", "gpu", "mgws-peer-gpu")
    for program in (asked.bench, asked.peer):
        if not os.access(program, os.X_OK):
            parser.error(f"there is no {program}: build with -Dbackends=cpu,cuda, or use --build DIR")
    problems = {title: p for title, p in (QUICK if asked.quick else PROBLEMS).items()
                if asked.gpus == 1 or p[0] == "md"}
    if asked.corpus:
        title = "contains " + os.path.basename(os.path.normpath(asked.corpus))
        problems[title] = ("contains", ["--corpus", asked.corpus, "--word", asked.word],
                           [[], ["--width", "warp"]], "contains", [])
    try:
        asked.problems = {title: p for title, p in problems.items() if re.search(asked.only, title)}
    except re.error as error:
        parser.error(f"--only is no regular expression: {error}")
    if not asked.problems:
        parser.error(f"--only leaves none of {', '.join(problems)}")
    return asked


def write(asked, circumstances, found, failures):
    """What there is so far: whoever is stopped leaves that much."""
    commits = {side["commit"] for sides in found.values() for side in sides.values() if not side["peer"]}
    commit = commits.pop() if len(commits) == 1 else "unknown"
    with open(asked.json, "w", encoding="utf-8") as file:
        json.dump({"schema": 1, "commit": commit, "measured": circumstances.after(commit),
                   "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                   "command": shlex.join(["bench/peers/compare_gpu.py", *sys.argv[1:]]),
                   "rounds": asked.rounds, "problems": found, "failures": failures}, file, indent=1)
        file.write("\n")


def main():
    asked = read_arguments()
    circumstances = Circumstances(asked.bench)
    found, failures = {}, []
    for title, problem in asked.problems.items():
        try:
            found[title] = play(title, problem, asked)
        except Failure as failure:
            failures.append(f"{title}: {failure}")
        if asked.json:
            write(asked, circumstances, found, failures)
    show(found)
    for failure in failures:
        print("FAILED", failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
