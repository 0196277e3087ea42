#!/usr/bin/env python3
"""Measures mgws-bench on one GPU, every run verified, into files for tools/tables.py.

usage: measure_gpu.py MGWS_BENCH FOLDER [--part NAME ...] [--device gpu:0] [--quick]

A part is written to FOLDER/gpu-NAME.json as a list of mgws-bench's JSON; of the workers' statistics,
of which there are thousands, the sums are kept. Parts:
  memset       tasks of one store, by number of workers, against static assignment
  host         the same with queues in host memory
  uts          named trees; lane, warp and block tasks
  spawning     nqueens and spawn-tree
  contains     text search by number of workers, against static assignment
  termination  detectors, damping, owners and queue sizes, in both memories"""

import argparse
import json
import pathlib
import subprocess
import sys

WORKERS = (1, 16, 80, 132, 528, 1056, 2112)
BALANCED = ((), ("--direct=one",), ("--direct=bulk",))


def memset(quick):
    for tasks, workers_of in ((1 << 20, WORKERS), (1 << 26, () if quick else (132, 528, 2112))):
        for workers in workers_of:
            for how in BALANCED:
                yield ["memset", "--tasks", tasks, "--workers", workers, *how]
        if workers_of:
            yield ["memset", "--tasks", tasks]
            yield ["memset", "--tasks", tasks, "--bulk"]


def host(quick):
    for workers in WORKERS:
        for where in ("host", "device"):
            yield ["memset", "--tasks", 1 << 20, "--workers", workers, "--transport", "host",
                   "--tasks-in", where]
    if not quick:
        for workers in (132, 1056, 2112):
            yield ["memset", "--tasks", 1 << 26, "--workers", workers, "--transport", "host",
                   "--tasks-in", "host"]
    for tree in ("T1",) if quick else ("T1", "T1L", "T3"):
        yield ["uts", "--tree", tree, "--transport", "host"]


def uts(quick):
    for tree in ("T1", "T3", "T1L") if quick else ("T1", "T3", "T1L", "T3L", "T1XL"):
        yield ["uts", "--tree", tree]
    for width in ("warp", "block"):
        for tree in ("T1", "T3") if quick else ("T1", "T3", "T1L", "T1XL"):
            yield ["uts", "--tree", tree, "--width", width]


def spawning(quick):
    n = 14 if quick else 16
    for cutoff in (6, 7, 8):
        yield ["nqueens", "--n", n, "--cutoff", cutoff]
    for width in ("warp", "block"):
        yield ["nqueens", "--n", n, "--width", width]
    depth = 20 if quick else 28
    yield ["spawn-tree", "--depth", depth]
    yield ["spawn-tree", "--depth", depth, "--bulk"]
    for width in ("warp", "block"):
        yield ["spawn-tree", "--depth", depth - 4, "--width", width]


def contains(quick):
    corpus = ["--synthetic", 20000 if quick else 300000, "--mean-bytes", 7000, "--fraction", 0.1,
              "--corpus-seed", 1]
    for workers in (132, 528, 2112):
        for how in BALANCED:
            yield ["contains", *corpus, "--workers", workers, *how]
    for width in ("lane", "warp", "block"):
        yield ["contains", *corpus, "--width", width]
    if not quick:
        yield ["contains", *corpus, "--repeat", 200]


def termination(quick):
    for transport in ("p2p", "host"):
        for detector in ("counter", "tree", "hierarchical"):
            for overflow in ("probe", "damping"):
                yield ["uts", "--tree", "T1", "--transport", transport, "--termination", detector,
                       "--overflow", overflow]
        for owners in (1, 2, 4):
            for queue in (64, 256) if quick else (64, 128, 256):
                yield ["uts", "--tree", "T1", "--transport", transport, "--owners", owners,
                       "--public-queue", queue]


PARTS = {f.__name__: f for f in (memset, host, uts, spawning, contains, termination)}


def summed(run):
    """The JSON with the workers' statistics added up."""
    total = {}
    for worker in run["statistics"].pop("workers", []):
        for key, value in worker.items():
            if key not in ("device", "tasks"):
                total[key] = total.get(key, 0) + value
    if total:
        run["statistics"]["sum"] = total
    return run


def measure(bench, device, part, quick, limit, failed):
    for words in PARTS[part](quick):
        repeats = [] if "--repeat" in words else ["--repeat", "3" if quick else "5"]
        command = [bench, *map(str, words), *repeats, "--devices", device, "--timeout", "10",
                   "--warmup", "1", "--json", "-"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            failed.append(f"{' '.join(command[1:])}: not done in {limit} s")
            print(failed[-1], flush=True)
            continue
        if done.returncode != 0:
            failed.append(f"{' '.join(command[1:])}: exit code {done.returncode}: "
                          f"{done.stderr.strip()[:300]}")
            print(failed[-1], flush=True)
            continue
        run = summed(json.loads(done.stdout))
        summary = run["summary"]
        print(f"{' '.join(map(str, words))}: {run['devices'][0]['workers']} workers, "
              f"{summary['seconds']['median'] * 1e3:.3f} ms, "
              f"{summary['tasks_per_second']['median'] / 1e6:.1f} M/s", flush=True)
        yield run


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--part", action="append", choices=sorted(PARTS))
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--quick", action="store_true", help="smaller problems, fewer runs")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one command")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for part in asked.part or PARTS:
        runs = list(measure(asked.bench, asked.device, part, asked.quick, asked.limit, failed))
        (asked.folder / f"gpu-{part}.json").write_text(json.dumps(runs, indent=1) + "\n",
                                                       encoding="utf-8")
    print(f"{len(failed)} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
