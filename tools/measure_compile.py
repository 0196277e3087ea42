#!/usr/bin/env python3
"""Times what compilers take for a small program, with mgws' libraries, with headers alone, and of before.

usage: measure_compile.py FILE.json [--rounds N] [--before COMMIT]

The program is examples/fibonacci.cpp, with MGWS_FN where nvcc compiles it: whole commands, linking included,
each with the flags of mgws' packages. All ways run in turn, one command at a time; before the first round
each runs once, which is not counted. --before: a commit whose headers are one of the ways, without a library;
default: the last one before joins, live runs and bridges. Without nvcc there is no way by it.
"""

import argparse
import datetime
import json
import pathlib
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from circumstances import Circumstances, commit, processor, processors

BEFORE = "8878ae6"
NVCC = ["-std=c++20", "-O2", "-arch=sm_90", "-cudart=static", "--expt-relaxed-constexpr"]
GXX = ["-std=c++20", "-O2", "-pthread"]


def run(command):
    """Runs it, and returns its seconds by the clock and of all processors."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(str(c) for c in command)} ended with {done.returncode}:\n{done.stderr}")
    return {"seconds": time.monotonic() - began,
            "processor_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def includes(tree, port):
    return ["-I" + str(tree / "include"), "-I" + str(tree / "backends" / port / "port")]


def ways_of(folder, old, nvcc):
    """The commands, by compiler and way. What the libraries are of is compiled first."""
    program = (ROOT / "examples" / "fibonacci.cpp").read_text(encoding="utf-8")
    for_cpu, for_gpu = folder / "fibonacci.cpp", folder / "fibonacci.cu"
    for_cpu.write_text(program, encoding="utf-8")
    for_gpu.write_text(re.sub(r"(?m)^( *)void operator\(\)", r"\1MGWS_FN void operator()", program), encoding="utf-8")
    separate, separate_gpus = folder / "separate.o", folder / "separate_gpus.o"
    result = ["-o", folder / "program"]
    run(["g++", *GXX, *includes(ROOT, "cpu"), "-c", ROOT / "runtime" / "separate.cpp", "-o", separate])
    cpu, gpu = ["g++", *GXX, for_cpu], [nvcc, *NVCC, for_gpu]
    ways = {"g++": {
        "before": [*cpu, *includes(old, "cpu"), *result],
        "headers": [*cpu, "-DMGWS_HEADER_ONLY", *includes(ROOT, "cpu"), *result],
        "library": [*cpu, "-DMGWS_LIBRARY", *includes(ROOT, "cpu"), separate, *result]}}
    if nvcc is not None:
        run([nvcc, *NVCC, *includes(ROOT, "cuda"), "-x", "cu", "-c", ROOT / "runtime" / "separate_gpus.cpp",
             "-o", separate_gpus])
        ways["nvcc"] = {
            "before": [*gpu, *includes(old, "cuda"), *result],
            "headers": [*gpu, "-DMGWS_HEADER_ONLY", *includes(ROOT, "cuda"), *result],
            "library": [*gpu, "-DMGWS_LIBRARY", *includes(ROOT, "cuda"), separate_gpus, separate, *result]}
    return ways


def version(compiler):
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
    return next((line for line in said if "release" in line), said[0]).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path, metavar="FILE.json")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="default: 7")
    parser.add_argument("--before", default=BEFORE, metavar="COMMIT", help=f"default: {BEFORE}")
    options = parser.parse_args()
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    circumstances = Circumstances(ROOT)
    measured = commit()
    found = {}
    with tempfile.TemporaryDirectory(prefix="mgws-compile-") as name:
        folder = pathlib.Path(name)
        old = folder / "before"
        old.mkdir()
        archive = subprocess.run(["git", "-C", ROOT, "archive", options.before], capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", old], input=archive.stdout, check=True)
        ways = ways_of(folder, old, nvcc)
        for counted in range(-1, options.rounds):
            for compiler, commands in ways.items():
                for way, command in commands.items():
                    took = run(command)
                    if counted >= 0:
                        found.setdefault(compiler, {}).setdefault(way, []).append(took)
    comparisons = []
    for compiler, by_way in found.items():
        for way, times in by_way.items():
            seconds = [t["seconds"] for t in times]
            ratio = statistics.median(s / b["seconds"] for s, b in zip(seconds, by_way["before"]))
            comparisons.append({"compiler": compiler, "way": way, "seconds": seconds,
                                "processor_seconds": [t["processor_seconds"] for t in times],
                                "ratio_to_before": ratio})
            print(f"{compiler:6}{way:10}{statistics.median(seconds):8.2f} s{ratio:8.2f}")
    options.file.write_text(json.dumps({
        "schema": 1,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": measured,
        "before": options.before,
        "measured": circumstances.after(measured),
        "command": shlex.join(["tools/measure_compile.py", *sys.argv[1:]]),
        "processor": processor(),
        "processors": processors(),
        "compilers": {c: version("g++" if c == "g++" else nvcc) for c in found},
        "rounds": options.rounds,
        "comparisons": comparisons,
    }, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
