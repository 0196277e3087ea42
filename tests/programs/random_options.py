"""Runs mgws-bench with workloads and options drawn at random: every run is to end soon, with the right
result or with the sentence that says which limit is too small.

usage: random_options.py MGWS_BENCH [--device cpu|gpu:0] [--runs N] [--seed S] [--jobs N] [--together]

What is drawn depends on the seed alone, and a run that fails is printed as the command that repeats it.
77 if the device is not there. --together: mgws-bench was built with -Dbench_together=true."""

import argparse
import concurrent.futures
import os
import random
import shlex
import subprocess
import sys

# In the sentences of a run that could not be: too few of a worker's slots fit its spill area, or its
# queues do not fit a multiprocessor.
TOO_SMALL = "its spill area needs"
DO_NOT_FIT = ("workers do not fit on", "not one worker of this task set fits on")


PATTERNS = ("uniform", "ramp-up", "ramp-down", "heavy-first", "heavy-last", "geometric", "every-16th",
            "one-long", "triangle", "random-blocks")


# Its tasks tell each other by atomics of all devices.
OF_ONE_DOMAIN = ("dijkstra",)


def one_domain(command):
    """The same without a bridge."""
    if "--domains" not in command:
        return command
    at = command.index("--domains")
    return command[:at] + command[at + 4:]


def power(rng, least, most):
    return 1 << rng.randint(least, most)


def workload(rng, gpu):
    """A small one that takes microseconds to milliseconds, with the result known or counted
    sequentially."""
    width = ["--width", rng.choice(("lane", "lane", "warp", "block"))] if gpu else []
    microseconds = str(rng.randint(0, 20))
    queens = rng.randint(4, 10)
    instances = rng.choice((rng.randint(1, 100), rng.randint(1, 20_000)))
    # Long instances where there are few of them: on one worker, in the end, it is the sum that counts.
    base = rng.randint(1, 2_000_000 // max(instances, 1000))
    return rng.choice((
        lambda: ["uts", "-t", "1", "-a", "3", "-d", str(rng.randint(5, 7)), "-b", "4", "-r", "19", *width],
        lambda: ["uts", "-t", "0", "-b", "300", "-q", "0.12", "-m", "8", "-r", str(rng.randint(0, 99)), *width],
        lambda: ["uts", "-t", "2", "-d", "8", "-b", "4", "-r", str(rng.randint(0, 99)), *width],
        lambda: ["spawn-tree", "--depth", str(rng.randint(0, 14)), *width],
        lambda: ["spawn-tree", "--depth", str(rng.randint(0, 14)), "--bulk"],
        lambda: ["spawn-tree", "--depth", str(rng.randint(0, 4)), "--fanout", str(rng.randint(1, 9)), *width],
        lambda: ["spawn-tree", "--depth", "1", "--fanout", str(rng.randint(1, 100_000)), "--bulk"],
        lambda: ["spawn-tree", "--depth", "500", "--fanout", "1", *width],
        lambda: ["fib", "--n", str(rng.randint(0, 20))],
        lambda: ["live", "--tasks", str(rng.randint(0, 3000)), "--instances", str(rng.choice((1, 1, 7, 1000))),
                 "--producers", str(rng.randint(1, 4)), "--inboxes", str(rng.randint(0, 3)),
                 "--inbox-slots", str(power(rng, 0, 6)), "--inboxes-of", rng.choice(("each", "one")),
                 "--trips", str(rng.randint(0, 20))],
        lambda: ["taskbench", "--pattern",
                 rng.choice(("trivial", "chain", "stencil_1d", "fft", "tree", "random_nearest")),
                 "--columns", str(rng.randint(1, 300)), "--steps", str(rng.randint(1, 50)),
                 "--radix", str(rng.randint(1, 15)), "--iterations", str(rng.randint(0, 300))],
        lambda: ["cholesky", "--n", str(queens * rng.randint(1, 20) * 4), "--tile", str(queens * 4),
                 "--matrix-seed", str(rng.randint(0, 99)), *width],
        lambda: ["cilksort", "--keys", str(rng.randint(1, 50_000)), "--sort-leaf", str(rng.randint(4, 100)),
                 "--merge-leaf", str(rng.randint(2, 300))],
        lambda: ["quicksort", "--keys", str(rng.randint(1, 50_000)), "--leaf", str(rng.randint(1, 100)),
                 "--piece", str(rng.randint(1, 5000)), "--different", str(rng.choice((0, 1, 2, 100)))],
        lambda: ["quadrature", "--function", rng.choice(("peaks", "wave", "root")),
                 "--tolerance", str(rng.choice((0.1, 0.01, 1e-3, 1e-4, 1e-5))),
                 "--way", rng.choice(("join", "sum"))],
        lambda: ["crypt", "--size", str(8 * rng.randint(1, 20_000)), "--grain", str(rng.randint(1, 300)),
                 "--text-seed", str(rng.randint(0, 99)), *rng.choice(([], ["--bulk"])), *width],
        lambda: ["dijkstra", "--graph", rng.choice(("random", "rmat")), "--nodes", str(rng.randint(1, 3000)),
                 "--degree", str(rng.randint(1, 12)), "--weights", str(rng.choice((1, 20, 1000))),
                 "--graph-seed", str(rng.randint(0, 99)),
                 *rng.choice(([], ["--delta", str(rng.choice((1, 10, 100_000)))])),
                 *rng.choice(([], ["--order", rng.choice(("priority", "oldest", "newest"))])),
                 *rng.choice(([], ["--width", "warp"]))],
        lambda: ["md", "--atoms", str(rng.choice((rng.randint(1, 50), rng.randint(1, 4000)))),
                 "--density", rng.choice(("gaussian", "uniform")), "--cutoff", str(rng.choice((1, 2.5, 4, 50))),
                 "--order", rng.choice(("sorted", "random")), "--grain", str(rng.choice((1, 7, 128, 10_000))),
                 "--search", rng.choice(("cells", "cells", "all")), "--atoms-seed", str(rng.randint(0, 99)),
                 "--pattern", rng.choice(("P0", "P0", "P0", "P1", "P2", "P3", "P4")),
                 *rng.choice(([], ["--fed", str(rng.randint(1, 50)), "--inbox-slots", str(power(rng, 0, 6))])),
                 *width],
        lambda: ["clique", "--n", str(rng.choice((rng.randint(1, 80), rng.randint(257, 300)))),
                 "--p", str(rng.choice((0.1, 0.2, 0.3))), "--graph-seed", str(rng.randint(0, 99)),
                 *rng.choice(([], ["--width", "warp"]))],
        lambda: ["clique", "--graph", rng.choice(("hamming6-4", "johnson8-2-4", "keller3"))],
        lambda: ["knapsack", "--items", str(rng.randint(1, 40)), "--range", str(rng.randint(1, 1000)),
                 "--kind", rng.choice(("uncorrelated", "weakly", "strongly")),
                 "--items-seed", str(rng.randint(0, 99))],
        lambda: ["nqueens", "--n", str(queens), "--cutoff", str(rng.randint(1, queens)),
                 "--piece", str(rng.choice((1, 2, 30, 512))), *width],
        lambda: ["bpc", "--depth", str(rng.randint(1, 30)), "--consumers", str(rng.randint(1, 200)),
                 "--producer-time", microseconds,
                 "--consumer-time", microseconds, *rng.choice(([], ["--bulk"]))],
        lambda: ["memset", "--tasks", str(rng.randint(1, 50_000)), *rng.choice(([], ["--bulk"])),
                 "--way", rng.choice(("seeds", "spawn")),
                 "--data", rng.choice(("main", "replicated", "partitioned", "host", "managed"))],
        lambda: ["loop", "--n", str(instances), "--base", str(base), "--grain", str(rng.randint(1, 64)),
                 "--pattern", rng.choice(PATTERNS), "--way", rng.choice(("seed_n", "seeds", "spawn", "tree")),
                 "--leaf", str(rng.randint(1, 200)),
                 *rng.choice(([], ["--heavy", str(rng.randint(1, instances)), "--heavy-cost", "2000",
                                   "--heavy-at", rng.choice(("first", "middle", "last"))])),
                 *rng.choice((width, ["--piece", str(rng.randint(1, 500))]))],
        lambda: ["mandelbrot", "--size", f"{rng.randint(1, 150)}x{rng.randint(1, 80)}", "--iterations",
                 str(rng.randint(1, 500)), "--way", rng.choice(("seed_n", "spawn")), "--order",
                 rng.choice(("tiles", "rows")), *rng.choice(([], ["--piece", str(rng.randint(1, 200))]))],
        lambda: ["contains", "--synthetic", str(rng.randint(1, 2000)), "--mean-bytes", "500",
                 "--fraction", "0.2", "--data", rng.choice(("main", "replicated", "partitioned", "host", "managed")), *width,
                 *rng.choice(([], ["--bulk"])), "--piece", str(rng.choice((0, 50, 1000, 65536)))],
    ))()


def options(rng, device, together):
    """Of those that there are, each sometimes."""
    gpu = device != "cpu"
    drawn = []

    def maybe(chance, *option):
        if rng.random() < chance:
            drawn.extend(str(o) for o in option)

    if gpu:
        drawn += ["--devices", ",".join([device] * rng.choice((1, 1, 2, 3)))]
        maybe(0.6, "--workers", rng.choice((1, 2, 3, 7, 31, 132, 264, 500)))
        maybe(0.5, "--transport", rng.choice(("p2p", "host")))
        maybe(0.5, "--tasks-in", rng.choice(("host", "device")))
    else:
        drawn += ["--devices", ",".join(f"cpu:{rng.randint(1, 4)}" for _ in range(rng.randint(1, 3)))]
    maybe(0.6, "--termination", rng.choice(("counter", "tree", "hierarchical")))
    maybe(0.4, "--overflow", "damping")
    maybe(0.7, "--steal", rng.choice(("uniform", "local", "none", "bias=0", "bias=0.3", "bias=0.9", "bias=1")))
    maybe(0.5, "--owners", rng.choice((1, 2, 4)))
    maybe(0.7, "--public-queue", power(rng, 1, 8))
    maybe(0.7, "--local-queue", power(rng, 1, 7))
    maybe(0.6, "--spill", power(rng, 0, 6))
    maybe(0.1, rng.choice(("--direct=one", "--direct=bulk")))
    if together and not any(o.startswith("--direct") for o in drawn):
        maybe(0.5, "--domains", "each", "--bridge-slots", power(rng, 0, 6))
    maybe(0.2, "--report", os.devnull)
    return [*drawn, "--seed", str(rng.randint(1, 1 << 40))]


def run(command, seconds):
    """right, too small, does not fit, or what went wrong."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"did not end in {seconds} s"
    if done.returncode == 0 and "(right)" in done.stdout:
        return "right"
    message = done.stderr.strip()
    if "\n" not in message:
        if done.returncode == 1 and TOO_SMALL in message:
            return "too small"
        if done.returncode == 2 and any(s in message for s in DO_NOT_FIT):
            return "does not fit"
    return f"exit code {done.returncode}: {message[:2000]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--together", action="store_true")
    asked = parser.parse_args()

    probe = subprocess.run([asked.bench, "memset", "--tasks", "1", "--devices", asked.device],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    if probe.returncode == 3:
        print(probe.stderr.strip())
        return 77
    rng = random.Random(asked.seed)
    # --timeout: a run in which nothing ends is dumped before it is given up.
    commands = [[asked.bench, *workload(rng, asked.device != "cpu"), *options(rng, asked.device, asked.together),
                 "--repeat", "3", "--timeout", "20"] for _ in range(asked.runs)]
    # A live run hands its tasks to whoever is idle.
    commands = [[word for word in command if (command[1] != "live" and "--fed" not in command)
                 or not word.startswith("--direct")]
                for command in commands]
    # Nor do such tasks cross between domains, or a part of the data.
    commands = [one_domain(command) if command[1] in OF_ONE_DOMAIN or "partitioned" in command
                else command for command in commands]
    # Nor is there a picture of a run without statistics.
    probe = subprocess.run([asked.bench, "memset", "--tasks", "1", "--devices", asked.device, "--report", os.devnull],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    if probe.returncode == 3 and "statistics" in probe.stderr:
        commands = [[word for word in command if word not in ("--report", os.devnull)] for command in commands]
    counts = {"right": 0, "too small": 0, "does not fit": 0}
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        for command, ended in zip(commands, pool.map(lambda c: run(c, 60), commands)):
            if ended in counts:
                counts[ended] += 1
                continue
            failures += 1
            print(f"FAILED: {shlex.join(command)}\n  {ended}", flush=True)
    print(f"{asked.runs} runs: {counts['right']} right, {counts['too small']} whose spill area was too small, "
          f"{counts['does not fit']} whose queues do not fit the device, {failures} failed")
    # Most are to have shown something.
    return 1 if failures or counts["right"] < asked.runs / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
