#!/usr/bin/env python3
"""Measures mgws-bench on one GPU, every run verified, into files for tools/tables.py.

usage: measure_gpu.py MGWS_BENCH FOLDER [--part NAME ...] [--device gpu:0] [--quick]

A part is written to FOLDER/gpu-NAME.json as a list of mgws-bench's JSON; of the workers' statistics,
of which there are thousands, the sums are kept. Parts:
  memset       tasks of one store, by number of workers, against static assignment
  host         the same with queues in host memory
  uts          named trees; lane, warp and block tasks
  spawning     nqueens and spawn-tree; also with all tasks the children of few
  contains     text search by number of workers, against static assignment
  termination  detectors, damping, owners and queue sizes, in both memories, on one tree
  steals       what a steal takes (wants a build with statistics), one GPU as one device and as two
  twice        what the code of several GPUs costs: one GPU as one device and as two
  crowd        loops and trees by workers of a multiprocessor, up to all that fit
  joins        tasks that wait for others: fib, cilksort, quicksort, dijkstra
  orders       dijkstra by phases, and by tasks in different orders
  finish       trees with and without a finish above them
  clique       largest cliques by warps and by lanes, beside one core, and what a shared bound costs
  bridge       CPU workers beside a GPU, and the halves of one, in one coherence domain and in two
               (only if asked for: wants a build with -Dbench_together=true)
And MGWS's figures, each point of a line a number of workers:
  detectors    figures 8 and 10: memset by detector and overflow policy, in both memories
  queues       figures 11 and 14: memset by owners and size of queues, in both memories
  memories     figure 17: memset by memory of queues and tasks, and without queues
  search       figures 18 to 21: contains by the same, 10 and 200 runs"""

import os

from measuring import arguments, measure_parts

WORKERS = (1, 16, 80, 132, 264, 528, 792)
# Of 132 multiprocessors: 2, 4, 6 workers on each.
CROWDS = (264, 528, 792)
# Without --corpus: 2.1 GB; a fifteenth of it for --quick.
CORPUS = ["--synthetic", 300000, "--mean-bytes", 7000, "--fraction", 0.1, "--corpus-seed", 1]
BALANCED = ((), ("--direct=one",), ("--direct=bulk",))


def memset(quick):
    for tasks, workers_of in ((1 << 20, WORKERS), (1 << 26, () if quick else (132, 528, 792))):
        for workers in workers_of:
            for how in BALANCED:
                yield ["memset", "--tasks", tasks, "--workers", workers, *how]
        if workers_of:
            yield ["memset", "--tasks", tasks]
            yield ["memset", "--tasks", tasks, "--bulk"]


def host(quick):
    for workers in WORKERS:
        for where in ("host", "device"):
            yield ["memset", "--tasks", 1 << 20, "--workers", workers, "--transport", "host",
                   "--tasks-in", where]
    # Where the words of the detector lie apart, the bus is no queue before one of them.
    apart = ("--transport", "host", "--termination", "tree")
    for workers in WORKERS:
        yield ["memset", "--tasks", 1 << 20, "--workers", workers, "--tasks-in", "device", *apart]
    if not quick:
        for workers in (132, 528, 792):
            yield ["memset", "--tasks", 1 << 26, "--workers", workers, "--transport", "host",
                   "--tasks-in", "host"]
            yield ["memset", "--tasks", 1 << 26, "--workers", workers, "--tasks-in", "device", *apart]
    for tree in ("T1",) if quick else ("T1", "T1L", "T3"):
        yield ["uts", "--tree", tree, "--transport", "host"]
        yield ["uts", "--tree", tree, *apart]


def uts(quick):
    for tree in ("T1", "T3", "T1L") if quick else ("T1", "T3", "T1L", "T3L", "T1XL", "T1XXL"):
        yield ["uts", "--tree", tree]
    # Shorter local queues than those that cost no worker.
    for local in (256, 512):
        for tree in ("T1", "T1L") if quick else ("T1", "T1L", "T1XL"):
            yield ["uts", "--tree", tree, "--local-queue", local]
    for width in ("warp", "block"):
        for tree in ("T1", "T3") if quick else ("T1", "T3", "T1L", "T1XL"):
            yield ["uts", "--tree", tree, "--width", width]


def spawning(quick):
    n = 14 if quick else 16
    for cutoff in (6, 7, 8):
        yield ["nqueens", "--n", n, "--cutoff", cutoff]
    for width in ("warp", "block"):
        yield ["nqueens", "--n", n, "--width", width]
    depth = 20 if quick else 28
    yield ["spawn-tree", "--depth", depth]
    yield ["spawn-tree", "--depth", depth, "--bulk"]
    # All tasks are the children of few: hubs of a graph.
    for levels, bits in ((1, depth - 4), (2, depth // 2 - 2), (3, depth // 4 + 1)):
        yield ["spawn-tree", "--depth", levels, "--fanout", 1 << bits, "--bulk"]
    for width in ("warp", "block"):
        yield ["spawn-tree", "--depth", depth - 4, "--width", width]


def contains(quick):
    for workers in (132, 528, 792):
        for how in BALANCED:
            yield ["contains", *CORPUS, "--width", "warp", "--workers", workers, *how]
    for width in ("lane", "warp", "block"):
        yield ["contains", *CORPUS, "--width", width]
    if not quick:
        yield ["contains", *CORPUS, "--repeat", 200]


def termination(quick):
    for transport in ("p2p", "host"):
        for detector in ("counter", "tree", "hierarchical"):
            for overflow in ("probe", "damping"):
                yield ["uts", "--tree", "T1", "--transport", transport, "--termination", detector,
                       "--overflow", overflow]
        for owners in (1, 2, 4):
            for queue in (64, 256) if quick else (64, 128, 256):
                yield ["uts", "--tree", "T1", "--transport", transport, "--owners", owners,
                       "--public-queue", queue]


FIGURE_WORKERS = (16, 132, 264, 528, 792)


def detectors(quick):
    for transport in ("p2p", "host"):
        for detector in ("counter", "tree", "hierarchical"):
            for overflow in ("probe", "damping"):
                for workers in (132, 792) if quick else FIGURE_WORKERS:
                    yield ["memset", "--tasks", 1 << 20, "--transport", transport, "--termination", detector,
                           "--overflow", overflow, "--workers", workers]


def queues(quick):
    for transport in ("p2p", "host"):
        for owners, queue in ((1, 256), (1, 128), (1, 64), (2, 256), (4, 256)):
            for workers in (132, 792) if quick else FIGURE_WORKERS:
                yield ["memset", "--tasks", 1 << 20, "--transport", transport, "--owners", owners,
                       "--public-queue", queue, "--workers", workers]


def ways():
    """Queues and tasks in each memory, and no queues."""
    for where in ("device", "host"):
        for how in (("--transport", "p2p"), ("--transport", "host"), ("--direct=one",),
                    ("--direct=bulk",)):
            yield [*how, "--tasks-in", where]


def memories(quick):
    for way in ways():
        for workers in (132, 792) if quick else FIGURE_WORKERS:
            yield ["memset", "--tasks", 1 << 20, *way, "--workers", workers]


def search(quick):
    for repeat in (10,) if quick else (10, 200):
        for way in ways():
            for workers in (132, 528, 792):
                yield ["contains", *CORPUS, "--width", "warp", *way, "--repeat", repeat, "--workers", workers]


TWICE = "gpu:0,gpu:0"


def steals(quick):
    for tree in ("T1", "T1L") if quick else ("T1", "T1L", "T1XL"):
        for workers in (132, 264, 528, 792):
            for overflow in ("probe", "damping"):
                yield ["uts", "--tree", tree, "--workers", workers, "--overflow", overflow]
            yield ["uts", "--tree", tree, "--devices", TWICE, "--workers", workers // 2]


def twice(quick):
    for tree in ("T1", "T1L") if quick else ("T1", "T1L", "T1XL"):
        yield ["uts", "--tree", tree, "--workers", 792]
        for steal in ("uniform", "bias=0.75"):
            yield ["uts", "--tree", tree, "--devices", TWICE, "--workers", 396, "--steal", steal]
    for tasks in (1 << 20, 1 << 26):
        yield ["memset", "--tasks", tasks, "--workers", 792]
        for how in ((), ("--direct=bulk",)):
            yield ["memset", "--tasks", tasks, "--devices", TWICE, "--workers", 396, *how]


def crowd(quick):
    loops = [["loop", "--n", n, "--base", base, "--pattern", pattern]
             for n, base in ((1 << 19, 16384), (1 << 22, 1024))
             for pattern in ("uniform", "triangle", "heavy-last", "every-16th")]
    trees = [["uts", "--tree", tree] for tree in (("T1", "T3") if quick else ("T1", "T3", "T1XL"))]
    for words in (*loops, *trees, ["spawn-tree", "--depth", 26], ["memset", "--tasks", 1 << 20]):
        for workers in CROWDS:
            yield [*words, "--workers", workers]
        yield words


def joins(quick):
    keys = 1_000_000 if quick else 100_000_000
    yield ["fib", "--n", 30 if quick else 40]
    yield ["cilksort", "--keys", keys]
    yield ["quicksort", "--keys", keys]
    yield ["dijkstra"]


def orders(quick):
    # Of CPU workers the newest first may take longer than --limit.
    for nodes in (1 << 13, 1 << 18, *(() if quick else (1 << 22,))):
        for order in ("buckets", "priority", "oldest", "newest"):
            yield ["dijkstra", "--nodes", nodes, "--order", order]


def finish(quick):
    for words in (["spawn-tree", "--depth", 20 if quick else 27],
                  *(["uts", "--tree", tree] for tree in (("T1",) if quick else ("T1", "T1XL")))):
        yield words
        yield [*words, "--finish"]


def bridge(quick):
    tree = "T1L" if quick else "T1XL"
    processors = len(os.sched_getaffinity(0))
    for words in (["uts", "--tree", tree], ["nqueens", "--n", 14 if quick else 17],
                  ["contains", *CORPUS], ["contains", "--data", "host", *CORPUS],
                  ["memset", "--tasks", 1 << 26], ["memset", "--tasks", 1 << (26 if quick else 28)],
                  ["memset", "--data", "host", "--bulk", "--tasks", 1 << (26 if quick else 28)],
                  ["bpc", "--depth", 10, "--consumers", 2048, "--consumer-time", 5000],
                  ["md", "--atoms", 1 << 17], ["md", "--atoms", 1 << 17, "--search", "all"],
                  ["cilksort", "--keys", 10_000_000], ["quicksort", "--keys", 10_000_000]):
        for cpu in ("", "cpu:4,", f"cpu:{processors - 1},"):
            yield [*words, "--devices", f"{cpu}gpu:0"]
    for apart in ("kind", "each"):
        yield ["uts", "--tree", tree, "--devices", TWICE, "--workers", 330, "--domains", apart,
               "--termination", "counter"]


def clique(quick):
    def random(n, *more):
        return ["clique", "--n", n, "--p", 0.6, *more]

    for n, size in ((300, 15),) if quick else ((500, 17), (600, 17)):
        for width in ("warp", "lane"):
            yield random(n, "--width", width, "--expect", size)
    for _ in range(2):
        for bound in ("fixed", "shared"):
            yield random(*((300, "--start", 15) if quick else (600, "--start", 17)), "--bound", bound, "--expect",
                         15 if quick else 17)
    for graph in ("keller4", "hamming8-4", "johnson16-2-4", "hamming10-2"):
        yield ["clique", "--graph", graph]
    # One core takes a minute for it.
    yield random(300 if quick else 650, "--sequential")
    if not quick:
        yield random(1000, "--expect", 19, "--repeat", 3, "--timeout", 100)
        yield random(1000, "--expect", 19, "--repeat", 1, "--timeout", 100, "--width", "lane", "--warmup", 0)


PARTS = {f.__name__: f for f in (memset, host, uts, spawning, contains, termination, detectors, queues,
                                 memories, search, steals, twice, crowd, joins, orders, finish, clique, bridge)}


def main():
    parser = arguments(__doc__, PARTS)
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--corpus", help="for contains: an index instead of a synthetic corpus")
    parser.add_argument("--word", default="needle", help="to look for in it")
    asked = parser.parse_args()
    if asked.quick:
        CORPUS[1] = 20000
    if asked.corpus is not None:
        CORPUS[:] = ["--corpus", asked.corpus, "--word", asked.word]

    def commands_of(part):
        for words in part(asked.quick):
            repeats = [] if "--repeat" in words else ["--repeat", 3 if asked.quick else 5]
            devices = [] if "--devices" in words else ["--devices", asked.device]
            yield [*words, *repeats, *devices]

    if asked.part is None:
        asked.part = [part for part in PARTS if part != "bridge"]
    measure_parts(asked, PARTS, "gpu", commands_of)


if __name__ == "__main__":
    main()
