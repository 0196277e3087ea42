#!/usr/bin/env python3
"""Simulates workloads with the constants of core/policy.hpp halved, doubled and switched off.

usage: ablate_policy.py BUILD OUTPUT.json
       ablate_policy.py check              whether core still has all that is changed

BUILD is a build directory in which bench/sim/mgws-sim is built. A copy of it is made, of changed
headers of core in which the constants are read from the environment: one program for all
variants."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NUMBERS = {"k_delta_ns": 20000, "k_claims_of_share": 2, "k_pieces": 8, "k_coarse": 16, "k_sure_steps": 3}
# What switches a rule off. Claims are then bounded by time alone, no step is coarse, and nothing new is
# begun slowly.
OFF = {"k_delta_ns": {"k_delta_ns": 2_000_000_000}, "k_claims_of_share": {"guided": 0},
       "k_pieces": {"k_pieces": 1}, "k_coarse": {"k_coarse": 500_000}, "slow start": {"slow_start": 0}}
WORKLOADS = {
    "heavy-last, spawn_n": "loop --n 1048576 --base 4096 --pattern heavy-last --way spawn",
    "heavy-last, seed_n": "loop --n 1048576 --base 4096 --pattern heavy-last --way seed_n",
    "uts T3": "uts --tree T3",
    "uts T1": "uts --tree T1",
}
LIMIT = 60  # seconds that a variant may take to simulate
READ = """
#include <cstdlib>
namespace mgws::policy {
inline std::uint32_t from_environment(const char* name, std::uint32_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}
inline const bool k_slow_start = from_environment("slow_start", 1) != 0;
inline const bool k_guided = from_environment("guided", 1) != 0;
}  // namespace mgws::policy
"""


def replaced(text, pattern, by):
    changed, n = re.subn(pattern, by, text)
    if n != 1:
        sys.exit(f"ablate_policy: core has changed: {n} places fit {pattern}")
    return changed


def write_variable_core(core):
    policy = (ROOT / "core/policy.hpp").read_text(encoding="utf-8")
    for name in NUMBERS:
        policy = replaced(policy, rf"inline constexpr std::uint32_t {name} = ([\d']+);",
                          rf'inline const std::uint32_t {name} = from_environment("{name}", \1);')
    policy = replaced(policy, r"inline constexpr std::uint32_t k_look_ns",
                      "inline const std::uint32_t k_look_ns")
    policy = replaced(policy, r"void restart\(\) \{ steps_ = 1; \}",
                      "void restart() { if (k_slow_start) steps_ = 1; }")
    policy = replaced(policy, r"(#include <mgws_port.hpp>\n)", r"\1" + READ.replace("\\", r"\\"))
    initial = (ROOT / "core/initial_tasks.hpp").read_text(encoding="utf-8")
    initial = replaced(initial, r"share_ = 1.0f / static_cast<float>\(n\);",
                       "share_ = policy::k_guided ? 1.0f / static_cast<float>(n) : 1.0f;")
    # What core makes of constants as it is compiled is computed where it is used.
    leader = (ROOT / "core/lanes_leader.hpp").read_text(encoding="utf-8")
    for name in ("k_delta_looks", "k_coarse_looks"):
        leader = replaced(leader, rf"static constexpr std::uint32_t {name} =\s*([^;]+);",
                          rf"static constexpr struct {{ operator std::uint32_t() const {{ return \1; }} }} {name}{{}};")
    core.mkdir(parents=True)
    (core / "lanes_leader.hpp").write_text(leader, encoding="utf-8")
    (core / "policy.hpp").write_text(policy, encoding="utf-8")
    (core / "initial_tasks.hpp").write_text(initial, encoding="utf-8")


def build_variable(build, into):
    """The program with constants from the environment."""
    write_variable_core(into / "mgws/core")
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "bench/sim/mgws-sim"],
                              capture_output=True, text=True, check=True).stdout.splitlines()
    objects = []
    for source in ("loop.cpp", "others.cpp"):
        words = shlex.split(next(c for c in commands if c.endswith(f"bench/sim/{source}")))
        words[words.index("-o") + 1] = str(into / (source + ".o"))
        compiler = next(i for i, w in enumerate(words) if "++" in w)
        subprocess.run(words[:compiler + 1] + [f"-I{into}"] + words[compiler + 1:], cwd=build,
                       check=True)
        objects.append(str(into / (source + ".o")))
    words = shlex.split(next(c for c in commands if " -o bench/sim/mgws-sim " in c
                             and "libsim.a" in c))
    words[words.index("-o") + 1] = str(into / "mgws-sim")
    library = next(i for i, w in enumerate(words) if w.endswith("libsim.a"))
    subprocess.run(words[:library] + objects + words[library:], cwd=build, check=True)
    return into / "mgws-sim"


def simulated(program, words, environment):
    """Makespan and busy; nothing if it takes too long."""
    try:
        done = subprocess.run([program, *words.split(), "--json", "-"], env=environment,
                              capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return {}
    if done.returncode != 0:
        sys.exit(f"{words}: exit code {done.returncode}: {done.stderr.strip()}")
    run = json.loads(done.stdout)
    return {"makespan_ns": round(run["makespan_ns"]), "busy": round(run["busy"], 3)}


def variants():
    yield "as it is", "", {}
    for name, number in NUMBERS.items():
        yield name, "half", {name: number // 2}
        yield name, "double", {name: number * 2}
    for name, changes in OFF.items():
        yield name, "off", changes


def main():
    if sys.argv[1:] == ["check"]:
        with tempfile.TemporaryDirectory() as scratch:
            write_variable_core(pathlib.Path(scratch) / "core")
        print(f"{len(list(variants()))} variants")
        return 0
    build, output = sys.argv[1:]
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"],
                            capture_output=True, text=True, cwd=ROOT, check=True).stdout.strip()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        program = build_variable(build, pathlib.Path(scratch))
        for name, how, changes in variants():
            for workload, words in WORKLOADS.items():
                environment = {**os.environ, **{k: str(v) for k, v in changes.items()}}
                row = {"constant": name, "how": how, "changes": changes, "workload": workload,
                       "command": f"mgws-sim {words}", "commit": commit, "makespan_ns": None,
                       "busy": None}
                rows.append(row)
                row.update(simulated(program, words, environment))
                print(f"{name} {how}: {workload}: {row['makespan_ns']} ns, busy {row['busy']}",
                      flush=True)
    path = pathlib.Path(output)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
