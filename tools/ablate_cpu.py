#!/usr/bin/env python3
"""Measures on CPU workers what each constant of core and of the CPU's backend is worth: workloads of
mgws-bench with it halved, doubled, and so far off that its rule does nothing.

usage: ablate_cpu.py build BUILD FOLDER
       ablate_cpu.py run FOLDER OUTPUT.json [--devices cpu:16] [--rounds N] [--only REGEX]
       ablate_cpu.py check

BUILD is a build directory of this tree in which bench/mgws-bench is built, without a GPU. `build` makes
FOLDER/mgws-bench-variable of it, whose workloads' runs are compiled once more, with headers in which the
constants are read from the environment: one program for all variants. BUILD's own goes along: what it
costs that constants are read is measured, too. `run` needs neither a compiler nor the repository: FOLDER,
this file and those that it imports may be carried to where the processors are. Each variant is run next to
the program as it is, and compared with that. `check` says whether the constants are still those."""

import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from ablate_policy import replaced
from circumstances import Circumstances, build_of, processors
from cpu_ablation import HOW

ROOT = pathlib.Path(__file__).resolve().parent.parent
POLICY = "core/policy.hpp"
BACKEND = "backends/cpu/backend.hpp"
POOL = "backends/cpu/pool.hpp"
VARIABLE = "mgws-bench-variable"
KNOWN = "mgws-bench-known"
LIMIT = 60  # seconds that a process may take
NEVER = 1 << 31  # of what is counted in 32 bits; a power of two

# In the copy, what constants are read with. A worker divides by some of them between tasks: those are
# powers of two, and the division a shift, as it is where the compiler knows them.
READ = """#pragma once
#include <bit>
#include <cstdint>
#include <cstdlib>
namespace mgws {
template <class T>
T from_environment(const char* name, T otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<T>(std::strtoull(text, nullptr, 10));
}
struct power_of_two {
  int log;
  friend std::uint32_t operator/(std::uint32_t a, power_of_two b) { return a >> b.log; }
  friend std::uint32_t operator%(std::uint32_t a, power_of_two b) {
    return a & ((std::uint32_t{1} << b.log) - 1);
  }
};
inline power_of_two from_environment(const char* name, int otherwise) {
  const auto value = from_environment(name, static_cast<std::uint32_t>(otherwise));
  if (!std::has_single_bit(value)) std::abort();
  return {std::countr_zero(value)};
}
}  // namespace mgws
"""
INCLUDE = "#include <mgws/from_environment.hpp>\n"


def of_policy(name, kind="std::uint32_t", divides=False):
    """Of a constant of policy.hpp. \\param divides  whether a worker divides by it"""
    known, read = ("int", "power_of_two") if divides else (kind, kind)
    return (POLICY, rf"inline constexpr {kind} {name} = ([^;]+);",
            rf'inline const {read} {name} = from_environment("{name}", {known}(\1));')


# Constant: the file where it stands, what is there, and what instead.
PLACES = {
    "k_growth": of_policy("k_growth"),
    "k_eager_releases": of_policy("k_eager_releases"),
    "k_tasks_per_sign": of_policy("k_tasks_per_sign", divides=True),
    "k_signs_per_burst": of_policy("k_signs_per_burst", divides=True),
    "k_least_instances_per_sign": of_policy("k_least_instances_per_sign"),
    "k_most_instances_per_sign": of_policy("k_most_instances_per_sign"),
    "k_tokens_drawn": of_policy("k_tokens_drawn", kind="std::uint64_t"),
    # Both are template arguments of the pace. On a CPU nothing else uses their numbers: there they are read.
    "longest_burst": (POLICY, r"template <std::uint32_t Longest, std::uint32_t HandOverNs>\nclass pace \{\n",
                      "template <std::uint32_t KnownLongest, std::uint32_t KnownHandOverNs>\nclass pace {\n"
                      '  static inline const std::uint32_t Longest = from_environment("longest_burst", KnownLongest);\n'
                      "  static inline const std::uint32_t HandOverNs =\n"
                      '      from_environment("hand_over_ns", KnownHandOverNs);\n\n'),
    "k_spins": (BACKEND, r"static constexpr std::uint32_t k_spins = (\d+);",
                r'static inline const std::uint32_t k_spins = from_environment("k_spins", std::uint32_t{\1});'),
    "k_yields": (BACKEND, r"static constexpr std::uint32_t k_yields = (\d+);",
                 r'static inline const std::uint32_t k_yields = from_environment("k_yields", std::uint32_t{\1});'),
    "k_awake": (POOL, r"static constexpr std::chrono::microseconds k_awake\{(\d+)\};",
                r'static inline const std::chrono::microseconds k_awake{from_environment("k_awake", std::uint32_t{\1})};'),
}
# Whose runs are compiled once more.
COMPILED = ("crypt", "fib", "live", "loop", "mandelbrot", "memset", "nqueens", "quicksort", "spawn_tree", "uts")

# Sized for 16 workers: what is not a short run takes 5 to 20 ms by them; less where one thread computes,
# in each process, what is to come out.
MIXED = "loop --n 40000 --base 100 --heavy 64 --heavy-cost 100000"
WORKLOADS = {
    "uts T1": "uts --tree T1",
    "uts T3": "uts --tree T3",
    "uts T3, below a finish": "uts --tree T3 --finish",
    "spawn-tree": "spawn-tree --depth 25",
    "spawn-tree, below a finish": "spawn-tree --depth 25 --finish",
    "fib": "fib --n 33",
    "nqueens": "nqueens --n 14 --repeat 9",
    "quicksort": "quicksort --keys 2000000",
    "crypt, one slot": "crypt --size 4194304 --bulk --grain 1 --repeat 5",
    "mandelbrot": "mandelbrot --size 1024x768 --iterations 50 --repeat 5",
    "spawn-tree, wide slots": "spawn-tree --bulk --fanout 4096 --depth 2 --repeat 9",
    "loop of short instances": "loop --n 8000000 --base 1 --repeat 9",
    "loop, a few heavy": f"{MIXED} --way seed_n --repeat 20",
    "loop, a few heavy, spawned": f"{MIXED} --way spawn --repeat 20",
    "loop, a few heavy, as a tree": f"{MIXED} --way tree --leaf 1 --repeat 20",
    "live": "live --tasks 500000",
    "live, many at once": "live --tasks 100000000 --instances 65536 --repeat 5",
    # So short that how long a call takes is what there is to measure.
    "calls: loop": "loop --n 1000 --base 20 --repeat 300",
    "calls: fib 12": "fib --n 12 --repeat 300",
    "calls: uts": "uts -t 1 -a 3 -d 4 -b 4 -r 1 --repeat 300",
    "calls: memset": "memset --tasks 1 --repeat 300",
}
# Constant: as it is; far below, half, double and far above, as far as there is something else; and where
# it can matter. At one of the far values its rule does nothing.
CONSTANTS = {
    "k_growth": (16, (1, 8, 32, 1 << 20), ("uts T1", "uts T3", "fib", "spawn-tree")),
    "k_eager_releases": (256, (0, 128, 512, NEVER), ("uts T3", "nqueens", "quicksort", "loop, a few heavy, as a tree")),
    "k_tasks_per_sign": (8, (1, 4, 16, 1 << 20), ("fib", "spawn-tree", "nqueens")),
    "k_signs_per_burst": (8, (1, 4, 16, 1 << 10),
                          ("loop of short instances", "mandelbrot", "crypt, one slot", "spawn-tree, wide slots")),
    "k_least_instances_per_sign": (64, (1, 32, 128, 512), ("uts T1", "uts T3", "loop of short instances",
                                                           "crypt, one slot", "spawn-tree, wide slots")),
    # An eighth of the longest burst is 1,024: that is no bound.
    "k_most_instances_per_sign": (512, (64, 256, 1024, None), ("loop of short instances", "crypt, one slot",
                                                               "live, many at once", "spawn-tree, wide slots")),
    "k_tokens_drawn": (1 << 20, (1, 1 << 19, 1 << 21, None),
                       ("uts T3, below a finish", "spawn-tree, below a finish", "quicksort")),
    "longest_burst": (8192, (64, 4096, 16384, 1 << 20),
                      ("loop of short instances", "fib", "spawn-tree", "spawn-tree, wide slots")),
    "hand_over_ns": (200, (1, 100, 400, 20000), ("uts T3", "nqueens", "quicksort", "loop, a few heavy, spawned")),
    "k_spins": (16, (0, 8, 32, 1000), ("uts T3", "quicksort", "loop, a few heavy", "live", "calls: fib 12")),
    "k_yields": (4, (0, 2, 8, 1000), ("uts T3", "quicksort", "live", "calls: fib 12")),
    "k_awake": (100, (0, 50, 200, 1000), ("calls: loop", "calls: fib 12", "calls: uts", "calls: memset")),
}


def number(text):
    """Of a constant as it is written: 8'192, or std::uint64_t{1} << 20."""
    factor, _, shift = re.sub(r"\w+::\w+\{(\d+)\}|'", r"\1", text).partition("<<")
    return int(factor) << int(shift or 0)


def check(_):
    """Exit code 1 if constants are not where this program looks for them, or are other numbers by now."""
    faults = 0
    for name, (known, values, workloads) in CONSTANTS.items():
        text = "".join((ROOT / file).read_text(encoding="utf-8") for file in (POLICY, BACKEND, POOL))
        there = [number(n) for n in re.findall(rf"\bconstexpr [\w:]+ {name}(?: = |\{{)([^;]+?)\}}?;", text)]
        if there != [known] or {*workloads} - {*WORKLOADS}:
            print(f"{name} is {there}, not {known}, or of its workloads one is unknown")
            faults += 1
        if values[1:3] != (known // 2, known * 2):
            print(f"{name}: {values[1:3]} are not half of {known} and twice as much")
            faults += 1
    with tempfile.TemporaryDirectory() as scratch:
        write_variable_headers(pathlib.Path(scratch))
    for n in range(5):
        order = list(chain(list(range(n))))
        if any(None not in order[max(i - 1, 0):i + 2] for i in range(len(order))):
            print(f"of {n} variants one is not run next to the program as it is: {order}")
            faults += 1
    return 1 if faults else 0


def write_variable_headers(into):
    """Of the files where constants stand, copies in which they are read."""
    texts = {}
    for file, pattern, instead in PLACES.values():
        text = texts.get(file) or (ROOT / file).read_text(encoding="utf-8")
        texts[file] = replaced(text, pattern, instead)
    for file, text in texts.items():
        (into / "mgws" / file).parent.mkdir(parents=True, exist_ok=True)
        (into / "mgws" / file).write_text(replaced(text, r"#pragma once\n", "#pragma once\n" + INCLUDE),
                                          encoding="utf-8")
    (into / "mgws/from_environment.hpp").write_text(READ, encoding="utf-8")


def compile_once_more(build, commands, source, into):
    """An object of a source file with the headers that lie in `into`."""
    words = shlex.split(next(c for c in commands if c.endswith(source)))
    made = str(into / (pathlib.Path(source).stem + ".o"))
    words[words.index("-o") + 1] = made
    compiler = next(i for i, w in enumerate(words) if "++" in w)
    subprocess.run(words[:compiler + 1] + [f"-I{into}"] + words[compiler + 1:], cwd=build, check=True)
    return made


def commit_of(bench):
    """Of a program whose sources are as here, or it is no program to take anything from."""
    said = subprocess.run([bench, "--version"], capture_output=True, text=True, check=True).stdout
    commit = re.search(r"\((\w+)\)", said)[1]
    rooms = ("backends", "bench", "core", "include", "runtime", "transports")
    if subprocess.run(["git", "diff", "--quiet", commit, "--", *rooms], cwd=ROOT, check=False).returncode != 0:
        sys.exit(f"ablate_cpu: {bench} is of {commit}, and the sources here are others")
    return commit


def build(asked):
    into = asked.folder.resolve()
    bench = asked.build.resolve() / "bench/mgws-bench"
    about = {"commit": commit_of(bench), "built": build_of(bench)}
    write_variable_headers(into / "headers")
    commands = subprocess.run(["ninja", "-C", asked.build, "-t", "commands", "bench/mgws-bench"],
                              capture_output=True, text=True, check=True).stdout.splitlines()
    sources = ["runtime/separate.cpp", *(f"bench/runs/{w}.cpp" for w in COMPILED)]
    objects = [compile_once_more(asked.build, commands, "/" + s, into / "headers") for s in sources]
    words = shlex.split(next(c for c in commands if " -o bench/mgws-bench " in c))
    words[words.index("-o") + 1] = str(into / VARIABLE)
    # Before the libraries that have the others.
    first = next(i for i, w in enumerate(words) if w.endswith(".a"))
    subprocess.run(words[:first] + objects + words[first:] + ["-s"], cwd=asked.build, check=True)
    shutil.copy(bench, into / KNOWN)
    (into / "about.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return 0


def variants(workload, only):
    """Constant, how it differs, its value, program: of what is run of a workload."""
    yield None, "as it is, again", None, VARIABLE
    yield None, "known to the compiler", None, KNOWN
    for name, (_, values, workloads) in CONSTANTS.items():
        if workload in workloads and re.search(only, name):
            for how, value in zip(HOW, values):
                if value is not None:
                    yield name, how, value, VARIABLE


def chain(order):
    """None is as it is, beside which each of the others stands: before it or behind it."""
    for i in range(0, len(order), 2):
        yield None
        yield from order[i:i + 2]
    yield None


def milliseconds(asked, words, variant):
    """The median of a process's runs, all of them verified; or a sentence."""
    name, _, value, program = variant or (None, None, None, VARIABLE)
    environment = {k: v for k, v in os.environ.items() if k not in CONSTANTS}
    if name is not None:
        environment[name] = str(value)
    try:
        done = subprocess.run([asked.folder.resolve() / program, *words, "--json", "-"], env=environment,
                              capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"not done in {LIMIT} s"
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr.strip()[:200]}"
    summary = json.loads(done.stdout)["summary"]
    if not summary["verified"]:
        return "wrong result"
    return summary["call_seconds" if is_of_calls(words) else "seconds"]["median"] * 1e3


def is_of_calls(words):
    return int(words[words.index("--repeat") + 1]) >= 100


def words_of(asked, workload):
    words = WORKLOADS[workload].split()
    if "--repeat" not in words:
        words += ["--repeat", "3"]
    return [*words, "--warmup", "1", "--timeout", "10", "--devices", asked.devices]


def one_round(asked, workload, order, found):
    """Appends to found[variant] what it took and what it took as it is, beside that."""
    words = words_of(asked, workload)
    all_of = [(variant, milliseconds(asked, words, variant)) for variant in chain(order)]
    for i, (variant, ms) in enumerate(all_of):
        if variant is None:
            if isinstance(ms, str):
                sys.exit(f"as it is: {workload}: {ms}")
            continue
        usual = all_of[i - 1 if all_of[i - 1][0] is None else i + 1][1]
        found.setdefault(variant, []).append((ms, usual))


def spread(values):
    return {"min": round(min(values), 5), "median": round(statistics.median(values), 5), "max": round(max(values), 5)}


def row_of(asked, workload, variant, times):
    name, how, value, _ = variant
    words = words_of(asked, workload)
    row = {"constant": name, "how": how, "value": value, "workload": workload,
           "as_it_is": None if name is None else CONSTANTS[name][0],
           "command": "mgws-bench " + " ".join(words), "timed": "call" if is_of_calls(words) else "run",
           "ms_as_it_is": spread([usual for _, usual in times])}
    failed = [ms for ms, _ in times if isinstance(ms, str)]
    if failed:
        return {**row, "failed": failed[0]}
    return {**row, "ms": spread([ms for ms, _ in times]), "ratio": spread([ms / usual for ms, usual in times]),
            "ratios": [round(ms / usual, 4) for ms, usual in times]}


def write(asked, about, circumstances, found, rounds):
    """All that there is after so many rounds: whoever is stopped leaves that much."""
    rows = [row_of(asked, workload, variant, times) for workload, of in found.items() for variant, times in of.items()]
    names = [None, *CONSTANTS]
    rows.sort(key=lambda row: names.index(row["constant"]))
    out = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
           "commit": about["commit"], "measured": circumstances.after(about["commit"]),
           "command": f"ablate_cpu.py run --devices {asked.devices} --rounds {asked.rounds}"
                      + (f" --only {asked.only}" if asked.only else ""),
           "rounds": rounds, "rows": rows}
    asked.output.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")
    return rows


def run(asked):
    about = json.loads((asked.folder / "about.json").read_text(encoding="utf-8"))
    circumstances = Circumstances(asked.folder / VARIABLE)
    circumstances.measured.update(about["built"])
    begun = time.monotonic()
    found = {}
    rows = []
    for number in range(asked.rounds):
        for workload in WORKLOADS:
            order = list(variants(workload, asked.only))
            if len(order) > 2:  # some constant's
                one_round(asked, workload, order if number % 2 == 0 else order[::-1], found.setdefault(workload, {}))
        rows = write(asked, about, circumstances, found, number + 1)
        print(f"round {number + 1} of {asked.rounds}: {time.monotonic() - begun:.0f} s", flush=True)
    for row in rows:
        said = row.get("failed") or "{median:.3f} ({min:.3f} to {max:.3f})".format(**row["ratio"])
        print(row["constant"], row["how"], row["value"], f"{row['workload']}: {said}", sep=", ")
    failed = sum("failed" in row for row in rows)
    print(f"{len(rows)} rows, {failed} failed")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("build")
    one.add_argument("build", type=pathlib.Path)
    one.add_argument("folder", type=pathlib.Path)
    one.set_defaults(does=build)
    two = commands.add_parser("run")
    two.add_argument("folder", type=pathlib.Path)
    two.add_argument("output", type=pathlib.Path)
    two.add_argument("--devices", default=f"cpu:{processors()}")
    two.add_argument("--rounds", type=int, default=5)
    two.add_argument("--only", default="", metavar="REGEX", help="constants, as 'k_spins|k_yields'")
    two.set_defaults(does=run)
    commands.add_parser("check").set_defaults(does=check)
    asked = parser.parse_args()
    return asked.does(asked)


if __name__ == "__main__":
    sys.exit(main())
