#!/usr/bin/env python3
"""Measures mgws-bench on several GPUs of one machine, every run verified, for tools/tables.py.

usage: measure_gpus.py MGWS_BENCH FOLDER [--gpus N] [--part NAME ...]

A part is written to FOLDER/gpus-NAME.json as a list of mgws-bench's JSON. Parts:
  scaling      trees, queens, memset and contains on 1, 2, 4, ... GPUs
  targets      one tree with each policy of choosing whom to steal from
  start        small trees: all work comes from one root
  repeats      many small runs with each detector"""

import argparse
import json
import pathlib
import subprocess
import sys

from measure_gpu import summed


def devices(n):
    return ",".join(f"gpu:{i}" for i in range(n))


def counts(gpus):
    n = 1
    while n <= gpus:
        yield n
        n *= 2


def scaling(gpus):
    problems = [["uts", "--tree", "T1XL"], ["uts", "--tree", "T1XXL"], ["nqueens", "--n", 16],
                ["nqueens", "--n", 17], ["memset", "--tasks", 1 << 26],
                ["contains", "--synthetic", 300000, "--mean-bytes", 7000, "--word", "zwischen"]]
    for problem in problems:
        for n in counts(gpus):
            yield [*problem, "--devices", devices(n), "--steal", "bias=0.75", "--repeat", 5]
    yield ["uts", "--tree", "T1WL", "--devices", devices(gpus), "--steal", "bias=0.75",
           "--repeat", 1 if gpus < 4 else 3, "--timeout", 60]


def targets(gpus):
    for steal in ("uniform", "bias=0.25", "bias=0.5", "bias=0.75", "bias=0.9", "bias=0.99",
                  "local", "none"):
        yield ["uts", "--tree", "T1XL", "--devices", devices(gpus), "--steal", steal,
               "--repeat", 5]
    yield ["uts", "--tree", "T1XL", "--devices", devices(gpus), "--direct", "--repeat", 3]


def start(gpus):
    for tree in ("T1", "T3", "T1L"):
        for n in counts(gpus):
            yield ["uts", "--tree", tree, "--devices", devices(n), "--steal", "bias=0.75",
                   "--repeat", 9]


def repeats(gpus):
    for detector in ("counter", "tree", "hierarchical"):
        for workers in ([], ["--workers", 50]):
            yield ["spawn-tree", "--depth", 8, "--devices", devices(gpus), *workers,
                   "--termination", detector, "--repeat", 5000]


PARTS = {f.__name__: f for f in (scaling, targets, start, repeats)}


def measure(bench, words, failed):
    command = [bench, *map(str, words), "--warmup", "1", "--json", "-"]
    if "--timeout" not in words:
        command += ["--timeout", "10"]
    shown = " ".join(map(str, words))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        failed.append(f"{shown}: not done in 60 s")
    else:
        if done.returncode == 0:
            return summed(json.loads(done.stdout))
        failed.append(f"{shown}: exit code {done.returncode}: {done.stderr.strip()[:300]}")
    print(failed[-1], flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--part", action="append", choices=sorted(PARTS))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for part in asked.part or PARTS:
        runs = []
        for words in PARTS[part](asked.gpus):
            run = measure(asked.bench, words, failed)
            if run is None:
                continue
            if len(run["runs"]) > 50:
                run["runs"] = run["runs"][:50]  # the summary has all of them
            runs.append(run)
            summary = run["summary"]
            print(f"{' '.join(map(str, words))}: {summary['seconds']['median'] * 1e3:.3f} ms, "
                  f"{summary['tasks_per_second']['median'] / 1e6:.1f} M/s, "
                  f"{run['statistics'].get('tasks_by_device')}", flush=True)
        (asked.folder / f"gpus-{part}.json").write_text(json.dumps(runs, indent=1) + "\n",
                                                        encoding="utf-8")
    print(f"{len(failed)} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
