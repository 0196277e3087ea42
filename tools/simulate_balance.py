#!/usr/bin/env python3
"""Simulates the loops that tools/measure_balance.py measures on a GPU, for docs/simulator.md: as many
workers, and the same detector. tools/tables.py puts the runs beside that file.

usage: simulate_balance.py MGWS-SIM OUTPUT.json [COMMIT]

COMMIT is the program's, where that is not this checkout's. Five seeds each."""

import concurrent.futures
import os
import sys

from measure_balance import GPU_LOOPS, PATTERNS, WAYS
from simulate_scale import commit, simulated, write
from simulate_trees import ALIKE

WORKERS = 4224
SEEDS = (1, 2, 3, 4, 5)


def main():
    program, output, *of = sys.argv[1:]
    of = of[0] if of else commit()

    def run(seed, n, base, pattern, way):
        words = ["loop", "--n", n, "--base", base, "--pattern", pattern, "--way", way, "--workers", WORKERS,
                 *ALIKE, "--seed", seed]
        return {**simulated(program, words, of), "problem": f"{n} x {base} {pattern}", "way": way}

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = [pool.submit(run, seed, n, base, pattern, way) for seed in SEEDS for n, base in GPU_LOOPS
                   for pattern in PATTERNS for way in WAYS["gpu"]]
        write([run.result() for run in waiting], output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
