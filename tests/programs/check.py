"""Runs mgws-bench, mgws-corpus and mgws-probe as a user would: right results of every workload and
option, and one clear sentence with the right exit code for bad input.

usage: check.py MGWS_BENCH MGWS_CORPUS MGWS_PROBE [DEVICE] [--sim MGWS_SIM] [--peer MGWS_PEER]
                [--together] [--workloads | --else]

With a DEVICE such as gpu:0, the workloads run there; 77 if that is not possible here. --together:
mgws-bench was built with -Dbench_together=true. --workloads: their results alone; --else: files,
errors and the other programs alone."""

import bz2
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

TOGETHER = "--together" in sys.argv
if TOGETHER:
    sys.argv.remove("--together")
PARTS = [part for part in ("--workloads", "--else") if part in sys.argv] or ["--workloads", "--else"]
sys.argv = [word for word in sys.argv if word not in PARTS]


def named(option):
    """The program behind an option, which not every build has."""
    if option not in sys.argv:
        return None
    at = sys.argv.index(option)
    program = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    return program


SIM = named("--sim")
PEER = named("--peer")
BENCH, CORPUS, PROBE = map(os.path.abspath, sys.argv[1:4])
DEVICE = sys.argv[4] if len(sys.argv) == 5 else None
# T1 but for its depth: a hash takes microseconds in a sanitized build on a processor without SHA
# instructions.
SMALL_TREE = ("uts", "-t", "1", "-a", "3", "-d", "7", "-b", "4", "-r", "19")
# What comes of `quadrature` to the last bit, on every device: the intervals, of how many halvings the
# shortest comes, the integral.
QUADRATURES = ((("--function", "peaks", "--tolerance", "1e-4"), 10455, 23, "0x1.817e7819d38cdp+6"),
               (("--function", "wave", "--tolerance", "1e-4"), 31931, 27, "0x1.aed4b5857d884p-1"),
               (("--function", "root", "--tolerance", "1e-9"), 551, 49, "0x1.55555555554bep-1"),
               (("--function", "root", "--tolerance", "0.1"), 3, 1, "0x1.53b86376171e2p-1"))
failures = []


def run(program, *arguments, timeout=120, cwd=None):
    # What names no device is about the CPU, also where there is a GPU.
    if program == BENCH and arguments and arguments[0][0] != "-" and "--devices" not in arguments:
        arguments = (*arguments, "--devices", "cpu")
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=timeout, check=False, cwd=cwd)


def expect(condition, what, done):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}\n  exit code {done.returncode}\n  {done.stderr.strip()[:400]!s}")


def right(result, *arguments, tasks=None, details=None):
    """The workload ends with this verified result, in the JSON too."""
    done = run(BENCH, *arguments, "--json", "-")
    name = " ".join(arguments)
    expect(done.returncode == 0, name, done)
    if done.returncode != 0:
        return {}
    out = json.loads(done.stdout)
    summary = out["summary"]
    expect(summary["verified"] and summary["result"] == result, f"{name}: {summary['result']}", done)
    expect(all(r["call_seconds"] >= r["seconds"] > 0 for r in out["runs"]),
           f"{name}: a call of run() holds its run", done)
    if tasks is not None:
        expect(summary["tasks"] == tasks, f"{name}: {summary['tasks']} tasks", done)
    for key, value in (details or {}).items():
        expect(summary["details"][key] == value, f"{name}: {key} {summary['details'][key]}", done)
    for key in ("schema", "workload", "parameters", "command", "version", "commit", "devices",
                "transport", "termination", "seed", "runs", "summary", "statistics"):
        expect(key in out, f"{name}: no {key} in the JSON", done)
    expect(out["queues"]["protocol"] in ("sws", "sdc"), f"{name}: {out['queues']}", done)
    return out


def wrong(code, fragment, program, *arguments, cwd=None):
    """The program refuses with this exit code and one sentence that contains the fragment."""
    done = run(program, *arguments, cwd=cwd)
    name = " ".join(arguments) or "(no arguments)"
    message = done.stderr.strip()
    expect(done.returncode == code, f"{name}: exit code {done.returncode} instead of {code}", done)
    expect(fragment in message, f"{name}: '{fragment}' is not in the message", done)
    expect(message.count("\n") == 0 and message != "", f"{name}: not one sentence", done)
    expect(done.stdout == "", f"{name}: something on standard output", done)


def distances(graph, *words):
    """The sum of the distances in a graph of `dijkstra`, and how many nodes are reached, by rounds over all
    edges."""
    given = {"--nodes": 0, "--degree": 8, "--weights": 255, "--graph-seed": 1}
    given.update(zip(words[::2], map(int, words[1::2])))
    nodes, degree, weights, state = given.values()

    def draw(below):
        nonlocal state
        state = (state + 0x9e3779b97f4a7c15) % 2**64
        x = (state ^ state >> 30) * 0xbf58476d1ce4e5b9 % 2**64
        x = (x ^ x >> 27) * 0x94d049bb133111eb % 2**64
        return (x ^ x >> 31) % below

    edges = []
    for _ in range(nodes * degree):
        ends = [draw(nodes), draw(nodes)]
        while graph == "rmat":
            ends = [0, 0]
            for _ in range((nodes - 1).bit_length()):
                of_100 = draw(100)
                quarter = sum(of_100 >= limit for limit in (57, 76, 95))
                ends = [2 * ends[0] + quarter // 2, 2 * ends[1] + quarter % 2]
            if max(ends) < nodes:
                break
        edges.append((*ends, 1 + draw(weights)))
    found = [0] + [2**32] * (nodes - 1)
    again = True
    while again:
        again = False
        for start, end, length in edges:
            if found[start] + length < found[end]:
                found[end] = found[start] + length
                again = True
    reached = [d for d in found if d < 2**32]
    return sum(reached), {"reached": len(reached)}


def quadratures(*more):
    for what, intervals, depth, integral in QUADRATURES:
        right(float.fromhex(integral), "quadrature", *what, *more, tasks=intervals, details={"depth": depth})
        # Added in any order.
        done = run(BENCH, "quadrature", *what, "--way", "sum", *more)
        expect(done.returncode == 0, f"quadrature {what} --way sum {more}", done)


def workloads():
    right(5000, "memset", "--tasks", "5000", tasks=5000)
    right(5000, "memset", "--tasks", "5000", "--bulk", tasks=5000)
    right(1, "memset", "--tasks", "1")
    for more in ([], ["--bulk"]):
        for n in ("1", "15", "16", "17", "5000"):
            right(int(n), "memset", "--tasks", n, "--way", "spawn", *more, tasks=int(n))
        out = right(5000, "memset", "--tasks", "5000", "--way", "spawn", *more, "--data", "partitioned", "--devices",
                    "cpu:2,cpu:1", tasks=5000)
        expect(not out or out["summary"]["tasks_run"] == (5001 if more else 5313), "tasks that ran",
               subprocess.CompletedProcess([], 0, "", ""))
        expect(out.get("parameters", {}).get("way") == "spawn", "--way spawn in the JSON",
               subprocess.CompletedProcess([], 0, "", ""))
    wrong(2, "tree", BENCH, "memset", "--way", "tree")
    for data in ("main", "replicated", "partitioned", "host", "managed"):
        right(5000, "memset", "--tasks", "5000", "--data", data, "--devices", "cpu:2,cpu:1", tasks=5000)
        out = right(5000, "memset", "--tasks", "5000", "--data", data, "--bulk", tasks=5000)
        expect(out.get("parameters", {}).get("data") == data, f"--data {data} in the JSON",
               subprocess.CompletedProcess([], 0, "", ""))
        done = run(BENCH, "contains", "--synthetic", "500", "--mean-bytes", "300", "--fraction", "0.2",
                   "--data", data, "--devices", "cpu:1,cpu:2")
        expect(done.returncode == 0, f"contains --data {data}", done)
    right(724, "nqueens", "--n", "10")
    right(724, "nqueens", "--n", "10", "--cutoff", "10")
    for n, solutions in ((1, 1), (2, 0), (3, 0), (4, 2), (5, 10), (6, 4), (7, 40), (11, 2680), (13, 73712)):
        right(solutions, "nqueens", "--n", str(n))
        right(solutions, "nqueens", "--n", str(n), "--piece", "2", "--cutoff", "1")
    right(14200, "nqueens", "--n", "12", "--cutoff", "8", "--piece", "17")
    right(8191, "spawn-tree", "--depth", "12")
    right(8191, "spawn-tree", "--depth", "12", "--bulk")
    right(1001, "spawn-tree", "--depth", "1000", "--fanout", "1")
    right(1, "spawn-tree", "--depth", "0")
    # One worker holds all of that.
    out = right(3_000_001, "spawn-tree", "--depth", "1", "--fanout", "3000000")
    expect(not out or out["queues"]["spill"] > 2_000_000, "a spill area as memory has room for",
           subprocess.CompletedProcess([], 0, "", ""))
    right(8191, "spawn-tree", "--depth", "12", "--finish")
    for n, value in ((0, 0), (1, 1), (2, 1), (20, 6765)):
        right(value, "fib", "--n", str(n))
    right(6765, "fib", "--n", "20", "--frames", "64", "--devices", "cpu:2,cpu:1")
    quadratures()
    quadratures("--frames", "128", "--devices", "cpu:2,cpu:1")
    for function, tolerance, depth in (("peaks", "1e-12", "100"), ("root", "1e-6", "28")):
        wrong(2, f"more than --depth {depth} times", BENCH, "quadrature", "--function", function, "--tolerance",
              tolerance, "--depth", depth)
    for tolerance in ("0", "-1", "9e-13", "0.2", "inf", "nan", "1e-9x", ""):
        wrong(2, "is not a number from 1e-12 to 0.1", BENCH, "quadrature", "--tolerance", tolerance)
    wrong(2, "--function", BENCH, "quadrature", "--function", "sine")
    wrong(2, "--way", BENCH, "quadrature", "--way", "finish")
    wrong(2, "--depth", BENCH, "quadrature", "--depth", "201")
    right(5000, "live", "--tasks", "5000", "--producers", "3")
    right(100_007, "live", "--tasks", "100000", "--instances", "999", "--trips", "7", "--inbox-slots", "4",
          "--devices", "cpu:2,cpu:1")
    # Clocks are compared before, after each 250, and at the end, each time by a task.
    right(5007, "live", "--tasks", "5000", "--producers", "3", "--trips", "7", "--devices", "cpu:2,cpu:1", "--inboxes-of",
          "one")
    right(5000 + 7 + 600 + 4, "live", "--tasks", "5000", "--trips", "7", "--arrivals", "600", "--workers", "2")
    done = run(BENCH, "live", "--tasks", "1", "--arrivals", "600", "--json", "-")
    at = json.loads(done.stdout)["summary"]["details"]["arrival_seconds"] if done.returncode == 0 else {}
    expect(at and all(at["at_least"][which] <= at["at_most"][which] <= at["trip"][which]
                      for which in ("min", "median", "p99", "max")), f"a task's first instruction: {at}", done)
    wrong(2, "--arrivals: each device has a clock", BENCH, "live", "--arrivals", "1", "--devices", "cpu:1,cpu:1")
    done = run(BENCH, "live", "--direct")
    expect(done.returncode == 2 and "cannot be direct" in done.stderr, "live --direct", done)
    done = run(BENCH, "live", "--inbox-slots", "3")
    expect(done.returncode == 2 and "power of two" in done.stderr, "live with three slots", done)
    for keys in (1, 5, 1000, 100_000):
        right(keys, "cilksort", "--keys", str(keys), "--sort-leaf", "4", "--merge-leaf", "7")
        for more in (["--leaf", "1", "--piece", "1"], ["--leaf", "4", "--piece", "64", "--different", "3"], []):
            right(keys, "quicksort", "--keys", str(keys), *more)
    right(100_000, "quicksort", "--keys", "100000", "--piece", "64", "--devices", "cpu:2,cpu:1")
    for blocks in (1, 2, 1000, 9999):
        for more in (["--grain", "1"], ["--grain", "7"], [], ["--grain", "100000", "--text-seed", "2"]):
            for width in ("lane", "warp", "block"):
                for bulk in ([], ["--bulk"]):
                    right(blocks, "crypt", "--size", str(8 * blocks), *more, *bulk, "--width", width,
                          "--devices", "cpu:2,cpu:1")
    wrong(2, "multiple of 8", BENCH, "crypt", "--size", "1001")
    for words in (["--nodes", "1"], ["--nodes", "2000", "--degree", "1"], ["--nodes", "2000", "--graph-seed", "5"],
                  ["--nodes", "1000", "--weights", "100000", "--degree", "20"], ["--nodes", "4000", "--weights", "1"]):
        for graph in ("random", "rmat"):
            total, details = distances(graph, *words)
            # Some edges are short, hardly any is, all are.
            for more in ([], ["--delta", "60", "--width", "warp"], ["--delta", "1"], ["--delta", "2147483648"]):
                # Not a list for each of 100,000 distances.
                if more != ["--delta", "1"] or "100000" not in words:
                    right(total, "dijkstra", "--graph", graph, *words, *more, "--devices", "cpu:2,cpu:1",
                          details=details)
            for order in ("priority", "oldest", "newest"):
                for more in ([], ["--delta", "60", "--width", "warp"]):
                    right(total, "dijkstra", "--graph", graph, *words, *more, "--order", order,
                          "--devices", "cpu:2,cpu:1", details={"reached": details["reached"]})
    wrong(2, "at most 2^31", BENCH, "dijkstra", "--nodes", "100000", "--weights", "100000")
    right(1, "md", "--atoms", "1", details={"neighbours": 0, "energy": 0})
    for atoms in (2, 129, 2000):
        for more in ([], ["--order", "random"], ["--density", "uniform", "--search", "all"],
                     ["--grain", "1", "--cutoff", "1"], ["--grain", "5000", "--cutoff", "2.5", "--atoms-seed", "7"],
                     ["--fed", "1"], ["--fed", "20", "--inbox-slots", "2", "--grain", "8"]):
            for width in ("lane", "warp", "block"):
                right(atoms, "md", "--atoms", str(atoms), *more, "--width", width, "--devices", "cpu:2,cpu:1")
    # Nobody is within the cut-off, or everybody; nobody steals.
    right(300, "md", "--atoms", "300", "--cutoff", "1000", "--devices", "cpu:2")
    right(2000, "md", "--atoms", "2000", "--direct", "--devices", "cpu:3")
    wrong(2, "cannot be direct", BENCH, "md", "--fed", "1", "--direct")
    wrong(2, "--inbox-slots requires --fed", BENCH, "md", "--inbox-slots", "2")
    wrong(2, "'3' is not a power of two", BENCH, "md", "--fed", "1", "--inbox-slots", "3")
    wrong(2, "--fed", BENCH, "md", "--fed", "0")
    for cutoff in ("0.5", "1001", "nan", "4x", ""):
        wrong(2, "is not a number from 1 to 1000", BENCH, "md", "--cutoff", cutoff)
    wrong(2, "--atoms", BENCH, "md", "--atoms", "16777217")
    wrong(2, "--grain", BENCH, "md", "--grain", "0")
    wrong(2, "--order", BENCH, "md", "--order", "any")
    for pattern in ("P0", "P1", "P2", "P3", "P4"):
        right(2000, "md", "--atoms", "2000", "--pattern", pattern, "--density", "uniform", "--devices", "cpu:2")
    wrong(2, "--pattern", BENCH, "md", "--pattern", "P5")
    for graph, size in (("hamming6-4", 4), ("hamming8-4", 16), ("johnson16-2-4", 8), ("keller3", 4), ("keller4", 11)):
        right(size, "clique", "--graph", graph)
    right(11, "clique", "--graph", "keller4", "--width", "warp", "--devices", "cpu:2,cpu:1")
    # Graphs whose answer is not known are searched by one thread first: few vertices, and more than
    # the smaller of the two sets has room for.
    for more in (["--n", "1"], ["--n", "90"], ["--n", "300", "--p", "0.2"], ["--n", "60", "--p", "1"],
                 ["--n", "20", "--p", "0"]):
        for width in ("lane", "warp"):
            done = run(BENCH, "clique", *more, "--width", width, "--devices", "cpu:2,cpu:2")
            expect(done.returncode == 0, f"clique {more} {width}", done)
    # What is not larger than the start does not count.
    right(11, "clique", "--graph", "keller4", "--start", "10", "--bound", "fixed", "--sequential")
    right(11, "clique", "--graph", "keller4", "--start", "11")
    right(20, "clique", "--graph", "keller4", "--start", "20", "--bound", "fixed")
    done = run(BENCH, "clique", "--graph", "keller4", "--expect", "12")
    expect(done.returncode == 1 and "instead of 12" in done.stderr, "a wrong size is noticed", done)
    for kind in ("uncorrelated", "weakly", "strongly"):
        done = run(BENCH, "knapsack", "--kind", kind, "--items", "35", "--range", "500", "--devices", "cpu:2,cpu:1")
        expect(done.returncode == 0, f"knapsack {kind}", done)
    right(15473, "knapsack", "--items", "50", "--range", "1000", "--items-seed", "2")
    right(0, "knapsack", "--items", "1", "--sequential", details={"sequential_nodes": 0})
    for size, *arguments in ((15473, "knapsack", "--items", "50", "--range", "1000", "--items-seed", "2"),
                             (11, "clique", "--graph", "keller4")):
        for width in ("lane", "warp"):
            for devices in ("cpu:1", "cpu:2,cpu:1"):
                out = right(size, *arguments, "--width", width, "--sequential", "--devices", devices)
                if out:
                    details = out["summary"]["details"]
                    expect(details["sequential_nodes"] > 0 and
                           0 < details["sequential_seconds_to_optimum"] <= details["sequential_seconds"] and
                           0 <= details["seconds_to_optimum"] <= out["summary"]["seconds"]["max"],
                           f"{arguments[0]}: {details}", subprocess.CompletedProcess([], 0, "", ""))
    # Alone a worker does what one thread does.
    out = right(15473, "knapsack", "--items", "50", "--range", "1000", "--items-seed", "2", "--sequential",
                "--devices", "cpu:1")
    expect(not out or out["summary"]["details"]["sequential_nodes"] == out["summary"]["tasks"], "nodes of one worker",
           subprocess.CompletedProcess([], 0, "", ""))
    done = run(BENCH, "knapsack", "--items", "30", "--expect", "1")
    expect(done.returncode == 1 and "instead of 1" in done.stderr, "a wrong value is noticed", done)
    for pattern, nodes in (("trivial", 185), ("chain", 185), ("stencil_1d", 185), ("fft", 185), ("tree", 31),
                           ("random_nearest", 185)):
        right(nodes, "taskbench", "--pattern", pattern, "--columns", "37", "--steps", "5", "--iterations", "10",
              tasks=nodes, details={"iterations": 10})
    for columns, steps in ((1, 1), (1, 100), (100, 1), (37, 200)):
        done = run(BENCH, "taskbench", "--pattern", "all", "--columns", str(columns), "--steps", str(steps),
                   "--iterations", "0", "--radix", "9", "--repeat", "3", "--devices", "cpu:2,cpu:1")
        expect(done.returncode == 0 and done.stdout.count("right") == 6, f"taskbench {columns} {steps}", done)
    done = run(BENCH, "taskbench", "--metg", "--columns", "64", "--steps", "50", "--json", "-")
    expect(done.returncode == 0, "taskbench --metg", done)
    if done.returncode == 0:
        details = json.loads(done.stdout)["summary"]["details"]
        lengths = sorted(p["kernel_us"] for p in details["points"] if p["efficiency"] >= 0.5)
        expect(details["metg_us"] == lengths[0] and details["efficiency"] >= 0.5, f"METG {details}", done)
    done = run(BENCH, "taskbench", "--columns", "65536", "--steps", "65536")
    expect(done.returncode == 2 and "times --steps" in done.stderr, "taskbench, too many nodes", done)
    done = run(BENCH, "taskbench", "--metg", "--iterations", "5")
    expect(done.returncode == 2 and "excludes" in done.stderr, "taskbench --metg --iterations", done)
    for n, tile, tasks in ((4, 4, 1), (128, 64, 4), (300, 20, 680)):
        for width in ("lane", "warp", "block"):
            done = run(BENCH, "cholesky", "--n", str(n), "--tile", str(tile), "--width", width, "--repeat", "3",
                       "--devices", "cpu:2,cpu:1", "--json", "-")
            expect(done.returncode == 0 and json.loads(done.stdout)["summary"]["tasks"] == tasks,
                   f"cholesky {n} {tile} {width}", done)
    for n, tile, what in ((10, 4, "multiple of --tile"), (12, 6, "multiple of 4"), (4096, 4, "at most 512")):
        done = run(BENCH, "cholesky", "--n", str(n), "--tile", str(tile))
        expect(done.returncode == 2 and what in done.stderr, f"cholesky {n} {tile}", done)
    bpc = ["--depth", "5", "--consumers", "20", "--producer-time", "1", "--consumer-time", "1"]
    right(106, "bpc", *bpc, details={"producers": 6, "consumers": 100})
    right(106, "bpc", *bpc, "--bulk")
    right(4130071, "uts", "--tree", "T1", details={"depth": 10, "leaves": 3305118})
    right(4112897, "uts", "--tree", "T3", details={"depth": 1572, "leaves": 3599034})
    right(63914, *SMALL_TREE)
    for width, ran in (("lane", 63913), ("warp", 12790)):  # but for the root; nodes that have children
        out = right(63914, *SMALL_TREE, "--width", width, tasks=63914)
        expect(not out or (out["summary"]["tasks_run"], out["summary"]["unit"]) == (ran, "nodes"),
               f"uts by {width}: the tasks that ran", subprocess.CompletedProcess([], 0, "", ""))
    right(63914, *SMALL_TREE, "--finish")
    for words, what in ((SMALL_TREE, "longest chain of tasks"), (("bpc", *bpc), "longest task"),
                        (("contains", "--synthetic", "500", "--mean-bytes", "300"), "longest task")):
        done = run(BENCH, *words)
        expect(done.returncode == 0 and what in done.stdout, f"{words[0]} says how long its {what} is", done)
    # Trees without a name are verified against a sequential traversal.
    for shape in ("0", "1", "2", "3"):
        done = run(BENCH, "uts", "-t", "1", "-a", shape, "-d", "5", "-b", "3.5", "-r", "7")
        expect(done.returncode == 0, f"uts shape {shape}", done)
    for kind in ("0", "2", "3"):
        done = run(BENCH, "uts", "-t", kind, "-d", "6", "-b", "5", "-q", "0.2", "-m", "4", "-r", "3")
        expect(done.returncode == 0, f"uts type {kind}", done)
    right(1, "uts", "-t", "0", "-b", "0", details={"depth": 0, "leaves": 1})
    done = run(BENCH, "uts", "-t", "0", "-b", "10", "-q", "0.1", "-m", "4", "--expect", "1")
    expect(done.returncode == 1 and "instead of 1" in done.stderr, "a wrong result is noticed", done)


PATTERNS = ("uniform", "ramp-up", "ramp-down", "heavy-first", "heavy-last", "geometric", "every-16th",
            "one-long", "triangle", "random-blocks")
WAYS = ("seed_n", "seeds", "spawn", "tree")


def variants(expected, *arguments):
    """All variants of a command that names several, with two runs each, end with a verified result."""
    done = run(BENCH, *arguments, "--json", "-")
    name = " ".join(arguments)
    expect(done.returncode == 0, name, done)
    if done.returncode != 0:
        return
    found = json.loads(done.stdout)["variants"]
    expect(all(v["summary"]["verified"] for v in found), f"{name}: verified", done)
    which = [tuple(v["parameters"].get(key) for key in ("way", "pattern")) for v in found]
    expect(sorted(which) == sorted(expected), f"{name}: {which}", done)
    for v in found:
        busy, lanes = v["statistics"]["busy"], v["statistics"]["lanes"]
        if v["statistics"]["recorded"]:
            expect(0 < busy < 1.1 and (lanes is None or 0 < lanes <= 1), f"{name}: busy {busy}, lanes {lanes}",
                   done)
        expect(len(v["runs"]) == 2, f"{name}: runs", done)


def loops(*where):
    """Every pattern in every way and width; pictures."""
    everything = [(way, pattern) for way in WAYS for pattern in PATTERNS]
    for width in ("lane", "warp", "block"):
        variants(everything, "loop", "--n", "5003", "--base", "40", "--pattern", "all", "--way", "all",
                 "--width", width, "--repeat", "2", "--warmup", "1", *where)
    variants([("tree", p) for p in ("ramp-up", "one-long")], "loop", "--n", "3001", "--base", "10",
             "--pattern", "ramp-up,one-long", "--grain", "7", "--way", "tree", "--leaf", "1", "--repeat", "2",
             *where)
    for at in ("first", "middle", "last"):
        done = run(BENCH, "loop", "--n", "2000", "--base", "10", "--heavy", "64", "--heavy-cost", "20000",
                   "--heavy-at", at, *where)
        expect(done.returncode == 0 and "longest task" in done.stdout, f"loop --heavy-at {at}", done)
    # The sum of 0, 1, ..., 9 after one step each, modulo 2^32.
    total = sum((i * 1664525 + 1013904223) % 2**32 for i in range(10))
    right(total, "loop", "--n", "10", "--base", "1", *where, tasks=10)
    variants([(way, "geometric") for way in ("seed_n", "seeds", "spawn", "tree")], "loop", "--n", "3001", "--base",
             "40", "--grain", "1", "--pattern", "geometric", "--way", "all", "--piece", "50", "--repeat", "2", *where)
    right(11276222, "mandelbrot", "--size", "256x192", "--iterations", "1000", *where, tasks=256 * 192)
    right(11276222, "mandelbrot", "--size", "256x192", "--iterations", "1000", "--order", "rows", *where)
    right(11276222, "mandelbrot", "--size", "256x192", "--iterations", "1000", "--piece", "64", *where)
    for size in ("1x1", "61x47", "300x3"):
        variants([(way, None) for way in ("seed_n", "spawn")], "mandelbrot", "--size", size,
                 "--iterations", "300", "--way", "all", "--repeat", "2", *where)


def pictures(folder):
    path = os.path.join(folder, "picture.png")
    done = run(BENCH, "mandelbrot", "--size", "64x48", "--iterations", "100", "--image", path)
    if done.returncode == 3 and "libpng" in done.stderr:
        return  # built without it
    expect(done.returncode == 0, "a picture", done)
    with open(path, "rb") as file:
        head = file.read(24)
    expect(head[:8] == b"\x89PNG\r\n\x1a\n" and head[16:24] == bytes([0, 0, 0, 64, 0, 0, 0, 48]),
           "a PNG of 64 by 48", done)
    wrong(2, "cannot be written", BENCH, "mandelbrot", "--image", os.path.join(folder, "no", "x.png"))


def options():
    for more in (["--termination", "tree"], ["--termination", "counter"],
                 ["--overflow", "damping"], ["--steal", "local"], ["--steal", "none"],
                 ["--steal", "bias"], ["--steal", "bias=0.9", "--devices", "cpu:2,cpu:2"],
                 ["--direct"], ["--direct=one"], ["--direct=bulk"], ["--owners", "2"],
                 ["--owners", "4", "--devices", "cpu:4"], ["--public-queue", "2"],
                 ["--local-queue", "2", "--public-queue", "2"], ["--workers", "3"], ["--pin"],
                 ["--devices", "all"], ["--devices", "gpus"], ["--seed", "5", "--repeat", "2", "--warmup", "1"]):
        out = right(63914, *SMALL_TREE, *more)
        if "--repeat" in more and out:
            expect(len(out["runs"]) == 2 and out["seed"] == 5, "repeat and seed",
                   subprocess.CompletedProcess([], 0, "", ""))


def domains(folder):
    """Workers that share no queues, in one process."""
    of_each = ("--domains", "each")
    for devices in ("cpu:1,cpu:1", "cpu:2,cpu:1,cpu:1"):
        for slots in ("1", "1024"):
            more = ("--devices", devices, *of_each, "--bridge-slots", slots)
            right(5000, "memset", "--tasks", "5000", "--data", "host", *more, tasks=5000)
            right(5000, "memset", "--tasks", "5000", "--bulk", *more, tasks=5000)
            right(724, "nqueens", "--n", "10", *more)
            right(8191, "spawn-tree", "--depth", "12", *more)
            right(5010, "live", "--tasks", "5000", "--producers", "2", "--trips", "10", *more)
    done = run(BENCH, "uts", "-t", "1", "-a", "3", "-d", "7", "-b", "4", "-r", "19", "--devices", "cpu:1,cpu:1",
               *of_each, "--json", "-")
    expect(done.returncode == 0 and json.loads(done.stdout)["domains"] == "each", "uts over two domains", done)
    # Queues are numbered within a domain.
    check_trace(folder, "cpu:2,cpu:3", 2, *of_each)
    for more in (["cpu:1,cpu:1"], ["cpu:2,cpu:1,cpu:1", "--bridge-slots", "2", "--frames", "64"]):
        devices = ["--devices", more[0], *of_each, *more[1:]]
        right(6765, "fib", "--n", "20", *devices)
        quadratures(*devices)
        right(20000, "cilksort", "--keys", "20000", *devices)
        right(20000, "quicksort", "--keys", "20000", *devices)
        for pattern in ("fft", "stencil_1d", "random_nearest"):
            right(20_000, "taskbench", "--pattern", pattern, "--columns", "1000", "--steps", "20", *devices)
        done = run(BENCH, "cholesky", "--n", "256", "--tile", "32", *devices)
        expect(done.returncode == 0 and "right" in done.stdout, f"cholesky {devices}", done)
    wrong(2, "direct", BENCH, "memset", "--devices", "cpu:1,cpu:1", *of_each, "--direct")


def joined(devices, *arguments):
    """The same run by a process for each of the devices, behind which may stand what else is for that one: what
    each printed, as JSON."""
    name = f"check-{os.getpid()}"
    all_of_them = [subprocess.Popen([BENCH, *arguments, "--devices", *device.split(), "--join", name, "--rank", str(rank),
                                     "--ranks", str(len(devices)), "--json", "-"],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                   for rank, device in enumerate(devices)]
    outs = []
    for rank, process in enumerate(all_of_them):
        out, err = process.communicate(timeout=120)
        done = subprocess.CompletedProcess([], process.returncode, out, err)
        expect(process.returncode == 0, f"rank {rank} of {' '.join(arguments)}", done)
        if process.returncode != 0:
            continue
        outs.append(json.loads(out))
        of_processes = outs[-1]["processes"]
        expect([p["process"] for p in of_processes] == [p.pid for p in all_of_them], "the processes' numbers", done)
        expect(of_processes[rank]["tasks"] == sum(outs[-1]["statistics"]["tasks_by_device"]),
               f"tasks of rank {rank}", done)
        expect(of_processes[rank]["workers"] == sum(d["workers"] for d in outs[-1]["devices"]),
               f"workers of rank {rank}", done)
    return outs


def processes():
    """Workers of several processes."""
    nobody = subprocess.CompletedProcess([], 0, "", "")
    for devices in (("cpu:1", "cpu:2"), ("cpu:2", "cpu:1", "cpu:3")):
        for result, *arguments in ((724, "nqueens", "--n", "10"), (8191, "spawn-tree", "--depth", "12", "--bulk"),
                                   (8191, "spawn-tree", "--depth", "12", "--repeat", "5", "--warmup", "2"),
                                   (6765, "fib", "--n", "20"),
                                   *((float.fromhex(integral), "quadrature", *what)
                                     for what, _, _, integral in QUADRATURES),
                                   (None, *SMALL_TREE), (None, "bpc", "--depth", "10", "--consumers", "20"),
                                   (None, "loop", "--n", "5000", "--pattern", "geometric", "--base", "10"),
                                   (3000, "live", "--tasks", "3000", "--producers", "2", "--repeat", "3"),
                                   (3000, "live", "--tasks", "3000", "--instances", "70", "--inbox-slots", "2"),
                                   (None, "contains", "--synthetic", "500", "--mean-bytes", "300", "--fraction", "0.2")):
            for out in joined(devices, *arguments):
                expect(out["summary"]["verified"] and result in (None, out["summary"]["result"]),
                       f"{' '.join(arguments)} by {devices}", nobody)
    # The text lies in other parts there, and a task is about the same articles all the same.
    for out in joined(("cpu:1,cpu:1 --data partitioned", "cpu:2"), "contains", "--synthetic", "3000", "--mean-bytes",
                      "4000", "--fraction", "0.3", "--piece", "20000"):
        expect(out["summary"]["verified"], "contains by processes with other parts of the text", nobody)
    for workload in ("memset", "cilksort", "quicksort", "clique", "knapsack", "taskbench", "cholesky", "mandelbrot",
                     "crypt", "dijkstra", "md"):
        wrong(3, "--join is for", BENCH, workload, "--join", "a", "--rank", "0", "--ranks", "2")
    for option in ("--trips", "--arrivals"):
        wrong(2, option, BENCH, "live", option, "1", "--join", "a", "--rank", "0", "--ranks", "2")
    wrong(2, "--busy", BENCH, "uts", "--join", "a", "--rank", "0", "--ranks", "2", "--busy", "1")
    wrong(2, "name of a group", BENCH, "uts", "--join", "a/b", "--rank", "0", "--ranks", "2")
    wrong(2, "ranks of 2 processes", BENCH, "uts", "--join", "a", "--rank", "2", "--ranks", "2")


def corpora(folder):
    text = os.path.join(folder, "text")
    os.mkdir(text)
    for i in range(200):
        with open(os.path.join(text, f"{i}.txt"), "w", encoding="utf-8") as file:
            file.write("Wort " * i + ("zwischen" if i % 3 == 0 else "unter"))
    right(67, "contains", "--corpus", text, tasks=200)
    right(67, "contains", "--corpus", text, "--bulk", tasks=200)
    # An article counts once, in however many pieces the word is; and where two of them meet, too.
    for piece in ("0", "1", "3", "7", "100"):
        right(67, "contains", "--corpus", text, "--piece", piece, tasks=200)
        right(198, "contains", "--corpus", text, "--piece", piece, "--word", "ort W", tasks=200)
    # By path: 0, 1, 10, 100, 101, ..., 106.
    right(3, "contains", "--corpus", text, "--articles", "10", tasks=10)
    right(0, "contains", "--corpus", text, "--word", "nirgendwo")
    done = run(BENCH, "contains", "--synthetic", "500", "--mean-bytes", "300", "--fraction", "0.2")
    expect(done.returncode == 0, "a synthetic corpus", done)

    pages = "".join(f"<page><title>{i}</title><ns>0</ns><revision><text>{'zwischen' if i % 4 == 0 else 'a'}"
                    f"</text></revision></page>\n" for i in range(100))
    dump = os.path.join(folder, "dump.xml.bz2")
    with open(dump, "wb") as file:
        file.write(bz2.compress(f"<mediawiki>{pages}</mediawiki>".encode()))
    right(25, "contains", "--corpus", dump, tasks=100)
    index = os.path.join(folder, "dump.index")
    done = run(CORPUS, dump, "-o", index)
    expect(done.returncode == 0, "mgws-corpus", done)
    right(25, "contains", "--corpus", index, tasks=100)

    truncated = os.path.join(folder, "truncated.xml.bz2")
    with open(dump, "rb") as whole, open(truncated, "wb") as file:
        file.write(whole.read()[:-30])
    wrong(2, "truncated", BENCH, "contains", "--corpus", truncated)
    empty = os.path.join(folder, "empty")
    os.mkdir(empty)
    wrong(2, "empty", BENCH, "contains", "--corpus", empty)
    wrong(2, "does not exist", BENCH, "contains", "--corpus", os.path.join(folder, "missing"))
    wrong(2, "--corpus", BENCH, "contains")


def not_unicode(folder):
    """What is no Unicode is written as JSON all the same, and can be read back byte for byte."""
    text = os.path.join(folder, os.fsdecode(b"stra\xdfe"))
    os.mkdir(text)
    for i in range(10):
        with open(os.path.join(text, f"{i}.txt"), "wb") as file:
            file.write(b"stra\xdfe" if i < 4 else b"stra\xc3\x9fe")
    index = os.path.join(folder, "latin.index")

    def contains(corpus, word, *more):
        return subprocess.run([BENCH, "contains", "--devices", "cpu", "--corpus", corpus, "--word",
                               word, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)

    done = subprocess.run([CORPUS, text, "-o", index], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    expect(done.returncode == 0, "an index of a folder whose name is not Unicode", done)
    for corpus in (text, index):
        for word, found in ((b"a\xdfe", 4), (b"a\xc3\x9fe", 6), (b"\xff\\'", 0)):
            done = contains(corpus, word, "--json", "-")
            expect(done.returncode == 0, f"the word {word}", done)
            if done.returncode != 0:
                continue
            out = json.loads(done.stdout.decode("utf-8"))
            expect(out["summary"]["result"] == found, f"the word {word}: {out['summary']}", done)
            expect("/parameters/corpus" in out["escaped"], "the corpus' name is escaped", done)
            escaped = "/parameters/word" in out["escaped"]
            expect(escaped == (b"\xc3" not in word), f"{word} escaped", done)
            read = out["parameters"]["word"].encode()
            if escaped:
                read = re.sub(rb"\\(\\|x([0-9a-f]{2}))",
                              lambda m: bytes.fromhex(m[2].decode()) if m[2] else m[1], read)
            expect(read == word, f"{word} reads back as {read}", done)
            again = subprocess.run(["bash", "-c", f"printf '%s\\n' {out['command']}"],
                                   stdout=subprocess.PIPE, check=False)
            expect(word in again.stdout.split(b"\n"), f"{word} in the command", done)
    # Whoever writes only a trace has no JSON to lose, and a table shows the bytes.
    done = contains(index, b"a\xdfe")
    expect(done.returncode == 0, "a table of what is not Unicode", done)


def cut_index(folder):
    """An index that is cut while a run maps it ends the run with a sentence."""
    index = os.path.join(folder, "cut.index")
    done = run(CORPUS, "--synthetic", "1000", "-o", index)
    expect(done.returncode == 0, "a synthetic index", done)
    with subprocess.Popen([BENCH, "contains", "--corpus", index, "--devices", "cpu", "--repeat",
                           "1000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as running:
        time.sleep(1)
        os.truncate(index, 0)
        try:
            running.wait(timeout=60)
        finally:
            running.kill()
        done = subprocess.CompletedProcess([], running.returncode, running.stdout.read(),
                                           running.stderr.read())
    expect(done.returncode == 1 and "cut.index' was cut short" in done.stderr, "a cut index", done)
    expect(done.stderr.strip().count("\n") == 0, "one sentence", done)


def stopped_process():
    """Time in which the process was stopped is no time without progress."""
    command = [BENCH, "bpc", "--depth", "2", "--consumers", "3", "--consumer-time", "400000",
               "--devices", "cpu:2", "--timeout", "1"]
    for _ in range(4):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as running:
            time.sleep(0.4)
            running.send_signal(signal.SIGSTOP)
            time.sleep(1.5)
            running.send_signal(signal.SIGCONT)
            out, err = running.communicate(timeout=60)
            expect(running.returncode == 0, "a run that was stopped for a while",
                   subprocess.CompletedProcess([], running.returncode, out, err))


def bad_usage(folder):
    wrong(2, "workload is needed", BENCH)
    wrong(2, "'frob'", BENCH, "frob")
    wrong(2, "--frob", BENCH, "memset", "--frob")
    wrong(2, "cpu:0", BENCH, "memset", "--devices", "cpu:0")
    wrong(2, "--workers", BENCH, "memset", "--workers", "0")
    wrong(2, "queue word", BENCH, "memset", "--devices", "cpu:9999999")
    wrong(2, "'fpga'", BENCH, "memset", "--devices", "fpga")
    wrong(3, "gpu:99", BENCH, "memset", "--devices", "gpu:99")
    wrong(2, "gpu:x", BENCH, "memset", "--devices", "gpu:x")
    wrong(3, "--tasks-in device", BENCH, "memset", "--devices", "cpu", "--tasks-in", "device")
    wrong(3, "p2p", BENCH, "memset", "--devices", "cpu", "--transport", "p2p")
    wrong(3, "--transport remote", BENCH, "memset", "--devices", "cpu", "--transport", "remote")
    wrong(3, "--tasks-in remote", BENCH, "memset", "--devices", "cpu", "--tasks-in", "remote")
    wrong(2, "remote GPU", BENCH, "memset", "--devices", "cpu", "--remote-gpu", "1")
    wrong(2, "elsewhere", BENCH, "memset", "--data", "elsewhere")
    wrong(2, "warp9", BENCH, "memset", "--transport", "warp9")
    if not TOGETHER:
        wrong(3, "-Dbench_together", BENCH, "memset", "--devices", "cpu:1,cpu:1", "--domains", "each")
        wrong(3, "-Dbench_together", BENCH, "uts", "--join", "a", "--rank", "0", "--ranks", "2")
    for some in (("--join", "a"), ("--join", "a", "--rank", "0"), ("--rank", "0"), ("--ranks", "2")):
        wrong(2, "requires", BENCH, "uts", *some)
    wrong(2, "--ranks", BENCH, "uts", "--join", "a", "--rank", "0", "--ranks", "17")
    wrong(2, "--domains", BENCH, "memset", "--domains", "none")
    wrong(2, "--bridge-slots", BENCH, "memset", "--bridge-slots", "3")
    wrong(2, "power of two", BENCH, "memset", "--public-queue", "100")
    wrong(2, "public-queue", BENCH, "memset", "--public-queue", "1048576")
    wrong(2, "local-queue", BENCH, "memset", "--local-queue", "1")
    wrong(2, "spill", BENCH, "memset", "--spill", "99999999999")
    wrong(2, "owners", BENCH, "memset", "--owners", "3")
    wrong(2, "bias", BENCH, "memset", "--steal", "bias=2")
    wrong(2, "'greedy'", BENCH, "memset", "--steal", "greedy")
    wrong(2, "timeout", BENCH, "memset", "--timeout", "-1")
    wrong(2, "Tree type -t", BENCH, "uts", "-t", "7")
    wrong(2, "'T9'", BENCH, "uts", "--tree", "T9")
    wrong(2, "-q", BENCH, "uts", "-t", "0", "-q", "1.5")
    wrong(2, "--n", BENCH, "nqueens", "--n", "40")
    wrong(2, "too many tasks", BENCH, "spawn-tree", "--depth", "70")
    for graph in ("kilroy4", "hamming8", "hamming8-4-", "johnson16-2", "keller04", ""):
        wrong(2, f"'{graph}' is not a graph", BENCH, "clique", "--graph", graph)
    wrong(2, "vertices", BENCH, "clique", "--graph", "hamming11-4")
    wrong(2, "3361 vertices", BENCH, "clique", "--graph", "keller6")
    wrong(2, "a distance", BENCH, "clique", "--graph", "hamming4-5")
    wrong(2, "none of", BENCH, "clique", "--graph", "johnson4-5-2")
    wrong(2, "--p must be", BENCH, "clique", "--p", "1.5")
    wrong(2, "--n", BENCH, "clique", "--n", "1025")
    wrong(2, "cannot be read", BENCH, "clique", "--file", os.path.join(folder, "no.clq"))
    for text, what in (("p edge 3 1\ne 1 4\n", "line 2: not an edge"), ("e 1 2\n", "line 1: not an edge"),
                       ("c empty\n", "no line 'p edge"), ("p edge 3 1\np edge 3 1\n", "line 2: not the one line"),
                       ("p edge 2000 1\n", "2000 vertices"), ("p edge 3 1\ne 2 2\n", "line 2: not an edge")):
        graph = os.path.join(folder, "graph.clq")
        with open(graph, "w", encoding="utf-8") as out:
            out.write(text)
        wrong(2, what, BENCH, "clique", "--file", graph)
    with open(graph, "w", encoding="utf-8") as out:  # a square with a diagonal
        out.write("c four\np edge 4 5\ne 1 2\ne 2 3\ne 3 4\ne 4 1\ne 1 3\n")
    right(3, "clique", "--file", graph)
    wrong(2, "--json", BENCH, "clique", "--file", graph, "--json", graph)
    wrong(2, "--expect", BENCH, "knapsack", "--items", "128", "--range", "10000000")
    wrong(2, "--items", BENCH, "knapsack", "--items", "129")
    wrong(2, "--width lane", BENCH, "loop", "--piece", "10", "--width", "warp")
    wrong(2, "'zigzag'", BENCH, "loop", "--pattern", "uniform,zigzag")
    wrong(2, "twice", BENCH, "loop", "--way", "tree,tree")
    wrong(2, "--heavy", BENCH, "loop", "--n", "10", "--heavy", "11")
    wrong(2, "--n", BENCH, "loop", "--n", "0")
    for option in ("--trace", "--report"):
        wrong(2, f"{option} is for one variant", BENCH, "loop", "--way", "all", option,
              os.path.join(folder, "variants"))
    wrong(2, "'640'", BENCH, "mandelbrot", "--size", "640")
    wrong(2, "'0x9'", BENCH, "mandelbrot", "--size", "0x9")
    wrong(2, "cannot be written", BENCH, "memset", "--json", os.path.join(folder, "no", "x.json"))
    wrong(2, "cannot be written", BENCH, "memset", "--trace", os.path.join(folder, "no", "x.json"))
    wrong(2, "the report needs another place", BENCH, "memset", "--report", os.path.join(folder, "no", "x.html"))
    # A result that was there is not lost to a run that is refused.
    kept = os.path.join(folder, "kept.json")
    with open(kept, "w", encoding="utf-8") as file:
        file.write("kept")
    wrong(2, "'T9'", BENCH, "uts", "--tree", "T9", "--json", kept)
    with open(kept, encoding="utf-8") as file:
        expect(file.read() == "kept", "a refused run leaves the JSON file",
               subprocess.CompletedProcess([], 0, "", ""))


def content(path):
    with open(path, "rb") as file:
        return file.read()


def output_files(folder):
    """Results that find no place, or the place of something else."""
    small = ("memset", "--tasks", "10")
    a, b = os.path.join(folder, "a.json"), os.path.join(folder, "b.json")
    # Of one file, however it is spelt.
    os.symlink("a.json", os.path.join(folder, "link.json"))
    for again in (a, os.path.join(folder, ".", "a.json"), os.path.join(folder, "link.json")):
        wrong(2, "name the same file", BENCH, *small, "--json", a, "--trace", again)
        for option in ("--json", "--trace"):
            wrong(2, f"{option} and --report name the same file", BENCH, *small, option, a, "--report", again)
    wrong(2, "--image and --json", BENCH, "mandelbrot", "--image", a, "--json", a)
    # Also a name that is not there yet, from where the program runs, in whichever order.
    new = os.path.join(folder, "new.json")
    for names in (("new.json", new), (new, "new.json"), ("new.json", "./new.json")):
        for option in ("--trace", "--report"):
            wrong(2, "name the same file", BENCH, *small, "--json", names[0], option, names[1], cwd=folder)
        wrong(2, "name the same file", BENCH, "mandelbrot", "--json", names[0], "--image", names[1], cwd=folder)
        if SIM:
            wrong(2, "name the same file", SIM, *small, "--json", names[0], "--trace", names[1], cwd=folder)
    # Nor among the articles.
    articles = os.path.join(folder, "articles")
    os.mkdir(articles)
    with open(os.path.join(articles, "a.txt"), "w", encoding="utf-8") as file:
        file.write("an article")
    os.symlink("articles/new.txt", os.path.join(folder, "into.json"))
    for option in ("--json", "--trace", "--report"):
        for name, cwd in ((os.path.join(articles, "a.txt"), None), (os.path.join(articles, "new.txt"), None),
                          ("a.txt", articles), ("new.txt", articles), ("into.json", folder)):
            wrong(2, "which --corpus reads", BENCH, "contains", "--corpus", articles, option, name, cwd=cwd)
    expect(os.listdir(articles) == ["a.txt"] and content(os.path.join(articles, "a.txt")) == b"an article",
           "articles stay", subprocess.CompletedProcess([], 0, "", ""))
    done = run(BENCH, "contains", "--corpus", "articles", "--word", "art", "--json", "beside.json", cwd=folder)
    expect(done.returncode == 0, "a result beside a corpus", done)
    source = os.path.join(folder, "source.xml")
    with open(source, "w", encoding="utf-8") as file:
        file.write("<mediawiki/>")
    for option in ("--json", "--report"):
        wrong(2, "which --corpus reads", BENCH, "contains", "--corpus", source, option, source)
    expect(content(source) == b"<mediawiki/>", "a corpus stays", subprocess.CompletedProcess([], 0, "", ""))
    for option in ("--json", "--trace", "--report"):
        wrong(2, "name of a file", BENCH, *small, option, "")
    for option in ("--trace", "--report"):
        wrong(2, "name of a file", BENCH, *small, option, "-")
    wrong(2, "name of a file", BENCH, "mandelbrot", "--image", "")
    for program, *arguments in ((PROBE,), (SIM, *small), (PEER, *small)):
        if program:
            wrong(2, "name of a file", program, *arguments, "--json", "")
            wrong(2, "No such file or directory", program, *arguments, "--json", os.path.join(folder, "no", "x.json"))
            message = run(program, *arguments, "--json", "").stderr
            expect(message.startswith(os.path.basename(program) + ": "), f"{program} says its name",
                   subprocess.CompletedProcess([], 0, "", message))
    if SIM:
        wrong(2, "No such file or directory", SIM, *small, "--trace", os.path.join(folder, "no", "x.json"))
    # The reason is said.
    wrong(2, "No such file or directory", BENCH, *small, "--json", os.path.join(folder, "no", "x.json"))
    for option in ("--trace", "--report"):
        wrong(2, "Is a directory", BENCH, *small, option, folder)
    # A link is not replaced by what it leads to.
    done = run(BENCH, *small, "--json", os.path.join(folder, "link.json"))
    expect(done.returncode == 0 and os.path.islink(os.path.join(folder, "link.json")) and content(a)[:1] == b"{",
           "a result behind a link", done)

    # Ranges are the real ones.
    wrong(2, "from 1 to 8388597", BENCH, *small, "--workers", "-1")
    wrong(2, "from 1 to 8388597", BENCH, *small, "--workers", "8388598")
    wrong(2, "power of two from 2 to 262144", BENCH, *small, "--public-queue", "0")
    wrong(2, "power of two from 2 to 262144", BENCH, *small, "--local-queue", "524288")
    wrong(2, "power of two from 1 to 1073741824", BENCH, *small, "--spill", "3")
    wrong(2, "memset has no option --width", BENCH, *small, "--width", "warp")
    wrong(2, "'warp' is one word too many", BENCH, *small, "warp")

    # A full disk, of each kind of output.
    full_pipe = [[BENCH, *small, "--devices", "cpu"], [BENCH, *small, "--devices", "cpu", "--json", "-"],
                 [BENCH, "--help"], [BENCH, "--version"], [PROBE, "--quick", "--devices", "cpu"],
                 [CORPUS, "--help"]]
    full_file = [[BENCH, *small, "--devices", "cpu", "--json", "/dev/full"],
                 [BENCH, "mandelbrot", "--size", "8x8", "--devices", "cpu", "--image", "/dev/full"],
                 [PROBE, "--quick", "--devices", "cpu", "--json", "/dev/full"]]
    traced = run(BENCH, *small, "--trace", b)
    if traced.returncode == 0:
        full_file += [[BENCH, *small, "--devices", "cpu", option, "/dev/full"] for option in ("--trace", "--report")]
    if SIM:
        full_pipe.append([SIM, "memset", "--tasks", "10"])
        full_file += [[SIM, "memset", "--tasks", "10", option, "/dev/full"] for option in ("--json", "--trace")]
    if PEER:
        full_pipe += [[PEER, "--help"], [PEER, *small], [PEER, *small, "--json", "-"]]
        full_file.append([PEER, *small, "--json", "/dev/full"])
    with open("/dev/full", "w", encoding="utf-8") as full:
        for command in full_pipe:
            no_room(command, full)
    for command in full_file:
        no_room(command, subprocess.DEVNULL)
    expect(not os.path.isfile("/dev/full"), "the device is still one", subprocess.CompletedProcess([], 0, "", ""))


def no_room(command, stdout):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True,
                          timeout=120, check=False)
    name = f"{os.path.basename(command[0])} {' '.join(command[1:])}, with no room"
    if "libpng" in done.stderr:
        return  # built without it
    expect(done.returncode == 3, f"{name}: exit code {done.returncode}", done)
    expect("No space left on device" in done.stderr and done.stderr.count("\n") == 1, f"{name}: its reason", done)


def corpus_output(folder):
    """mgws-corpus writes indexes, over nothing but indexes, and says what came of it by its exit code."""
    at = os.path.join(folder, "corpora")
    os.mkdir(at)

    def path(name):
        return os.path.join(at, name)

    page = "<page><ns>0</ns><revision><text>zwischen</text></revision></page>"
    dump = f"<mediawiki>{page}</mediawiki>"
    for name, text in (("w.xml", dump), ("notes.txt", "notes"), ("empty.index", "")):
        with open(path(name), "w", encoding="utf-8") as file:
            file.write(text)
    os.mkdir(path("texts"))
    with open(path("texts/a"), "w", encoding="utf-8") as file:
        file.write("an article")
    os.symlink("w.xml", path("link.xml"))
    os.link(path("w.xml"), path("second.xml"))

    for target in ("w.xml", "link.xml", "second.xml"):
        wrong(2, "is the source", CORPUS, path("w.xml"), "-o", path(target))
    wrong(2, "is not an index", CORPUS, path("w.xml"), "-o", path("notes.txt"))
    wrong(2, "is not an index", CORPUS, path("texts"), "-o", path("texts/a"))
    wrong(2, "among the articles", CORPUS, path("texts"), "-o", path("texts/new.index"))
    wrong(2, "among the articles", CORPUS, ".", "-o", "new.index", cwd=path("texts"))
    wrong(2, "among the articles", CORPUS, path("texts"), "-o", "texts/new.index", cwd=at)
    wrong(2, "not a regular file", CORPUS, path("w.xml"), "-o", "/dev/full")
    wrong(2, "not a regular file", CORPUS, path("w.xml"), "-o", at)
    wrong(2, "No such file or directory", CORPUS, path("w.xml"), "-o", path("no/x.index"))
    wrong(2, "name of a file", CORPUS, path("w.xml"), "-o", "")
    wrong(2, "-o INDEX is needed", CORPUS, path("w.xml"))
    wrong(2, "there is no option --frob", CORPUS, path("w.xml"), "--frob")
    wrong(2, "does not exist", CORPUS, path("missing"), "-o", path("x.index"))
    wrong(2, "is not a corpus", CORPUS, path("notes.txt"), "-o", path("x.index"))
    wrong(2, "from 1 to 1099511627776", CORPUS, "--synthetic", "0", "-o", path("x.index"))
    wrong(2, "from 1", CORPUS, path("w.xml"), "--articles", "0", "-o", path("x.index"))
    nobody = subprocess.CompletedProcess([], 0, "", "")
    expect(content(path("w.xml")) == dump.encode() and content(path("texts/a")) == b"an article" and
           content(path("notes.txt")) == b"notes", "sources stay", nobody)

    for target in ("empty.index", "x.index", "x.index"):
        done = run(CORPUS, path("w.xml"), "-o", path(target))
        expect(done.returncode == 0 and content(path(target))[:8] == b"MGWSCRP1", f"an index as {target}", done)
    before = sorted(os.listdir(at))
    # A disk that is full: a limit of the size of files stands for it, and once more ends the process in the
    # middle.
    for ignored, code in ((True, 3), (False, -signal.SIGXFSZ)):
        done = subprocess.run([CORPUS, "--synthetic", "1000", "-o", path("x.index")], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
                              restore_signals=not ignored, preexec_fn=lambda: limit_files(ignored))
        expect(done.returncode == code, f"an index without room: {done.returncode}", done)
        expect("x.index' cannot be written: File too large" in done.stderr or not ignored, "its reason", done)
        if ignored or nameless_files(at):
            expect(sorted(os.listdir(at)) == before, f"nothing is left behind: {os.listdir(at)}", done)
    expect(content(path("x.index"))[:8] == b"MGWSCRP1", "the older index stays", nobody)


def limit_files(ignored):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN if ignored else signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))


def nameless_files(folder):
    """Whether the file system has files without a name."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except OSError:
        return False
    return True


def failing_runs(folder):
    done = run(BENCH, "spawn-tree", "--depth", "10", "--fanout", "40", "--local-queue", "2", "--spill", "1",
               "--public-queue", "2", "--devices", "cpu:1")
    expect(done.returncode == 1 and "spill" in done.stderr, "out of space", done)
    began = time.monotonic()
    done = run(BENCH, "bpc", "--depth", "1", "--consumers", "4", "--consumer-time", "1000000000",
               "--timeout", "1", "--devices", "cpu:2")
    expect(done.returncode == 1, "a task that never returns", done)
    expect("queue 0:" in done.stderr and "worker 1:" in done.stderr, "its dump", done)
    expect(time.monotonic() - began < 3, "its time: timeout + 2 s", done)

    check_trace(folder, "cpu:2", 1)
    check_trace(folder, "cpu:2,cpu:1,cpu:1", 3)


def check_trace(folder, devices, groups, *more):
    """A trace has all devices on one time axis, and each steal as an arrow from a worker of the queue
    to the thief; it agrees with the statistics of the same run."""
    path = os.path.join(folder, "trace.json")
    result = os.path.join(folder, "result.json")
    done = run(BENCH, "uts", "--tree", "T1", "--devices", devices, "--timeout", "20", "--trace", path,
               "--json", result, *more)
    if "statistics" in done.stderr and done.returncode == 3:
        return  # built without statistics
    expect(done.returncode == 0, f"a trace of {devices}", done)
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    with open(result, encoding="utf-8") as file:
        out = json.load(file)
    seconds = out["summary"]["seconds"]["max"]

    def is_so(condition, what):
        expect(condition, f"trace of {devices}: {what}", done)

    workers = {e["tid"]: e["pid"] for e in events if e["name"] == "thread_name"}
    is_so(sorted(set(workers.values())) == list(range(groups)), "a process for each device")
    is_so(sorted(workers) == list(range(len(workers))), "a track for each worker")
    slices = [e for e in events if e["ph"] == "X"]
    is_so({"working", "steal"} <= {e["name"] for e in slices}, "work and steals")
    is_so(all(workers[e["tid"]] == e["pid"] for e in slices), "each slice on its worker's track")
    # The clocks of several devices are compared to microseconds; a run begins before its first task
    # and ends after its last.
    is_so(all(-50 <= e["ts"] and e["ts"] + e["dur"] <= seconds * 1e6 + 2000 for e in slices),
          "all within the run")
    is_so({e["pid"] for e in slices} == set(range(groups)), "slices of every device")

    begins = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    steals = {(e["tid"], e["ts"]): e["args"] for e in slices if e["name"] == "steal"}
    is_so(begins.keys() == ends.keys() and len(begins) > 0, "arrows that begin and end")
    stolen = [[0] * groups for _ in range(groups)]
    for number, begin in begins.items():
        end = ends[number]
        steal = steals.get((end["tid"], begin["ts"]))
        is_so(steal is not None and steal["from"] == begin["tid"] != end["tid"],
              "an arrow from the worker that was stolen from to the thief")
        is_so(workers[begin["tid"]] == begin["pid"] and workers[end["tid"]] == end["pid"]
              and begin["ts"] <= end["ts"], "an arrow's ends")
        if steal is None:
            break
        stolen[end["pid"]][begin["pid"]] += steal["slots"]
    statistics = out["statistics"]
    # Of a GPU's thousands of workers each records so many events and counts the rest.
    is_so(stolen == statistics["steal_matrix"] if devices.startswith("cpu") else
          all(a <= b for some, all_of in zip(stolen, statistics["steal_matrix"])
              for a, b in zip(some, all_of)), "as many slots as the steal matrix says")
    # What domains ask each other has a track of its own, and the JSON says how long it took.
    asked = [e for e in events if e["name"] == "question"]
    asked_by = [sum(e["ph"] == "b" and e["pid"] == d for e in asked) for d in range(groups)]
    is_so(sum(asked_by) * 2 == len(asked) and all(e["args"]["slots"] > 0 for e in asked), "questions that end")
    answers = statistics["answers_by_device"]
    is_so([a["count"] for a in answers] == [sum(a["bins"]) for a in answers] == asked_by,
          f"as many answers as questions: {answers}")
    counted = sum(w["answers"] for w in statistics.get("workers", [statistics.get("sum")]))
    is_so(sum(asked_by) == counted if devices.startswith("cpu") else sum(asked_by) <= counted, "answers as counted")
    is_so(more or not asked, "no questions within a domain")
    if groups > 1 and not more:
        is_so(any(begins[n]["pid"] != ends[n]["pid"] for n in begins), "arrows between devices")
    first = statistics["first_task_seconds"]
    is_so(len(first) == groups and all(t is not None and -50e-6 <= t <= seconds + 2e-3 for t in first),
          f"when each device had its first task: {first} of {seconds}")


def on_device(folder, device):
    """Every workload and option that makes a difference to a GPU's workers."""
    on = ["--devices", device, "--timeout", "20"]
    if run(BENCH, "memset", "--tasks", "1", *on).returncode == 3:
        wrong(3, "cannot be used: ", BENCH, "memset", "--tasks", "1", *on)
        print(run(BENCH, "memset", "--tasks", "1", *on).stderr.strip())
        sys.exit(1 if failures else 77)
    wide = (["--width", "lane"], ["--width", "warp"], ["--width", "block"])
    if TOGETHER:
        for devices in (("cpu:2", device), (device, "cpu:1", "cpu:1")):
            for result, *arguments in ((724, "nqueens", "--n", "10"), (8191, "spawn-tree", "--depth", "12")):
                for out in joined(devices, *arguments, "--repeat", "20"):
                    expect(out["summary"]["result"] == result, f"{arguments} by {devices}",
                           subprocess.CompletedProcess([], 0, "", ""))
    for transport in ("p2p", "host"):
        here = [*on, "--transport", transport]
        for tasks_in in ("host", "device"):
            right(5000, "memset", "--tasks", "5000", "--tasks-in", tasks_in, *here, tasks=5000)
        right(5000, "memset", "--tasks", "5000", "--bulk", *here, tasks=5000)
        right(1, "memset", "--tasks", "1", *here)
        for data in ("main", "replicated", "partitioned", "host", "managed"):
            right(5000, "memset", "--tasks", "5000", "--data", data, *here, tasks=5000)
        for direct in ("--direct=one", "--direct=bulk"):
            right(100000, "memset", "--tasks", "100000", direct, *here)
        for more in ([], ["--bulk"]):
            right(100000, "memset", "--tasks", "100000", "--way", "spawn", *more, *here, tasks=100000)
        bpc = ["--depth", "5", "--consumers", "20", "--producer-time", "1", "--consumer-time", "1"]
        right(106, "bpc", *bpc, *here, details={"producers": 6, "consumers": 100})
        right(106, "bpc", *bpc, "--bulk", *here)
        right(8191, "spawn-tree", "--depth", "12", "--bulk", *here)
        right(1001, "spawn-tree", "--depth", "1000", "--fanout", "1", *here)
        for width in wide:
            right(724, "nqueens", "--n", "10", *width, *here)
            right(8191, "spawn-tree", "--depth", "12", *width, *here)
            done = run(BENCH, "contains", "--synthetic", "2000", "--mean-bytes", "700", "--fraction",
                       "0.2", *width, *here)
            expect(done.returncode == 0, f"contains {width} {here}", done)
        right(6765, "fib", "--n", "20", *here)
        quadratures(*here)
        right(5010, "live", "--tasks", "5000", "--producers", "2", "--trips", "10", *here)
        right(100_000, "cilksort", "--keys", "100000", *here)
        right(100_000, "quicksort", "--keys", "100000", *here)
        for width in wide:
            for bulk in ([], ["--bulk"]):
                right(100_003, "crypt", "--size", "800024", *bulk, *width, *here)
                right(10_001, "crypt", "--size", "80008", "--grain", "7", *bulk, *width, *here)
        for graph in ("random", "rmat"):
            for more in ([], ["--delta", "1"], ["--width", "warp"], ["--order", "priority"],
                         ["--order", "oldest", "--width", "warp"]):
                done = run(BENCH, "dijkstra", "--graph", graph, "--nodes", "20000", *more, *here)
                expect(done.returncode == 0, f"dijkstra {graph} {more} {here}", done)
        for width in ("lane", "warp", "block"):
            for more in ([], ["--order", "random", "--grain", "50"], ["--fed", "20", "--inbox-slots", "2"],
                         ["--density", "uniform", "--search", "all"]):
                right(20_000, "md", "--atoms", "20000", *more, "--width", width, *here)
        right(8191, "spawn-tree", "--depth", "12", "--finish", *here)
        for width in ("lane", "warp", "block"):
            done = run(BENCH, "cholesky", "--n", "512", "--tile", "32", "--width", width, *here)
            expect(done.returncode == 0, f"cholesky {width} {here}", done)
        for pattern in ("stencil_1d", "fft", "random_nearest"):
            right(20_000, "taskbench", "--pattern", pattern, "--columns", "1000", "--steps", "20", *here)
        for width in ("lane", "warp"):
            for graph, size in (("keller4", 11), ("hamming8-4", 16), ("johnson16-2-4", 8)):
                right(size, "clique", "--graph", graph, "--width", width, *here)
            right(4, "clique", "--n", "300", "--p", "0.1", "--expect", "4", "--width", width, *here)
        for width in ("lane", "warp"):
            out = right(15473, "knapsack", "--items", "50", "--range", "1000", "--items-seed", "2", "--width", width,
                        *here)
            expect(not out or out["summary"]["details"]["seconds_to_optimum"] >= 0, "time to the optimum",
                   subprocess.CompletedProcess([], 0, "", ""))
        for more in (["--termination", "tree"], ["--termination", "counter"],
                     ["--overflow", "damping"], ["--steal", "none"], ["--owners", "2"],
                     ["--owners", "4"], ["--public-queue", "64"], ["--workers", "1"],
                     ["--workers", "16"], ["--seed", "5", "--repeat", "3", "--warmup", "1"]):
            right(4130071, "uts", "--tree", "T1", *more, *here, details={"leaves": 3305118})
    for width in wide:
        right(4112897, "uts", "--tree", "T3", *width, *on, details={"depth": 1572, "leaves": 3599034})
    for more in (["-t", "1", "-a", "2", "-d", "5", "-b", "3.5"], ["-t", "2", "-d", "6", "-b", "5"]):
        done = run(BENCH, "uts", *more, "-r", "7", "-q", "0.2", "-m", "4", *on)
        expect(done.returncode == 0, f"uts {more}", done)
    wrong(2, "another one", BENCH, "memset", *on, "--transport", "remote", "--remote-gpu",
          device.split(":")[1])
    for remote in (["--transport", "remote"], ["--tasks-in", "remote"],
                   ["--transport", "remote", "--tasks-in", "remote"]):
        done = run(BENCH, "memset", "--tasks", "1", *remote, *on)
        if done.returncode == 3:
            # One sentence says why.
            expect("another" in done.stderr, f"refused {remote}", done)
            continue
        right(100000, "memset", "--tasks", "100000", *remote, *on)
        right(4130071, "uts", "--tree", "T1", *remote, *on, details={"leaves": 3305118})
        right(100000, "memset", "--tasks", "100000", "--direct=bulk", *remote, *on)
    loops(*on)
    loops(*on, "--transport", "host")
    wrong(2, "at most", BENCH, "memset", *on, "--workers", "100000")
    if not TOGETHER:
        wrong(3, "bench_together", BENCH, "memset", "--devices", f"cpu:1,{device}")
    done = run(BENCH, "spawn-tree", "--depth", "3", "--fanout", "1000", "--spill", "1", "--workers", "1",
               *on)
    expect(done.returncode == 1 and "spill" in done.stderr, "out of space", done)

    # A kernel that never ends is left behind, and the next process finds the device as it was.
    began = time.monotonic()
    done = run(BENCH, "bpc", "--depth", "1", "--consumers", "4", "--consumer-time", "1000000000",
               "--devices", device, "--workers", "4", "--timeout", "1")
    expect(done.returncode == 1, "a task that never returns", done)
    # Where copies wait for the kernel, queues cannot be read.
    queues = "queue 0:" in done.stderr or "queues cannot be read" in done.stderr
    expect(queues and "worker 3:" in done.stderr, "its dump", done)
    expect(time.monotonic() - began < 6, "its time: timeout + 5 s", done)
    right(4130071, "uts", "--tree", "T1", *on)

    check_trace(folder, device, 1)
    if run(BENCH, "memset", "--tasks", "1", "--devices", "gpu:0,gpu:1").returncode == 0:
        check_trace(folder, "gpu:0,gpu:1", 2)


def findings(*arguments):
    """What mgws-probe writes as JSON."""
    done = run(PROBE, *arguments, "--json", "-")
    name = " ".join(("mgws-probe", *arguments))
    expect(done.returncode == 0, name, done)
    if done.returncode != 0:
        return None
    out = json.loads(done.stdout)
    for key in ("schema", "command", "version", "commit", "date", "quick", "devices", "no_gpu", "litmus",
                "domains", "disagreements", "latencies", "copies", "ladder"):
        expect(key in out, f"{name}: no {key} in the JSON", done)
    for f in out["litmus"]:
        for key in ("between", "memory", "scope", "operation", "verdict", "operations", "wrong", "turns",
                    "nanoseconds", "driver_says"):
            expect(key in f, f"{name}: no {key} in a litmus run", done)
    return out


def probe(folder):
    nobody = subprocess.CompletedProcess([], 0, "", "")
    out = findings("--devices", "cpu", "--quick")
    if out:
        expect(out["quick"] and out["no_gpu"] is None and not out["latencies"], "a quick probe", nobody)
        verdicts = {f["operation"]: f["verdict"] for f in out["litmus"]}
        expect(verdicts == {k: "passed" for k in ("fetch_add", "exchange", "message", "lock")},
               f"threads are coherent: {verdicts}", nobody)
        expect(out["domains"] == {"p2p": [], "host": [["cpu"]], "messages": [["cpu"]]},
               f"the CPU's domains: {out['domains']}", nobody)
    path = os.path.join(folder, "probe.json")
    done = run(PROBE, "--devices", "cpu", "--json", path)
    expect(done.returncode == 0 and "fetch_add" in done.stdout and "{cpu}" in done.stdout,
           "a probe as text", done)
    with open(path, encoding="utf-8") as file:
        out = json.load(file)
    expect({f["operation"] for f in out["latencies"]} >= {"load", "load acquire", "fetch_add", "exchange"},
           "latencies", nobody)
    expect(all(f["median"] >= f["least"] > 0 for k in ("latencies", "copies", "ladder") for f in out[k]),
           "times above 0", nobody)
    expect([f["bytes"] for f in out["copies"]] == [64 << 2 * i for i in range(6)], "copies", nobody)
    expect([f["bytes"] for f in out["ladder"]] == [2 ** 14 << 2 * i for i in range(8)], "rungs", nobody)
    # Everything that is there; and why a GPU is not.
    out = findings("--quick")
    if out:
        gpus = [d for d in out["devices"] if d["kind"] == "gpu"]
        expect(bool(gpus) == (out["no_gpu"] is None), "GPUs, or a reason", nobody)
        done = run(PROBE, "--quick")
        expect(done.returncode == 0 and ("no GPU: " in done.stdout) == (not gpus), "the reason as text", done)

    wrong(3, "GPU", PROBE, "--devices", "gpu:99")
    wrong(3, "GPU", PROBE, "--devices", "cpu,gpu:99")
    wrong(2, "'fpga'", PROBE, "--devices", "fpga")
    wrong(2, "'cpu:2'", PROBE, "--devices", "cpu:2")
    wrong(2, "'gpu:x'", PROBE, "--devices", "gpu:x")
    wrong(2, "''", PROBE, "--devices", "cpu,")
    wrong(2, "named twice", PROBE, "--devices", "cpu,cpu")
    wrong(2, "--frob", PROBE, "--frob")
    wrong(2, "timeout", PROBE, "--timeout", "0")
    wrong(2, "timeout", PROBE, "--timeout", "nan")
    wrong(2, "cannot be written", PROBE, "--json", os.path.join(folder, "no", "x.json"))


def probe_on(device):
    """Only what is so on every GPU; what differs from machine to machine is what the probe is for."""
    nobody = subprocess.CompletedProcess([], 0, "", "")
    out = findings("--devices", f"cpu,{device}")
    if not out:
        return
    own = [f for f in out["litmus"] if f["between"] == [device, device] and f["memory"] == device]
    expect({(f["scope"], f["verdict"]) for f in own} == {("device", "passed"), ("system", "passed")},
           "blocks in their GPU's memory", nobody)
    expect([device] in out["domains"]["p2p"], "a GPU's domain", nobody)
    expect(["cpu", device] in out["domains"]["messages"], "messages between GPU and CPU", nobody)
    between = [f for f in out["litmus"] if f["between"] == ["cpu", device]]
    expect(len(between) == 4 and all(f["verdict"] != "absent" for f in between), "GPU and CPU met", nobody)
    for memory in (device, "host"):
        expect({f["scope"] for f in out["latencies"] if f["memory"] == memory and f["device"] == device}
               == {"device", "system"}, f"latencies on {memory}", nobody)
    expect(any(f["memory"] == "local" for f in out["ladder"]), "a rung in local memory", nobody)


def main():
    with tempfile.TemporaryDirectory() as folder:
        if DEVICE:
            on_device(folder, DEVICE)
            probe_on(DEVICE)
        elif "--workloads" in PARTS:
            workloads()
            loops("--devices", "cpu:2")
        if not DEVICE and "--else" in PARTS:
            pictures(folder)
            options()
            corpora(folder)
            not_unicode(folder)
            cut_index(folder)
            stopped_process()
            bad_usage(folder)
            if TOGETHER:
                domains(folder)
                processes()
            output_files(folder)
            corpus_output(folder)
            failing_runs(folder)
            probe(folder)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
