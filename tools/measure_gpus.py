#!/usr/bin/env python3
"""Measures mgws-bench on several GPUs of one machine, every run verified, for tools/tables.py.

usage: measure_gpus.py MGWS_BENCH FOLDER [--gpus N] [--part NAME ...] [--quick]

A part is written to FOLDER/gpus-NAME.json as a list of mgws-bench's JSON. Parts:
  scaling      trees, queens, memset and contains on 1, 2, 4, ... GPUs
  targets      one tree with each policy of choosing whom to steal from
  start        small trees: all work comes from one root; when each GPU had its first task
  steals       what a steal takes, by pair of GPUs (wants a build with statistics, and for
               its table a file of mgws-probe), by number of workers
  repeats      many small runs with each detector
  joins        tasks that wait for others, on 1, 2, 4, ... GPUs: fib, cilksort, quicksort
  preference   whether thieves prefer their own device: joins, finishes, trees, loops
  regular      MGWS's seven configurations of two GPUs (section 6.9), memset, by number of workers:
               each GPU alone, both with each way to steal, and both without queues
  irregular    the same with a tree, and with contains
  placement    memset and contains with their data in each place, by number of workers
  remote       one GPU, its queues and tasks in its own memory, another GPU's, or the host's, by number
               of workers"""

from measuring import arguments, measure_parts

WORKERS = (1, 16, 80, 132, 264, 528, 792)
FEW_WORKERS = (132, 528, 792)
CONTAINS = ("contains", "--synthetic", 300000, "--mean-bytes", 7000, "--word", "zwischen", "--width", "block")
SMALL_CONTAINS = ("contains", "--synthetic", 30000, "--mean-bytes", 7000, "--word", "zwischen", "--width", "block")


def devices(n):
    return ",".join(f"gpu:{i}" for i in range(n))


def counts(gpus):
    n = 1
    while n <= gpus:
        yield n
        n *= 2


def scaling(gpus, quick):
    problems = [["uts", "--tree", "T1XL"], ["nqueens", "--n", 16],
                CONTAINS,
                ["memset", "--tasks", 1 << 26],
                ["memset", "--tasks", 1 << 26, "--data", "partitioned"]]
    if not quick:
        problems += [["memset", "--tasks", 1 << 28],
                     ["memset", "--tasks", 1 << 28, "--data", "partitioned"],
                     ["uts", "--tree", "T1XXL"], ["nqueens", "--n", 17]]
    for problem in problems:
        for n in counts(gpus):
            yield [*problem, "--devices", devices(n), "--steal", "bias=0.75", "--repeat", 5]
    if quick:
        return
    # Whether the GPUs are as fast as each other.
    for i in range(1, gpus):
        yield ["uts", "--tree", "T1XXL", "--devices", f"gpu:{i}", "--repeat", 5]
    yield ["uts", "--tree", "T1WL", "--devices", devices(gpus), "--steal", "bias=0.75",
           "--repeat", 1 if gpus < 4 else 3, "--timeout", 60]


def targets(gpus, quick):
    for steal in ("uniform", "bias=0.25", "bias=0.5", "bias=0.75", "bias=0.9", "bias=0.99",
                  "local", "none"):
        yield ["uts", "--tree", "T1L" if quick else "T1XL", "--devices", devices(gpus), "--steal", steal,
               "--repeat", 5]
    if not quick:
        yield ["uts", "--tree", "T1XL", "--devices", devices(gpus), "--direct", "--repeat", 3]


def start(gpus, quick):
    for tree in ("T1", "T3", "T1L"):
        for n in counts(gpus):
            yield ["uts", "--tree", tree, "--devices", devices(n), "--steal", "bias=0.75",
                   "--repeat", 9]


def steals(gpus, quick):
    for tree in ("T1L",) if quick else ("T1L", "T1XL"):
        for workers in (132, 264, 528, 792):
            for overflow in ("probe", "damping"):
                yield ["uts", "--tree", tree, "--devices", devices(gpus), "--workers", workers,
                       "--steal", "bias=0.75", "--overflow", overflow, "--repeat", 3]


def repeats(gpus, quick):
    for detector in ("counter", "tree", "hierarchical"):
        for workers in ([], ["--workers", 50]):
            yield ["spawn-tree", "--depth", 8, "--devices", devices(gpus), *workers,
                   "--termination", detector, "--repeat", 500 if quick else 5000]


def joins(gpus, quick):
    keys = 1_000_000 if quick else 100_000_000
    for problem in (["fib", "--n", 30 if quick else 40], ["cilksort", "--keys", keys],
                    ["quicksort", "--keys", keys]):
        for n in counts(gpus):
            yield [*problem, "--devices", devices(n), "--steal", "bias=0.75", "--repeat", 5]


def preference(gpus, quick):
    """Whether thieves prefer their own device, and how much."""
    keys = 1_000_000 if quick else 100_000_000
    loop = ["loop", "--n", 1 << 22, "--base", 1024, "--grain", 32, "--pattern"]
    for problem in (["fib", "--n", 30 if quick else 40], ["cilksort", "--keys", keys],
                    ["quicksort", "--keys", keys], ["dijkstra"], ["uts", "--tree", "T1XL"],
                    ["uts", "--tree", "T3"], [*loop, "geometric"], [*loop, "heavy-first"]):
        for steal in ("uniform", "bias=0.75", "bias=0.9"):
            yield [*problem, "--devices", devices(gpus), "--steal", steal, "--repeat", 7]


def seven(problem, both_more=()):
    """The thesis' configurations of two GPUs, at one number of workers a GPU."""
    for one in ("gpu:0", "gpu:1"):
        yield [*problem, "--devices", one]
    both = [*problem, *both_more, "--devices", devices(2)]
    for steal in ("uniform", "none", "local", "bias=0.75"):
        yield [*both, "--steal", steal]
    yield [*both, "--direct=one"]
    # The strongest static assignment, which the thesis has not.
    yield [*both, "--direct=bulk"]


def regular(_, quick):
    for workers in WORKERS:
        for tasks in (1 << 20,) if quick or workers < 132 else (1 << 20, 1 << 26):
            problem = ["memset", "--tasks", tasks, "--workers", workers, "--repeat", 3 if quick else 5]
            yield from seven(problem, ["--data", "partitioned"])
            if not quick:
                yield [*problem, "--devices", devices(2), "--steal", "bias=0.75"]  # all data on one


def irregular(_, quick):
    for workers in FEW_WORKERS if quick else WORKERS:
        more = ["--workers", workers, "--repeat", 3 if quick else 5]
        yield from seven(["uts", "--tree", "T1", *more])
        if workers >= 132:
            yield from seven([*(SMALL_CONTAINS if quick else CONTAINS), *more])


def placement(gpus, quick):
    for problem in (["memset", "--tasks", 1 << 26], ["memset", "--tasks", 1 << 26, "--bulk"],
                    SMALL_CONTAINS if quick else CONTAINS):
        for workers in ([],) if quick else (["--workers", 132], ["--workers", 528], ["--workers", 792], []):
            for n in counts(gpus):
                for data in ("main", "replicated", "partitioned", "host"):
                    if n == 1 and data in ("replicated", "partitioned"):
                        continue  # on one GPU the same as main
                    yield [*problem, *workers, "--data", data, "--devices", devices(n),
                           "--steal", "bias=0.75", "--repeat", 3 if quick else 5]


def remote(_, quick):
    where = (("p2p", "device"), ("p2p", "remote"), ("remote", "device"), ("remote", "remote"),
             ("host", "device"), ("host", "host"))
    for problem in (["memset", "--tasks", 1 << 20], ["uts", "--tree", "T1"]):
        for workers in FEW_WORKERS if quick else WORKERS:
            for transport, tasks in where:
                yield [*problem, "--workers", workers, "--transport", transport, "--tasks-in", tasks,
                       "--devices", "gpu:0", "--repeat", 3 if quick else 5]


PARTS = {f.__name__: f for f in (scaling, targets, start, steals, repeats, joins, preference, regular, irregular, placement,
                                 remote)}


def main():
    parser = arguments(__doc__, PARTS)
    parser.add_argument("--gpus", type=int, default=2)
    asked = parser.parse_args()
    measure_parts(asked, PARTS, "gpus", lambda part: part(asked.gpus, asked.quick))


if __name__ == "__main__":
    main()
