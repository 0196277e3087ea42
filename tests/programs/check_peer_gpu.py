"""Runs mgws-peer-gpu as a user would: right results of every workload and form, and one clear sentence
with the right exit code for bad input.

usage: check_peer_gpu.py MGWS_PEER_GPU

77 where no GPU can be used; what needs none is checked before."""

import json
import os
import subprocess
import sys
import tempfile

PEER = sys.argv[1]
failures = []


def run(*arguments, timeout=120):
    return subprocess.run([PEER, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=timeout, check=False)


def expect(condition, what, done):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}\n  exit code {done.returncode}\n  {done.stderr.strip()[:400]}")


def wrong(code, fragment, *arguments):
    done = run(*arguments)
    what = f"{' '.join(map(str, arguments))}: {fragment}"
    expect(done.returncode == code and fragment in done.stderr, what, done)
    expect(done.stderr.count("\n") == 1 and done.stdout == "", f"one sentence for {what}", done)


def right(result, forms, *arguments):
    """Every form gives this verified result."""
    done = run(*arguments, "--form", "all", "--repeat", 2, "--warmup", 1, "--busy", 0, "--json", "-")
    name = " ".join(map(str, arguments))
    expect(done.returncode == 0, name, done)
    if done.returncode != 0:
        return
    variants = json.loads(done.stdout)["variants"]
    expect([v["parameters"]["form"] for v in variants] == forms, f"{name}: the forms", done)
    for v in variants:
        what = f"{name}, {v['parameters']['form']}"
        expect(v["summary"]["verified"] and v["summary"]["result"] == result,
               f"{what}: {v['summary']['result']}", done)
        expect(len(v["runs"]) == 2 and all(r["seconds"] > 0 for r in v["runs"]), f"{what}: the runs", done)
        for key in ("schema", "workload", "parameters", "command", "version", "commit", "devices",
                    "runtime", "runs", "summary"):
            expect(key in v, f"{what}: no {key} in the JSON", done)


def bad_usage():
    wrong(2, "subcommand")
    wrong(2, "--frob", "fill", "--frob")
    for workload in ("loop", "mandelbrot", "contains", "crypt", "fill", "md", "nqueens", "uts"):
        wrong(2, "'none' is none of", workload, "--form", "none")
        wrong(2, "--repeat", workload, "--repeat", 0)
        wrong(2, "--device", workload, "--device", "x")
    wrong(2, "--tasks", "fill", "--tasks", 0)
    wrong(2, "multiple of 8", "crypt", "--size", 1001)
    wrong(2, "--size: '0'", "crypt", "--size", 0)
    wrong(2, "multiple of 32", "crypt", "--threads", 100)
    wrong(2, "--threads: '1024'", "crypt", "--threads", 1024)
    wrong(2, "--chunk must be a multiple of 128", "md", "--chunk", 100)
    wrong(2, "--cutoff: '0' is not a number from 1 to 1000", "md", "--cutoff", 0)
    wrong(2, "--gpus", "md", "--gpus", 0)
    wrong(2, "--n: '3'", "nqueens", "--n", 3)
    wrong(2, "--n: '28'", "nqueens", "--n", 28)
    wrong(2, "--cutoff", "nqueens", "--cutoff", 1)
    wrong(2, "--cutoff must be at most two less", "nqueens", "--n", 5, "--cutoff", 4)
    wrong(2, "multiple of 32", "nqueens", "--threads", 100)
    wrong(2, "needs --corpus PATH or --synthetic N", "contains")
    wrong(2, "--word needs", "contains", "--synthetic", 1, "--word", "")
    wrong(2, "multiple of 32", "contains", "--synthetic", 1, "--threads", 100)
    wrong(2, "--chunk", "contains", "--synthetic", 1, "--chunk", 32)
    wrong(2, "excludes", "contains", "--synthetic", 1, "--corpus", "x")
    wrong(2, "'T0' is not a named tree", "uts", "--tree", "T0")
    wrong(2, "Tree type -t", "uts", "-t", 4)
    wrong(2, "multiple of 32", "uts", "--threads", 100)


def on_gpu(folder):
    texts = ["der Raum dazwischen", "zwische", "zwischenzwischen", "", "n", "x" * 70000 + "zwischen", "zwis"]
    for i, text in enumerate(texts):
        with open(os.path.join(folder, f"{i}.txt"), "w", encoding="utf-8") as file:
            file.write(text)
    forms = ["warp-static", "warp-counter", "block-static", "block-counter", "pieces"]
    for word, articles in (("zwischen", 3), ("z", 5), ("zw", 5), ("nzw", 1), ("n" * 20, 0), ("xzwisch", 1)):
        right(articles, forms, "contains", "--corpus", folder, "--word", word)
    # Pieces that end within words; blocks of a warp.
    for piece in (1, 7, 4096):
        right(3, forms, "contains", "--corpus", folder, "--piece", piece, "--threads", 32, "--chunk", 31)
    for tasks in (1, 2, 1001, 1 << 20):
        right(tasks, ["plain", "resident", "slots"], "fill", "--tasks", tasks)
    forms = ["plain-8", "plain-16", "plain-32", "resident-8", "resident-16", "resident-32", "shared-16",
             "shared-32"]
    for blocks in (1, 2, 3, 1001, 100_003):
        right(blocks, forms, "crypt", "--size", 8 * blocks)
    # More than resident threads have at once.
    right(3_000_001, forms, "crypt", "--size", 24_000_008, "--threads", 512, "--text-seed", 2)
    right(100_003, forms, "crypt", "--size", 800_024, "--threads", 32)
    forms = ["sorted", "chunks", "counter", "random"]
    for atoms in (1, 2, 128, 129, 20_000):
        for more in ([], ["--density", "uniform", "--search", "all"], ["--cutoff", 2.5, "--chunk", 128]):
            right(atoms, forms, "md", "--atoms", atoms, *more)
    for n, solutions in ((4, 2), (5, 10), (6, 4), (9, 352), (12, 14200), (15, 2279184)):
        right(solutions, ["counter", "stride"], "nqueens", "--n", n)
    for cutoff in (2, 3, 4, 9):
        right(73712, ["counter", "stride"], "nqueens", "--n", 13, "--cutoff", cutoff, "--threads", 32)
    forms = ["stacks", "levels"]
    right(1, forms, "uts", "-t", 0, "-b", 0)
    right(4130071, forms, "uts", "--tree", "T1")
    right(4117769, forms, "uts", "--tree", "T2")
    right(4112897, forms, "uts", "--tree", "T3", "--threads", 32)
    right(4132453, forms, "uts", "--tree", "T4")
    right(4147582, forms, "uts", "--tree", "T5", "--threads", 256)


def main():
    first = run("fill", "--tasks", 1, "--busy", 0)
    usable = first.returncode == 0
    # What only the workload itself refuses, it does before it asks for a GPU.
    bad_usage()
    if not usable:
        expect(first.returncode == 3 and "GPU" in first.stderr, "a reason", first)
        print(first.stderr.strip())
        sys.exit(1 if failures else 77)
    wrong(3, "this machine has", "fill", "--device", 1000)
    with tempfile.TemporaryDirectory() as folder:
        on_gpu(folder)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
