#!/usr/bin/env python3
"""Simulates a loop whose last long step decides how long it takes, with numbers of workers and of instances
that hardly differ: docs/tuning.md.

usage: simulate_draws.py MGWS-SIM OUTPUT.json [COMMIT]

COMMIT is the program's, where that is not this checkout's."""

import sys

from simulate_scale import commit, simulated, write

LOOP = ("loop", "--base", 1024, "--pattern", "geometric")
WORKERS = (3160, 3166, 3168)
INSTANCES = (4180000, 4190000, 4194304, 4200000, 4210000, 4220000)


def main():
    program, output, *of = sys.argv[1:]
    write([simulated(program, [*LOOP, "--n", n, "--workers", workers], of[0] if of else commit())
           for n in INSTANCES for workers in WORKERS], output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
