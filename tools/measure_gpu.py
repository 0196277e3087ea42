#!/usr/bin/env python3
"""Measures mgws-bench on one GPU, every run verified, into files for tools/tables.py.

usage: measure_gpu.py MGWS_BENCH FOLDER [--part NAME ...] [--device gpu:0] [--quick]

A part is written to FOLDER/gpu-NAME.json as a list of mgws-bench's JSON; of the workers' statistics,
of which there are thousands, the sums are kept. Parts:
  memset       tasks of one store, by number of workers, against static assignment
  host         the same with queues in host memory
  uts          named trees; lane, warp and block tasks
  spawning     nqueens and spawn-tree
  contains     text search by number of workers, against static assignment
  termination  detectors, damping, owners and queue sizes, in both memories"""

from measuring import arguments, measure_parts

WORKERS = (1, 16, 80, 132, 528, 1056, 2112)
BALANCED = ((), ("--direct=one",), ("--direct=bulk",))


def memset(quick):
    for tasks, workers_of in ((1 << 20, WORKERS), (1 << 26, () if quick else (132, 528, 2112))):
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
        for workers in (132, 1056, 2112):
            yield ["memset", "--tasks", 1 << 26, "--workers", workers, "--transport", "host",
                   "--tasks-in", "host"]
            yield ["memset", "--tasks", 1 << 26, "--workers", workers, "--tasks-in", "device", *apart]
    for tree in ("T1",) if quick else ("T1", "T1L", "T3"):
        yield ["uts", "--tree", tree, "--transport", "host"]
        yield ["uts", "--tree", tree, *apart]


def uts(quick):
    for tree in ("T1", "T3", "T1L") if quick else ("T1", "T3", "T1L", "T3L", "T1XL"):
        yield ["uts", "--tree", tree]
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
    for width in ("warp", "block"):
        yield ["spawn-tree", "--depth", depth - 4, "--width", width]


def contains(quick):
    corpus = ["--synthetic", 20000 if quick else 300000, "--mean-bytes", 7000, "--fraction", 0.1,
              "--corpus-seed", 1]
    for workers in (132, 528, 2112):
        for how in BALANCED:
            yield ["contains", *corpus, "--workers", workers, *how]
    for width in ("lane", "warp", "block"):
        yield ["contains", *corpus, "--width", width]
    if not quick:
        yield ["contains", *corpus, "--repeat", 200]


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


PARTS = {f.__name__: f for f in (memset, host, uts, spawning, contains, termination)}


def main():
    parser = arguments(__doc__, PARTS)
    parser.add_argument("--device", default="gpu:0")
    asked = parser.parse_args()

    def commands_of(part):
        for words in part(asked.quick):
            repeats = [] if "--repeat" in words else ["--repeat", 3 if asked.quick else 5]
            yield [*words, *repeats, "--devices", asked.device]

    measure_parts(asked, PARTS, "gpu", commands_of)


if __name__ == "__main__":
    main()
