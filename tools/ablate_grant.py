#!/usr/bin/env python3
"""Measures what `policy::k_grant_ns` is worth: workloads on two coherence domains of one CPU worker
each, with the constant at a quarter, half, double and four times, and without the rule (each question
asks for as much as the first one).

usage: ablate_grant.py BUILD OUTPUT.json [--rounds N]

BUILD is a build directory for this with -Dbench_together=true, in which bench/mgws-bench is built. The
runs are compiled once more with a changed policy.hpp, in which the constant is read from the
environment: one program for all variants, which are run in turn."""

import argparse
import datetime
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

from ablate_policy import READ, ROOT, replaced
from circumstances import Circumstances

GRANT = 1_000_000
VARIANTS = {"as it is": {}, "quarter": {"k_grant_ns": GRANT // 4}, "half": {"k_grant_ns": GRANT // 2},
            "double": {"k_grant_ns": GRANT * 2}, "four times": {"k_grant_ns": GRANT * 4},
            "off": {"grants_adapt": 0}}
# Each is a run of some tens of milliseconds.
WORKLOADS = {"uts": "uts --tree T3", "loop": "loop --n 262144 --base 256 --pattern heavy-last --way seed_n",
             "spawn_tree": "spawn-tree --depth 22"}
DEVICES = "--devices cpu:1,cpu:1 --domains each --warmup 1 --repeat 5"


def write_variable_core(core):
    policy = (ROOT / "core/policy.hpp").read_text(encoding="utf-8")
    policy = replaced(policy, r"inline constexpr std::uint64_t k_grant_ns = ([\d']+);",
                      r'inline const std::uint64_t k_grant_ns = from_environment("k_grant_ns", \1);'
                      "\ninline const bool k_grants_adapt = "
                      'from_environment("grants_adapt", 1) != 0;')
    policy = replaced(policy, r"  if \(ns < k_grant_ns / 2\)",
                      "  if (!k_grants_adapt) return last;\n  if (ns < k_grant_ns / 2)")
    policy = replaced(policy, r"(#include <mgws_port.hpp>\n)", r"\1" + READ.replace("\\", r"\\"))
    core.mkdir(parents=True)
    (core / "policy.hpp").write_text(policy, encoding="utf-8")


def build_variable(build, into):
    """mgws-bench with the constant from the environment."""
    write_variable_core(into / "mgws/core")
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "bench/mgws-bench"],
                              capture_output=True, text=True, check=True).stdout.splitlines()
    objects = []
    for workload in WORKLOADS:
        words = shlex.split(next(c for c in commands if c.endswith(f"bench/runs/{workload}.cpp")))
        words[words.index("-o") + 1] = str(into / f"{workload}.o")
        compiler = next(i for i, w in enumerate(words) if "++" in w)
        subprocess.run(words[:compiler + 1] + [f"-I{into}"] + words[compiler + 1:], cwd=build,
                       check=True)
        objects.append(str(into / f"{workload}.o"))
    words = shlex.split(next(c for c in commands if " -o bench/mgws-bench " in c))
    words[words.index("-o") + 1] = str(into / "mgws-bench")
    # Before the library that has the others.
    first = next(i for i, w in enumerate(words) if w.endswith(".a"))
    subprocess.run(words[:first] + objects + words[first:], cwd=build, check=True)
    return into / "mgws-bench"


def seconds(program, words, changes):
    """Of each run; every one is verified."""
    environment = {**os.environ, **{k: str(v) for k, v in changes.items()}}
    done = subprocess.run([program, *words.split(), "--json", "-"], env=environment,
                          capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"{words}: exit code {done.returncode}: {done.stderr.strip()}")
    return [run["seconds"] for run in json.loads(done.stdout)["runs"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"],
                            capture_output=True, text=True, cwd=ROOT, check=True).stdout.strip()
    times = {(w, v): [] for w in WORKLOADS for v in VARIANTS}
    circumstances = Circumstances(os.path.join(asked.build, "bench/mgws-bench"))
    with tempfile.TemporaryDirectory() as scratch:
        program = build_variable(asked.build, pathlib.Path(scratch))
        for _ in range(asked.rounds):
            for workload, words in WORKLOADS.items():
                for variant, changes in VARIANTS.items():
                    times[workload, variant] += seconds(program, f"{words} {DEVICES}", changes)
    rows = []
    for workload, words in WORKLOADS.items():
        usual = statistics.median(times[workload, "as it is"])
        for variant, changes in VARIANTS.items():
            median = statistics.median(times[workload, variant])
            rows.append({"constant": "k_grant_ns", "how": variant, "changes": changes,
                         "workload": workload, "command": f"mgws-bench {words} {DEVICES}",
                         "runs": len(times[workload, variant]),
                         "seconds": {"min": min(times[workload, variant]), "median": median,
                                     "max": max(times[workload, variant])},
                         "ratio": median / usual})
            print(f"{workload} {variant}: {median * 1e3:.2f} ms, {median / usual:.3f}", flush=True)
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    asked.output.write_text(json.dumps({"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                                        "commit": commit, "measured": circumstances.after(commit),
                                        "rows": rows}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
