#!/usr/bin/env python3
"""Runs the same commands with several builds of mgws-bench in turn, every run verified, into
FOLDER/compared.json for tools/tables.py: backends, options or versions side by side.

usage: compare_builds.py FOLDER NAME=MGWS_BENCH NAME=MGWS_BENCH... [--device gpu:0] [--rounds 3] [--calls]
       [--only REGEX]

The first build is what the others are compared with. --calls: instead of long runs such as are over
before the call that made them is."""

import argparse
import json
import pathlib
import re
import sys

from measuring import measure

COMMANDS = (
    ("uts", "--tree", "T1", "--repeat", 25),
    ("uts", "--tree", "T1L", "--repeat", 9),
    ("uts", "--tree", "T1XL", "--repeat", 5),
    ("uts", "--tree", "T3", "--repeat", 9),
    ("memset", "--tasks", 1 << 26, "--repeat", 7),
    ("memset", "--tasks", 1 << 20, "--repeat", 9),
    ("memset", "--tasks", 1 << 20, "--workers", 528, "--repeat", 9),
    ("memset", "--tasks", 1 << 20, "--transport", "host", "--termination", "tree", "--repeat", 9),
    ("nqueens", "--n", 16, "--repeat", 5),
    ("spawn-tree", "--depth", 26, "--repeat", 5),
    ("contains", "--synthetic", 30000, "--mean-bytes", 7000, "--corpus-seed", 1, "--repeat", 9),
    ("contains", "--synthetic", 3000, "--mean-bytes", 7000, "--corpus-seed", 1, "--repeat", 15),
    ("contains", "--synthetic", 300000, "--mean-bytes", 700, "--corpus-seed", 1, "--repeat", 9),
    ("crypt", "--size", 1 << 26, "--bulk", "--width", "block", "--grain", 4096, "--repeat", 9),
    ("loop", "--n", 1 << 22, "--base", 1024, "--pattern", "heavy-first", "--repeat", 9),
    ("loop", "--n", 1 << 22, "--base", 1024, "--pattern", "random-blocks", "--way", "spawn", "--repeat", 9),
    ("loop", "--n", 1 << 19, "--base", 16384, "--way", "tree", "--repeat", 9),
    ("loop", "--n", 1 << 19, "--base", 16384, "--way", "tree", "--width", "warp", "--repeat", 9),
    ("loop", "--n", 1 << 24, "--base", 64, "--pattern", "geometric", "--grain", 1, "--piece", 256, "--repeat", 9),
    ("loop", "--n", 1 << 22, "--base", 1024, "--pattern", "geometric", "--grain", 1, "--piece", 256, "--repeat", 9),
    ("loop", "--n", 1 << 22, "--base", 1024, "--pattern", "one-long", "--grain", 1, "--piece", 256, "--repeat", 9),
    ("nqueens", "--n", 17, "--repeat", 9),
    ("nqueens", "--n", 18, "--repeat", 5),
    ("mandelbrot", "--piece", 256, "--repeat", 5),
    ("uts", "--tree", "T1XL", "--finish", "--repeat", 5),
    ("fib", "--n", 38, "--repeat", 5),
    ("cilksort", "--keys", 10_000_000, "--repeat", 5),
    ("quicksort", "--keys", 10_000_000, "--repeat", 5),
    ("dijkstra", "--repeat", 5),
    ("knapsack", "--repeat", 5),
)

CALLS = (
    ("memset", "--tasks", 1, "--repeat", 100),
    ("memset", "--tasks", 1, "--workers", 132, "--repeat", 100),
    ("memset", "--tasks", 1 << 12, "--repeat", 100),
    ("memset", "--tasks", 1 << 20, "--bulk", "--repeat", 50),
    ("uts", "--tree", "T1", "--repeat", 50),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("builds", nargs="+", metavar="NAME=MGWS_BENCH")
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60, help="seconds for one command")
    parser.add_argument("--calls", action="store_true")
    parser.add_argument("--only", default="", metavar="REGEX", help="commands, as 'uts|contains'")
    asked = parser.parse_args()
    builds = dict(build.split("=", 1) for build in asked.builds)
    asked.folder.mkdir(parents=True, exist_ok=True)
    runs, failed = [], []
    # Several GPUs may not have their queues in host memory.
    several = "," in asked.device
    commands = [words for words in (CALLS if asked.calls else COMMANDS)
                if re.search(asked.only, " ".join(map(str, words))) and not (several and "host" in words)]
    for words in commands:
        for _ in range(asked.rounds):
            for name, bench in builds.items():
                run = measure(bench, [*words, "--devices", asked.device], asked.limit, failed)
                if run is not None:
                    run["statistics"].pop("tasks_by_worker", None)
                    runs.append({"build": name, **run})
        # After each command: whoever is stopped leaves that much.
        (asked.folder / "compared.json").write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    print(f"{len(failed)} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
