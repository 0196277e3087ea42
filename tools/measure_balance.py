#!/usr/bin/env python3
"""Measures how well loops of irregular instances are balanced: mgws-bench, one or several builds of
it, in turn with kernels of their own on a GPU, or with other runtimes and with one worker on a CPU.

usage: measure_balance.py [NAME=]BUILD... OUT.json [--peer PATH] [--device gpu:0|gpu:0,gpu:1|cpu:16]

A build is Meson's build folder. The sides of a comparison run in turn, in each round each of them
once, in a process that runs all patterns and ways; a side's time is the median of its rounds', each of
which is a median of --repeat runs. Every run is verified. Ratios are times over the best peer's: 1.00
is as fast, 2.00 takes twice as long. Kernels of their own run on one GPU: of several different ones
each is taken to do its part of their time, with nothing lost. On a CPU a side's time over one worker's
is printed, too, as a part of what is possible: as many times as there are workers, or as the longest
instance, taken to last as its iterations do, allows."""

import argparse
import datetime
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
import time

from circumstances import Circumstances

PATTERNS = ["uniform", "ramp-up", "ramp-down", "heavy-first", "heavy-last", "geometric", "every-16th",
            "one-long", "triangle", "random-blocks"]
WAYS = {"gpu": ["seed_n", "seeds", "spawn"], "cpu": ["seed_n", "seeds", "spawn", "tree"]}
# Instances and the mean of their iterations. A processor's worker has one lane, a GPU hundreds of
# thousands.
GPU_LOOPS = [(1 << 22, 1024), (1 << 19, 16384), (1 << 22, 64)]
CPU_LOOPS = [(1 << 18, 1024), (1 << 14, 16384), (1 << 20, 64)]
# 40,000 instances of about 100 ns, on a CPU also of 10 ns, and among them 64 of 1 ms.
GPU_HEAVY = ["--n", 40000, "--base", 40, "--heavy", 64, "--heavy-cost", 400000]
CPU_HEAVY = [["--n", 40000, "--base", base, "--heavy", 64, "--heavy-cost", 1000000] for base in (100, 10)]
# One of 256 times, so few beside all that where it lies should not matter.
CPU_LONG = [["--n", 1 << 14, "--base", 1024, "--heavy", 1, "--heavy-cost", 256 * 1024]]
HEAVY_AT = ["first", "middle", "last"]
GPU_PICTURE = ["--size", "4096x3072", "--iterations", "20000"]
CPU_PICTURE = ["--size", "1024x768", "--iterations", "2000"]
# The forms of the runtimes on a CPU: pieces of a given length, or as the runtime sees fit.
CPU_PEERS = [(name, form) for name in ("tbb", "openmp", "openmp-clang") for form in ("each", "range")]


class Side:
    """One program in one form; its processes give the times of several variants."""

    def __init__(self, name, command, peer, key):
        self.name = name
        self.command = command
        self.peer = peer
        self.key = key  # of a variant's parameters: what names the variant of this side
        self.failed = False

    def run(self, limit, failures):
        """(problem, side's name) -> its result, of one process."""
        shown = " ".join(map(str, self.command))
        try:
            done = subprocess.run(list(map(str, self.command)), stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=limit, check=False)
        except (subprocess.TimeoutExpired, OSError) as error:
            self.failed = True
            failures.append(f"{shown}: {error}")
            return {}
        if done.returncode != 0:
            self.failed = True
            failures.append(f"{shown}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
            return {}
        out = json.loads(done.stdout)
        results = {}
        for variant in out.get("variants", [out]):
            parameters = variant["parameters"]
            form = parameters.get(self.key)
            name = f"{self.name} {form}" if form else self.name
            results[problem_of(variant["workload"], parameters), name] = variant
        return results


def problem_of(workload, parameters):
    if workload == "loop":
        heavy = (f", {parameters['heavy']} x {parameters['heavy_cost']} {parameters['heavy_at']}"
                 if "heavy" in parameters else "")
        return f"{parameters['n']} x {parameters['base']}{heavy} {parameters['pattern']}"
    return f"mandelbrot {parameters['size']} {parameters['iterations']}"


def gpus_of(device):
    """The numbers of the GPUs that a list names; none of a CPU's."""
    return re.findall(r"gpu:(\d+)", device)


def loop_words(n, base, patterns, *more):
    return ["loop", "--n", n, "--base", base, "--pattern", ",".join(patterns), *more]


def gpu_groups(asked, builds):
    """Lists of sides that run in turn, each list of one problem or of all patterns of one size."""
    runs = ["--repeat", asked.repeat, "--warmup", 2, "--json", "-"]
    device = gpus_of(asked.device)[0]
    ours = ["--devices", asked.device, "--timeout", "20", "--busy", asked.busy, *runs]
    theirs = ["--device", device, "--busy", asked.busy, *runs]
    loops = [(f"{n} x {base}", loop_words(n, base, asked.patterns)) for n, base in GPU_LOOPS]
    for title, loop in [*loops, ("heavy", ["loop", *GPU_HEAVY])]:
        yield title, [
            *(Side(name, [bench, *loop, "--way", ",".join(asked.ways), *ours], False, "way")
              for name, bench in builds),
            Side("peer", [asked.peer, *loop, "--form", "all", *theirs], True, "form")]
    ways = [way for way in asked.ways if way in ("seed_n", "spawn")]
    if ways:
        yield "mandelbrot", [
            *(Side(name, [bench, "mandelbrot", *GPU_PICTURE, "--way", ",".join(ways), *ours], False,
                   "way") for name, bench in builds),
            Side("peer", [asked.peer, "mandelbrot", *GPU_PICTURE, "--form", "all", *theirs], True,
                 "form")]


def cpu_groups(asked, builds):
    runs = ["--repeat", asked.repeat, "--warmup", 1, "--json", "-"]
    # The peers watch no thread either: mgws then works on the thread that calls it, as they do.
    ours = ["--timeout", "0", *runs]
    workers = asked.device.split(":")[1]
    peers = [(name, form, os.path.join(asked.peer, f"mgws-peer-{name}")) for name, form in CPU_PEERS]
    loops = [(f"{n} x {base} {pattern}", loop_words(n, base, [pattern]))
             for n, base in CPU_LOOPS for pattern in asked.patterns]
    heavy = [(f"heavy {at}", ["loop", *words, "--heavy-at", at])
             for words in CPU_HEAVY + CPU_LONG for at in HEAVY_AT]
    for title, loop in loops + heavy:
        yield title, [
            *(Side(name, [bench, *loop, "--way", ",".join(asked.ways), "--devices", asked.device, *ours],
                   False, "way") for name, bench in builds),
            Side("one worker", [builds[0][1], *loop, "--devices", "cpu:1", *ours], False, None),
            *(Side(f"{name} {form}", [path, *loop, "--form", form, "--workers", workers, *runs], True, None)
              for name, form, path in peers if os.access(path, os.X_OK))]
    yield "mandelbrot", [
        *(Side(name, [bench, "mandelbrot", *CPU_PICTURE, "--devices", asked.device, *ours], False, "way")
          for name, bench in builds),
        Side("one worker", [builds[0][1], "mandelbrot", *CPU_PICTURE, "--devices", "cpu:1", *ours], False,
             None)]


def measure(groups, asked, failures):
    """problem -> side's name -> what its rounds gave."""
    began = time.monotonic()
    found = {}
    rounds = 0
    longest = 0
    for number in range(asked.rounds):
        if number >= 1 and time.monotonic() - began + longest > asked.budget:
            failures.append(f"{number} of {asked.rounds} rounds: the budget of {asked.budget:g} s is spent")
            break
        round_began = time.monotonic()
        for _, sides in groups:
            for side in sides:
                if side.failed:
                    continue
                for (problem, name), variant in side.run(asked.limit, failures).items():
                    entry = found.setdefault(problem, {}).setdefault(
                        name, {"peer": side.peer, "seconds": [], "parameters": variant["parameters"],
                               "commit": variant.get("commit")})
                    entry["seconds"].append(variant["summary"]["seconds"]["median"])
                    for key in ("busy", "lanes"):
                        entry[key] = variant.get("statistics", {}).get(key)
        longest = max(longest, time.monotonic() - round_began)
        rounds += 1
        print(f"round {rounds}: {time.monotonic() - round_began:.1f} s", file=sys.stderr, flush=True)
    different = max(len(set(gpus_of(asked.device))), 1)
    for sides in found.values():
        for side in sides.values():
            side["median"] = statistics.median(side["seconds"]) / (different if side["peer"] else 1)
        peers = [side["median"] for side in sides.values() if side["peer"]]
        alone = sides.get("one worker", {}).get("median")
        for side in sides.values():
            side["ratio"] = side["median"] / min(peers) if peers else None
            if alone:
                side["speed_up"] = alone / side["median"]
                side["of_bound"] = side["speed_up"] / possible(asked.device, side["parameters"])
    return found, rounds


def possible(device, parameters):
    """How many times faster than one worker these CPU workers can be."""
    workers = int(device.split(":")[1])
    if "longest" not in parameters:
        return workers
    return min(workers, parameters["iterations"] / parameters["longest"])


def print_aligned(rows, left):
    """The first columns to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(w) if i < left else cell.rjust(w)
                        for i, (cell, w) in enumerate(zip(row, widths))).rstrip())


def show(found):
    """A row a problem: the best peer's milliseconds, and everybody's ratio to it."""
    names = []
    for sides in found.values():
        names += [name for name in sides if name not in names]
    # A picture's forms are not a loop's: only who ran in most rows has a column.
    columns = [name for name in names if sum(name in sides for sides in found.values()) * 2 > len(found)]
    columns.sort(key=lambda name: (any(name in s and s[name]["peer"] for s in found.values()), 0))
    head = ["problem", "best peer", *columns]
    rows = []
    for problem, sides in found.items():
        peers = [(side["median"], name) for name, side in sides.items() if side["peer"]]
        best, who = min(peers) if peers else (sides[next(iter(sides))]["median"], "")
        row = [problem, f"{best * 1e3:.3f} ms {who.removeprefix('peer ')}"]
        for name in columns:
            side = sides.get(name)
            row.append("" if side is None else f"{side['median'] / best:.2f}")
        rows.append(row)
    ratios = {name: [s[name]["ratio"] for s in found.values() if name in s and s[name]["ratio"]]
              for name in columns}
    for title, of in (("geometric mean", lambda r: math.exp(statistics.mean(map(math.log, r)))),
                      ("worst", max)):
        rows.append([title, "", *(f"{of(ratios[name]):.2f}" if ratios[name] else "" for name in columns)])
    print_aligned([head, *rows], 2)
    speed_ups = {name: [s[name]["speed_up"] for s in found.values() if name in s and "speed_up" in s[name]]
                 for name in columns}
    if any(speed_ups.values()):
        print("\nfaster than one worker, and as a part of what is possible")
        print_aligned([["problem", *columns], *(
            [problem, *(f"{s[name]['speed_up']:.2f} ({s[name]['of_bound']:.2f})" if name in s else ""
                        for name in columns)]
            for problem, s in found.items() if "one worker" in s)], 1)
        print("\nfaster than one worker, geometric mean and least: " + "; ".join(
            f"{name} {math.exp(statistics.mean(map(math.log, of))):.2f}, {min(of):.2f}"
            for name, of in speed_ups.items() if of and name != "one worker"))


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+", metavar="[NAME=]BUILD")
    parser.add_argument("out", metavar="OUT.json")
    parser.add_argument("--peer", help="mgws-peer-gpu, or the folder of the CPU's peers [of the first build]")
    parser.add_argument("--device", default="gpu:0", help="gpu:I, several of them, or cpu:N [gpu:0]")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=5, help="runs of a variant in a process [5]")
    parser.add_argument("--only", default="", metavar="REGEX", help="problems, as '4194304 x 64|mandelbrot'")
    parser.add_argument("--patterns", default=",".join(PATTERNS), metavar="LIST")
    parser.add_argument("--ways", metavar="LIST",
                        help="; ".join(f"[{kind}: {','.join(ways)}]" for kind, ways in WAYS.items()))
    parser.add_argument("--busy", type=float, default=0.3, help="seconds of other runs first, on a GPU [0.3]")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one process [60]")
    parser.add_argument("--budget", type=float, default=220, help="seconds for everything [220]")
    asked = parser.parse_args()
    asked.patterns = asked.patterns.split(",")
    asked.ways = asked.ways.split(",") if asked.ways else WAYS[asked.device[:3]]
    if not re.fullmatch(r"gpu:\d+(,gpu:\d+)*|cpu:\d+", asked.device):
        parser.error("--device is gpu:I, several of them, or cpu:N")
    if asked.rounds < 1 or asked.repeat < 1:
        parser.error("--rounds and --repeat must be at least 1")
    return asked


def commits(found):
    """That of the only build, or of each."""
    of = {}
    for sides in found.values():
        for name, side in sides.items():
            if side["commit"] and not side["peer"]:
                of[name.split(" ")[0]] = side["commit"]
    different = set(of.values())
    return different.pop() if len(different) == 1 else of


def main():
    asked = read_arguments()
    builds = []
    for build in asked.builds:
        name, _, folder = build.rpartition("=")
        builds.append((name or os.path.basename(os.path.normpath(folder)),
                       os.path.join(folder, "bench", "mgws-bench")))
    on_gpu = asked.device.startswith("gpu")
    if asked.peer is None:
        peers = os.path.join(os.path.dirname(builds[0][1]), "peers")
        asked.peer = os.path.join(peers, "gpu", "mgws-peer-gpu") if on_gpu else peers
    groups = [group for group in (gpu_groups if on_gpu else cpu_groups)(asked, builds)
              if re.search(asked.only, group[0])]
    failures = []
    circumstances = Circumstances(builds[0][1])
    found, rounds = measure(groups, asked, failures)
    of = commits(found)
    with open(asked.out, "w", encoding="utf-8") as file:
        # Where the file lay on one machine is nobody's business.
        words = [os.path.basename(word) if word == asked.out else word for word in sys.argv]
        json.dump({"schema": 1, "command": shlex.join(words), "commit": of,
                   "measured": circumstances.after(of if isinstance(of, str) else " ".join(of.values())),
                   "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                   "device": asked.device, "rounds": rounds, "repeat": asked.repeat, "problems": found,
                   "failures": failures}, file, indent=1)
        file.write("\n")
    if found:
        show(found)
    for failure in failures:
        print("FAILED", failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
