#!/usr/bin/env python3
"""Simulates loops on more and more workers, for docs/simulator.md and its plot.

usage: simulate_scale.py MGWS-SIM OUTPUT.json

Workers of four lanes, so many that none is left without tasks: 80 tasks each, and 10,000 each where
there are few. 10^5 workers are 24 devices of 4,224."""

import json
import pathlib
import subprocess
import sys

from circumstances import Circumstances

DEVICES = {100: (1, 100), 1000: (1, 1000), 4224: (1, 4224), 10002: (3, 3334), 101376: (24, 4224)}
PATTERNS = ("uniform", "heavy-last", "geometric")
MANY = (100, 1000, 10002)


def commit():
    return subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], capture_output=True,
                          text=True, cwd=pathlib.Path(__file__).parent, check=True).stdout.strip()


def simulated(program, words, of):
    """One run, as it is kept. `of` is the commit."""
    circumstances = Circumstances(program)
    done = subprocess.run([program, *map(str, words), "--json", "-"], capture_output=True, text=True, check=True)
    run = json.loads(done.stdout)
    run["command"] = " ".join(["mgws-sim", *map(str, words)])
    run["commit"] = of
    run["measured"] = circumstances.after(of)
    print(f"{run['command']}: {run['makespan_ns'] / 1e6:.3f} ms, {run['times_bound']:.2f} times the bound, busy "
          f"{run['busy']:.3f}, {run['simulation']['seconds']:.1f} s", flush=True)
    return run


def write(runs, output):
    output = pathlib.Path(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")


def main():
    program, output = sys.argv[1:]
    runs = []
    for workers, (devices, each) in DEVICES.items():
        for tasks in (80, 10000) if workers in MANY else (80,):
            for pattern in PATTERNS:
                words = ["loop", "--lanes", 4, "--grain", 4, "--devices", devices, "--workers", each,
                         "--n", tasks * workers, "--base", 4096, "--pattern", pattern]
                runs.append({**simulated(program, words, commit()), "all_workers": workers,
                             "tasks_of_worker": tasks, "pattern": pattern})
    write(runs, output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
