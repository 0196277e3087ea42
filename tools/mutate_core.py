#!/usr/bin/env python3
"""Changes core's text, one line at a time, where the model checker has no operation that a mutant could
alter, and asks it whether a scenario sees that.

usage: mutate_core.py BUILD [--only REGEX] [--jobs N] [--limit SECONDS]
       mutate_core.py check

BUILD is a build folder with the checker in it. For each change the files of scenarios are compiled anew
against a copy of the headers with that change, and linked with the rest of the build; half a minute each.
Exit code 1: a change was not seen. `check`: whether each line still stands in core, which needs no build."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ("include", "core", "backends", "transports", "runtime")
TEAMS = "team_scenarios.cpp"
BRIDGE = "bridge_scenarios.cpp"
SET_BITS = "    if (taken != 0) I::set_bits(starts[p.before / bits], mask{1} << p.before % bits);\n"
VOTE = "    const std::uint32_t used_up = I::count_of_block(taken != 0 && taken == whole);\n"
# Name: file, as it is, changed; whose scenarios, and which of them sees it.
MUTANTS = {
    # Resumable tasks.
    "what-goes-on-is-dropped": (
        "core/lanes.hpp", "if (goes_on && worker.lane() == 0) worker.push_begun(mine, instance);", "", TEAMS,
        "teams-pieces"),
    "what-goes-on-begins-anew": (
        "core/lanes.hpp", "worker.push_begun(mine, instance);", "worker.push_begun(t, instance);", TEAMS,
        "teams-pieces"),
    "free-lanes-are-dealt-one-twice": (
        "core/lanes.hpp", "newest.write_header(n.without_first(free));", "newest.write_header(n.without_first(free - 1));",
        TEAMS, "team-pieces-dealt"),
    "free-lanes-are-dealt-what-is-left": (
        "core/lanes.hpp", "if (n.count() < free) return false;", "if (n.count() == 0) return false;", TEAMS,
        "team-pieces-dealt"),
    "free-lanes-are-dealt-the-first": (
        "core/lanes.hpp", "instance = n.first() + before /", "instance = n.first() + 0 * before /", TEAMS,
        "team-pieces-dealt"),
    "the-slot-that-was-dealt-stays": (
        "core/lanes.hpp", "if (n.count() == free) {\n      rounds::pop_newest(h);", "if (n.count() == free) {", TEAMS,
        "team-pieces-even"),
    "what-free-lanes-steal-is-lost": (
        "core/search.hpp", "try_steal(below, [] {});", "(try_steal(below, [] {}), below.restart(), false);", TEAMS,
        "teams-pieces-steal"),
    # Workers of several warps.
    "sums-of-warps-read-too-early": (
        "backends/gpu/groups.hpp", "    I::sync_block();\n    const prefix p = over_warps", "    const prefix p = over_warps", TEAMS,
        "team-warps"),
    "segments-read-too-early": (
        "backends/gpu/groups.hpp", SET_BITS + VOTE, VOTE + SET_BITS, TEAMS,
        "team-warps"),
    # Tasks that can only run elsewhere.
    "idle-with-a-task-that-must-leave": (
        "core/later.hpp", "if constexpr (Away) return !level_[k_lower_levels].empty();", "", BRIDGE, "bridge-kinds"),
    # An inbox over domains.
    "inbox-ended-when-its-domain-rests": (
        "core/search.hpp", "return others_idle() && bridge_.rests(view_, run_);", "return others_idle();", BRIDGE,
        "bridge-live"),
}


def compile_commands(build):
    """Source's name -> its command, of the checker's own files."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return {pathlib.Path(c["file"]).name: (c["command"], pathlib.Path(c["directory"])) for c in commands
            if "mgws-model.p" in c["output"]}


def objects(build):
    return sorted((build / "tests/model/mgws-model.p").rglob("*.o"))


def changed_headers(folder, file, text, by):
    for room in HEADERS:
        shutil.copytree(ROOT / room, folder / room, symlinks=True, ignore=shutil.ignore_patterns("*.cpp", "*.cu"))
    path = folder / file
    path.write_text(path.read_text(encoding="utf-8").replace(text, by), encoding="utf-8")


def outcome(build, name, limit):
    """What the checker says of the scenario with that change: a line, and whether it is as it should be."""
    file, text, by, source, scenario = MUTANTS[name]
    command, directory = compile_commands(build)[source]
    with tempfile.TemporaryDirectory(prefix="mgws-mutant-") as folder:
        folder = pathlib.Path(folder)
        changed_headers(folder, file, text, by)
        words = shlex.split(command)
        target = folder / "changed.o"
        old = (directory / words[words.index("-o") + 1]).resolve()
        words[words.index("-o") + 1] = str(target)
        root = os.path.relpath(ROOT, directory)
        words = [f"-I{folder}{w[2 + len(root):]}" if w.startswith(f"-I{root}/") else w for w in words]
        for option in ("-MF", "-MQ"):
            if option in words:
                words[words.index(option) + 1] = str(folder / "deps")
        words = [w for w in words if w not in ("-Werror", "-Winvalid-pch")]
        subprocess.run(words, cwd=directory, check=True, capture_output=True, text=True)
        program = folder / "mgws-model"
        # The changed file first: of what both define in line the linker takes the first.
        rest = [str(o) for o in objects(build) if o.resolve() != old]
        linker = words[1] if pathlib.Path(words[0]).name == "ccache" else words[0]
        subprocess.run([linker, str(target), *rest, "-pthread", "-o", str(program)], check=True)
        try:
            done = subprocess.run([str(program), "--scenario", scenario], capture_output=True, text=True,
                                  timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return f"nothing within {limit} s", False
    said = (done.stdout + done.stderr).strip()
    return said, done.returncode == 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=120)
    asked = parser.parse_args()
    gone = [f"{name}: '{text}' stands {n} times in {file}" for name, (file, text, *_) in MUTANTS.items()
            if (n := (ROOT / file).read_text(encoding="utf-8").count(text)) != 1]
    if gone or asked.build == "check":
        print("\n".join(gone) or f"{len(MUTANTS)} changes")
        return 1 if gone else 0
    names = [name for name in MUTANTS if re.search(asked.only, name)]
    build = pathlib.Path(asked.build).resolve()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        for name, (said, seen) in zip(names, pool.map(lambda n: outcome(build, n, asked.limit), names)):
            print(f"{name}: {'seen by' if seen else 'NOT SEEN by'} {MUTANTS[name][4]}: {said}", flush=True)
            failed += not seen
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
