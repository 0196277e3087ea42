#!/usr/bin/env python3
"""Measures how short the nodes of a graph may be (Task Bench's METG at 50 % efficiency) by columns and
patterns, every run verified, into FILE for tools/tables.py.

usage: measure_metg.py MGWS_BENCH FILE [--device cpu:2] [--rounds 3] [--columns 2,16]"""

import argparse
import json
import pathlib
import sys

from measuring import measure

PATTERNS = ("trivial", "chain", "stencil_1d", "fft", "tree", "random_nearest")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--device", default="cpu:2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--columns", default="2,4,16,64,256")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one command")
    asked = parser.parse_args()
    runs, failed = [], []
    for _ in range(asked.rounds):
        for columns in asked.columns.split(","):
            for pattern in PATTERNS:
                run = measure(asked.bench, ["taskbench", "--pattern", pattern, "--columns", columns, "--metg",
                                            "--repeat", 1, "--devices", asked.device], asked.limit, failed)
                if run is not None:
                    run["summary"]["details"].pop("points", None)
                    runs.append(run)
    asked.file.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    print(f"{len(failed)} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
