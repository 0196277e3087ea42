#!/usr/bin/env python3
"""Measures what a steal takes by the number of slots, of both queues in turn, by bench/steals.

usage: measure_steals.py BUILD OUTPUT.json [--on cpu|gpu] [--rounds N] [--steals N]

BUILD is a build directory in which bench/mgws-steals is built. In a round, each case of
each queue is the mean of N steals without the shortest and the longest tenth."""

import argparse
import datetime
import json
import pathlib
import subprocess
import sys

from circumstances import Circumstances


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--on", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steals", type=int, default=1001)
    asked = parser.parse_args()
    program = asked.build / "bench/steals/mgws-steals"
    circumstances = Circumstances(program)
    words = ["--on", asked.on, "--rounds", str(asked.rounds), "--steals", str(asked.steals)]
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"mgws-steals: exit code {done.returncode}: {done.stderr.strip()}")
    run = json.loads(done.stdout)
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    asked.output.write_text(json.dumps({"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                                        "measured": circumstances.after(run["commit"]),
                                        **run,
                                        "command": " ".join(["measure_steals.py BUILD OUTPUT.json", *words])}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
