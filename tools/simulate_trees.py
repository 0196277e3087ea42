#!/usr/bin/env python3
"""Simulates trees and memset as GPUs ran them, for docs/simulator.md: as many workers, and the same
queues. tools/tables.py puts the runs beside the files named here.

usage: simulate_trees.py MGWS-SIM OUTPUT.json [COMMIT]

COMMIT is the program's, where that is not this checkout's. Three seeds each, in turn."""

import sys

from simulate_scale import commit, simulated, write

# As mgws-bench runs on one GPU unless it is told otherwise.
ALIKE = ("--termination", "hierarchical", "--steal", "bias")
PROBLEMS = {
    "uts T1": ("uts", "--tree", "T1", "--workers", 2904),
    "uts T3": ("uts", "--tree", "T3", "--workers", 2904),
    "spawn-tree 24": ("spawn-tree", "--depth", 24, "--fanout", 2, "--workers", 3696),
    "memset 2^20": ("memset", "--tasks", 1 << 20, "--workers", 4224),
}
SEEDS = (1, 2, 3)


def main():
    program, output, *of = sys.argv[1:]
    write([{**simulated(program, [*words, *ALIKE, "--seed", seed], of[0] if of else commit()), "problem": problem}
           for seed in SEEDS for problem, words in PROBLEMS.items()], output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
