"""The figures of the evaluation: what each paper claims, and the commands that answer it here.

One entry is one figure; `python3 tools/evaluation/evaluate.py --list` prints them. Words of commands
are mgws-bench's, but for the devices, which the place adds: the same entry serves CPU and GPU."""

import finding
from figure import Figure, Point
from machine import SDC_BENCH

THRICE = ("--repeat", 3)
FIVE = ("--repeat", 5)


def repeats(quick, times=5):
    return ("--repeat", min(times, 3) if quick else times)


def memset(place, quick):
    return ["memset", "--tasks", 1 << (18 if quick and place.cpu else 20)]


def articles(place, quick, few=False, width="warp"):
    """The thesis' corpus: 100,000 articles, of which two in five have the word. As there, a task is an article,
    and a warp's."""
    n = 100000 if not place.cpu else 20000
    if quick or few:
        n //= 4
    return ["contains", "--synthetic", n, "--mean-bytes", 7000, "--fraction", 0.4, "--corpus-seed", 1, "--piece", 0,
            "--width", width]


def tree(place, quick, large=False):
    if place.cpu:
        return ["uts", "--tree", "T3"]
    return ["uts", "--tree", "T1" if not large else "T1L" if quick else "T1XXL"]


def spawned(place, quick):
    depth = (16 if quick else 19) if place.cpu else 24
    return ["spawn-tree", "--depth", depth]


def bouncing(place, quick):
    """Where it is one problem of several: fewer and shorter tasks than the paper's."""
    depth, consumers = ((20, 64) if quick else (50, 128)) if place.cpu else (100, 8192)
    return ["bpc", "--depth", depth, "--consumers", consumers, "--producer-time", 10,
            "--consumer-time", 50]


def papers_bouncing(place, quick, few=False):
    """The paper's 500 producers of 8,192 consumers, which take 5.7 hours of one core: not on a processor."""
    if place.cpu:
        return bouncing(place, quick)
    depth, consumers = (10, 1024) if few else (50 if quick else 500, 8192)
    return ["bpc", "--depth", depth, "--consumers", consumers, "--producer-time", 1000,
            "--consumer-time", 5000]


def counts(place, quick, least=1):
    """Numbers of workers; `least` of a GPU, where fewer would take minutes."""
    return [n for n in place.counts(quick) if place.cpu or n >= least]


def shared(place, quick):
    """Problems of which workers must take from each other, and the thesis' own; by how many workers."""
    yield "memset", memset(place, quick), counts(place, quick)
    yield "uts", tree(place, quick), counts(place, quick)
    yield "bpc", bouncing(place, quick), counts(place, quick, 132)
    yield "spawn-tree", spawned(place, quick), counts(place, quick)


def detectors(transport=()):
    def points(place, quick):
        for panel, words, workers in shared(place, quick):
            for detector in ("counter", "tree", "hierarchical"):
                for overflow in ("probe", "damping"):
                    for n in workers:
                        yield Point(panel, f"{detector}, {overflow}",
                                    [*words, *transport, "--termination", detector, "--overflow",
                                     overflow, *place.one(n), *repeats(quick)])
    return points


def queues(transport=()):
    def points(place, quick):
        for panel, words, workers in shared(place, quick):
            for owners, queue in ((1, 256), (1, 128), (1, 64), (2, 256), (4, 256)):
                for n in workers:
                    yield Point(panel, f"{owners} owner{'s'[:owners > 1]}, {queue} slots",
                                [*words, *transport, "--owners", owners, "--public-queue", queue,
                                 *place.one(n), *repeats(quick)])
    return points


STATIC = (("one by one, fixed shares", "--direct=one"), ("in batches, fixed shares", "--direct=bulk"))


def ways(place):
    """Queues and tasks in each memory that the device reaches, and no queues."""
    yield "queues", []
    if not place.cpu:
        yield "queues in host memory", ["--transport", "host"]
        yield "queues, tasks in host memory", ["--tasks-in", "host"]
        if place.remote:
            yield "queues in another GPU's memory", ["--transport", "remote"]
    for series, option in STATIC:
        yield series, [option]


def by_ways(words_of, times, least=1, blocks=False):
    def points(place, quick):
        for series, way in ways(place):
            yield from of_way(words_of, place, quick, series, way, times, least)
        if blocks:
            yield from by_blocks(words_of, place, quick, "queues", [], times, least)
    return points


def of_way(words_of, place, quick, series, way, times, least):
    for n in counts(place, quick, least):
        yield Point("", series, [*words_of(place, quick), *way, *place.one(n), *repeats(quick, times)])


def by_blocks(words_of, place, quick, series, way, times, least):
    def words(place, quick):
        return words_of(place, quick, width="block")
    yield from of_way(words, place, quick, f"{series}, a block an article", way, times, least)


def few_articles(place, quick, width="warp"):
    return articles(place, quick, few=True, width=width)


def without_queues(words_of, times, least=1):
    def points(place, quick):
        series = [("stealing", ()), *((s, (o,)) for s, o in STATIC)]
        for name, way in series:
            yield from of_way(words_of, place, quick, name, way, times, least)
        for name, way in series if not place.cpu else ():  # whose workers have one lane
            yield from by_blocks(words_of, place, quick, name, way, times, least)
    return points


def both(words_of, times, least=1):
    """The thesis' ways to use two devices."""
    def points(place, quick):
        for n in place.pair_counts(quick):
            if not place.cpu and n < least:
                continue
            for i in (0, 1):
                yield Point("", f"device {i} alone", [*words_of(place, quick), *place.one(n, i),
                                                      *repeats(quick, times)])
            for steal in ("uniform", "none", "local", "bias=0.75"):
                yield Point("", steal, [*words_of(place, quick), *place.two(n), "--steal", steal,
                                        *repeats(quick, times)])
            for series, option in STATIC:
                yield Point("", series, [*words_of(place, quick), *place.two(n), option,
                                         *repeats(quick, times)])
    return points


def mixed(words_of, times):
    """GPUs, and CPU workers beside them, as many on each side as the processor has; all that they share lies in
    the host's memory."""
    def points(place, quick):
        words = [*words_of(place, quick), "--data", "host"]
        for n in counts(place, quick, 16):
            yield Point("", "GPU alone", [*words, *place.one(n), *repeats(quick, times)])
            for steal in ("uniform", "none"):
                yield Point("", steal, [*words, *place.beside(n), "--steal", steal, *repeats(quick, times)])
    return points


def alike(words_of):
    def points(place, quick):
        for n in place.counts(quick):
            for i in (0, 1):
                yield Point("", f"device {i}", [*words_of(place, quick), *place.one(n, i),
                                                *repeats(quick)])
    return points


def by_workers(words_of, times=10, least=1):
    def points(place, quick):
        for n in counts(place, quick, least):
            yield Point("", "mgws", [*words_of(place, quick), *place.one(n), *repeats(quick, times)])
    return points


def by_queues(problems):
    """By workers, and by the queue with a lock in turn where there is one. problems(place, quick) yields
    panels, words, the least number of a GPU's workers, and the runs."""
    def points(place, quick):
        for panel, words, least, runs in problems(place, quick):
            for n in counts(place, quick, least):
                for series, program in (("SWS", "mgws-bench"), ("SDC", SDC_BENCH)):
                    if series == "SWS" or place.sdc:
                        yield Point(panel, series, [*words, *place.one(n), *runs], program)
    return points


def volumes(place, quick):
    yield Point("", "", ["--on", "cpu" if place.cpu else "gpu", "--rounds", 3 if quick else 7,
                         "--steals", 201 if quick else 1001], "mgws-steals")


def bouncing_by_queues(place, quick):
    """A run takes a GPU up to five seconds."""
    yield "", papers_bouncing(place, quick), 132, repeats(quick, 10 if place.cpu else 5)


def trees_by_queues(place, quick):
    """T1WL takes a GPU ten seconds with all workers, and 132 of them longer than a command may."""
    yield "" if place.cpu else "T1L" if quick else "T1XXL", tree(place, quick, large=True), 132, repeats(quick, 10)
    if not place.cpu and not quick:
        yield "T1WL", ["uts", "--tree", "T1WL"], 528, ("--repeat", 2, "--warmup", 0)


def characteristics(place, quick):
    yield Point("bpc", "mgws", [*papers_bouncing(place, quick, few=True), *place.one(1), *THRICE])
    yield Point("uts", "mgws", [*tree(place, quick), *place.one(1), *THRICE])


def uneven(place, quick):
    """Loops that no equal shares balance, and one that they do."""
    n = (1 << 14 if quick else 1 << 17) if place.cpu else 1 << 22
    for pattern in ("uniform", "ramp-up", "heavy-last", "geometric", "random-blocks"):
        yield pattern, ["loop", "--n", n, "--base", 256, "--pattern", pattern]


def migration(place, quick):
    for panel, words in (*uneven(place, quick), ("contains", articles(place, quick, few=True))):
        for steal in ("none", "uniform"):
            for n in place.counts(quick):
                if n > 1:
                    yield Point(panel, steal, [*words, *place.one(n), "--steal", steal, *repeats(quick)])


def weak(place, quick):
    each = (1 << 14 if quick else 1 << 16) if place.cpu else 1 << 15
    for pattern in ("uniform", "random-blocks", "geometric"):
        for steal in ("none", "uniform"):
            for n in place.counts(quick):
                yield Point(pattern, steal, ["loop", "--n", each * n, "--base", 256, "--pattern", pattern,
                                             *place.one(n), "--steal", steal, *repeats(quick)])


def patterns(place, quick):
    n = (1 << 12 if quick else 1 << 15) if place.cpu else 1 << 19
    for pattern in ("P0", "P1", "P2", "P3", "P4"):
        for series, how in (("stealing", []), ("fed by the host", ["--fed", 20]),
                            ("fixed shares", ["--direct=bulk"])):
            yield Point(pattern, series, ["md", "--atoms", n, "--density", "uniform", "--pattern", pattern, *how,
                                          *place.most(), *repeats(quick)])


def queens(place, quick):
    return ["nqueens", "--n", (11 if quick else 13) if place.cpu else 16]


def sort(place, quick):
    return ["quicksort", "--keys", (1 << 18 if quick else 1 << 22) if place.cpu else 1 << 26]


def text(place, quick):
    return ["crypt", "--size", (1 << 20 if quick else 1 << 24) if place.cpu else 1 << 26, "--width", "warp"]


def distances(place, quick):
    return ["dijkstra", "--nodes", (1 << 14 if quick else 1 << 18) if place.cpu else 1 << 21]


def dynamics(place, quick):
    return ["md", "--atoms", (1 << 13 if quick else 1 << 16) if place.cpu else 1 << 19]


def solutions(place, quick):
    """The paper's 1 and 2, and TQ fed by the host and seeded before the run."""
    sizes = ((1 << 12, 1 << 13) if quick else (1 << 14, 1 << 17)) if place.cpu else (1 << 15, 1 << 17, 1 << 19)
    for n in sizes:
        for series, how in (("stealing", []), ("fed by the host", ["--fed", 20]),
                            ("fixed shares", ["--direct=bulk"]),
                            ("fixed shares, random order", ["--direct=bulk", "--order", "random"])):
            yield Point(f"{n} atoms", series, ["md", "--atoms", n, *how, *place.most(), *repeats(quick)])


def of_workers(panel, words_of):
    def points(place, quick):
        yield Point(panel, "mgws", [*words_of(place, quick), *place.most(), *repeats(quick)])
    return points


def every_workload(place, quick):
    small = quick or place.cpu
    for words in (memset(place, quick), articles(place, quick, few=True), tree(place, True, large=True),
                  bouncing(place, quick), queens(place, quick), spawned(place, quick),
                  *(words for _, words in uneven(place, quick)),
                  ["mandelbrot", "--size", "512x384" if small else "4096x3072", "--iterations",
                   500 if small else 20000],
                  ["fib", "--n", 22 if quick else 27 if place.cpu else 35],
                  ["cilksort", "--keys", 1 << (18 if quick else 22 if place.cpu else 26)],
                  sort(place, quick), text(place, quick), distances(place, quick),
                  ["clique", "--graph", "hamming6-2" if quick else "hamming8-4"],
                  ["knapsack", "--items", 30 if quick else 50], dynamics(place, quick),
                  ["taskbench", "--columns", 256 if place.cpu else 8192, "--steps", 100 if quick else 500],
                  ["cholesky", "--n", 256 if quick else 1024 if place.cpu else 4096]):
        name = f"loop {words[words.index('--pattern') + 1]}" if words[0] == "loop" else words[0]
        yield Point(name, "mgws", [*words, *place.most(), *repeats(quick)])


def simulated(_, quick):
    for workers in (16, 128) if quick else (16, 128, 1000, 4224):
        for pattern in ("uniform", "heavy-last", "geometric"):
            yield Point("", pattern, ["loop", "--lanes", 4, "--grain", 4, "--devices", 1, "--workers",
                                      workers, "--n", 80 * workers, "--base", 4096, "--pattern", pattern],
                        "mgws-sim")


def beside_peers(place, quick):
    """Each takes the better part of a minute: the sides run in turn, five times, each warm. By one worker
    only those whose tasks are empty: what is left of that comparison is the cost of a task."""
    for workload in ("fib", "loop") if quick else ("uts", "nqueens", "memset", "spawn-tree", "fib", "loop", "crypt"):
        one_too = not quick and workload in ("memset", "spawn-tree", "fib")
        for workers in place.first_and_most()[0 if one_too else -1:]:
            yield Point("", f"{workload}, {workers}", ["--workloads", workload, "--workers", workers,
                                                       *(["--quick"] if quick else [])], "compare.py")


def litmus(_, quick):
    yield Point("", "", ["--devices", "all", *(["--quick"] if quick else [])], "mgws-probe")


def costs(*_):
    yield Point("", "", ["--devices", "all"], "mgws-probe")


def areas(place, _):
    yield Point("", "mgws", ["memset", "--tasks", 1 << 16, *place.most(), *THRICE])


def full_load(place, quick):
    """A command a minute, and so within the limit of one. As each has a seed of its own, none is taken for
    another that is done."""
    for minute in range(1, (2 if quick else 60 if place.cpu else 20) + 1):
        yield Point("", f"minute {minute}", [*tree(place, quick, large=True), *place.most(), "--seed", minute,
                                             "--busy", 2 if quick else 45, "--repeat", 10])


def minutes(place):
    return (f"{'An hour of all processors' if place.cpu else 'Twenty minutes'}, a command a minute: verified runs "
            "for 45 seconds, then those that are timed.")


def own_memory(place):
    return ("A processor's own memory is the host's: its queues lie there. memset is the thesis' "
            "workload; of the others workers must take tasks from each other." if place.cpu else "")


def two(place):
    return place.pair_says


def synthetic(place):
    return ("A synthetic corpus stands for the German Wikipedia"
            + (", of a fifth of its articles or less." if place.cpu else "."))


def without_lock(place):
    return "" if place.sdc else " SDC is another build (--sdc), and not measured."


def cut(place):
    return ("Tasks of 50 and 10 us instead of 5 and 1 ms, and fewer." if place.cpu else
            "With --quick 50 producers instead of 500.") + without_lock(place)


def few(place):
    """Of the table, which is about one worker."""
    return (("Tasks of 50 and 10 us instead of 5 and 1 ms, and fewer; T3" if place.cpu else
             "10 producers of 1,024 consumers; T1") + " stands for T1WL. The time of a task is a worker's.")


def another_tree(place):
    return ("T3 stands for T1WL." if place.cpu else
            "T1WL by 528 workers and more, two runs each; T1XXL, or T1L with --quick, by fewer, too."
            ) + without_lock(place)


def one_thief(place):
    return ("One owner and one thief, "
            + ("one thread, and two on processors of their own."
               if place.cpu else
               "two blocks of one GPU; of a peer's memory only where a second GPU reaches the first one's."))


SECOND_GPU = ("remote",)
MIXED = ("As many workers on both sides, as far as there are processors. All tasks begin on the GPU; fixed "
         "shares do not cross to another domain.")

FIGURES = (
    Figure("mgws-table-1", "mgws", "Table 1", "what memory costs a worker",
           "Host memory reached over the bus costs a GPU many times what its own memory does.",
           costs, ("gpu", "probe"), plot="none", table="costs", finding=finding.costs),
    Figure("mgws-table-5", "mgws", "Table 5", "the orchestration's memory by area",
           "Queues and their words take a known area each, of which the queues are by far the largest.",
           areas, plot="none", finding=finding.memory),
    Figure("mgws-tables-6-7", "mgws", "Tables 6 and 7, figure 7", "a vote that ends a run too early",
           "A worker that votes while it steals can end a run that has work left, unless a rule forbids it.",
           shown_in="docs/verification.md"),
    Figure("mgws-section-6-4", "mgws", "Section 6.4", "an hour at full load",
           "A GPU full of idle persistent workers keeps its clock for an hour, at 79 C and 203 W.",
           full_load, stand_in=minutes, plot="none", finding=finding.load, on_request=True),
    Figure("mgws-8", "mgws", "Figure 8", "detectors and overflow, queues in the device's memory",
           "The counter is 61 to 74 % faster than the tree; how overflow is prevented makes no difference.",
           detectors(), stand_in=own_memory,
           finding=finding.over(("counter, probe", "tree, probe"), ("counter, damping", "counter, probe"),
                                ("hierarchical, probe", "counter, probe"))),
    Figure("mgws-9", "mgws", "Figure 9", "the same, queues in another GPU's memory",
           "The counter is 34 to 42 % faster up to 32 workers, 10 % with 80; overflow makes no difference.",
           detectors(("--transport", "remote")), SECOND_GPU,
           finding=finding.over(("counter, probe", "tree, probe"), ("counter, damping", "counter, probe"))),
    Figure("mgws-10", "mgws", "Figure 10", "the same, queues in host memory",
           "From four workers on detectors and overflow prevention make no difference.",
           detectors(("--transport", "host")), ("gpu",),
           finding=finding.over(("counter, probe", "tree, probe"), ("counter, damping", "counter, probe"))),
    Figure("mgws-11", "mgws", "Figure 11", "owners and sizes of queues, in the device's memory",
           "All are close; smaller queues cost less than queues that several workers own.",
           queues(), stand_in=own_memory,
           finding=finding.over(("1 owner, 64 slots", "1 owner, 256 slots"),
                                ("4 owners, 256 slots", "1 owner, 256 slots"))),
    Figure("mgws-12", "mgws", "Figure 12", "the same in another GPU's memory, tasks in host memory",
           "With many workers queues of 64 slots and those of four owners are best.",
           queues(("--transport", "remote", "--tasks-in", "host")), SECOND_GPU, finding=finding.best()),
    Figure("mgws-13", "mgws", "Figure 13", "the same, tasks in that GPU's memory",
           "Shared ownership is far behind with few workers, ahead with many.",
           queues(("--transport", "remote", "--tasks-in", "remote")), SECOND_GPU, finding=finding.best()),
    Figure("mgws-14", "mgws", "Figure 14", "the same, queues in host memory",
           "Smaller queues are up to 17 % faster, shared ones slower.",
           queues(("--transport", "host")), ("gpu",),
           finding=finding.over(("1 owner, 64 slots", "1 owner, 256 slots"),
                                ("2 owners, 256 slots", "1 owner, 256 slots"))),
    Figure("mgws-15", "mgws", "Figure 15", "two GPUs, each alone, regular work",
           "Two GPUs of one family are as fast as each other, worker by worker.",
           alike(memset), ("gpus",), finding=finding.over(("device 1", "device 0"))),
    Figure("mgws-16", "mgws", "Figure 16", "two GPUs, each alone, irregular work",
           "The same holds where tasks differ.",
           alike(articles), ("gpus",), stand_in=synthetic,
           finding=finding.over(("device 1", "device 0"))),
    Figure("mgws-17", "mgws", "Figure 17", "empty tasks by memory, and without queues",
           "Queues in device memory are up to 246 times as fast as in host memory; without queues empty "
           "tasks run up to 48 % faster still.",
           by_ways(memset, 5), stand_in=own_memory,
           finding=finding.over(("one by one, fixed shares", "queues"),
                                ("in batches, fixed shares", "queues"),
                                ("queues in host memory", "queues"))),
    Figure("mgws-18", "mgws", "Figure 18", "text search by memory, 10 runs",
           "Runs differ much, wherever the queues lie.",
           by_ways(articles, 10, blocks=True), ("gpu",), stand_in=synthetic, metrics=("rate", "spread"),
           finding=finding.best()),
    Figure("mgws-19", "mgws", "Figure 19", "text search by memory, 200 runs",
           "With many workers device memory is fastest, before another GPU's and the host's.",
           by_ways(articles, 200, least=16, blocks=True), ("gpu",), stand_in=synthetic, finding=finding.best()),
    Figure("mgws-20", "mgws", "Figure 20", "text search against fixed shares, 10 runs",
           "Work stealing is mostly ahead of fixed shares, by up to 41 %.",
           without_queues(articles, 10), stand_in=synthetic,
           finding=finding.over(("stealing", "one by one, fixed shares"),
                                ("stealing", "in batches, fixed shares"),
                                ("stealing, a block an article", "stealing"))),
    Figure("mgws-21", "mgws", "Figure 21", "text search against fixed shares, 200 runs",
           "On average work stealing is ahead.",
           without_queues(few_articles, 200, least=16), stand_in=synthetic, metrics=("rate", "spread"),
           finding=finding.over(("stealing", "one by one, fixed shares"),
                                ("stealing", "in batches, fixed shares"),
                                ("stealing, a block an article", "stealing"))),
    Figure("mgws-table-8", "mgws", "Table 8", "numbers of workers on several devices",
           "The workers of each device are doubled up to its compute units.",
           shown_in="the columns of the tables below"),
    Figure("mgws-22", "mgws", "Figure 22", "two devices, regular work",
           "Whom workers may steal from makes no difference; through host memory fixed shares win clearly.",
           both(memset, 5), ("pair",), stand_in=two,
           finding=finding.over(("local", "uniform"), ("none", "uniform"), ("bias=0.75", "uniform"),
                                ("in batches, fixed shares", "uniform"), ("uniform", "device 0 alone"))),
    Figure("mgws-23", "mgws", "Figure 23", "GPUs and CPU together, regular work",
           "Up to 48 workers work stealing is ahead of fixed shares.",
           mixed(memset, 5), ("mixed",), stand_in=MIXED,
           finding=finding.over(("uniform", "GPU alone"), ("uniform", "none"))),
    Figure("mgws-24", "mgws", "Figure 24", "two devices, text search, 10 runs",
           "Runs differ much in all configurations.",
           both(articles, 10), ("pair",), stand_in=two, metrics=("rate", "spread"),
           finding=finding.over(("uniform", "none"), ("uniform", "in batches, fixed shares"),
                                ("uniform", "device 0 alone"))),
    Figure("mgws-25", "mgws", "Figure 25", "two devices, text search, 200 runs",
           "All but no stealing and no queues are alike.",
           both(few_articles, 200, least=16), ("pair",), stand_in=two,
           finding=finding.over(("uniform", "none"), ("local", "uniform"), ("bias=0.75", "uniform"),
                                ("uniform", "in batches, fixed shares"))),
    Figure("mgws-26", "mgws", "Figure 26", "GPUs and CPU together, text search",
           "Most configurations differ much from run to run.",
           mixed(few_articles, 10), ("mixed",), stand_in=MIXED, metrics=("rate", "spread"),
           finding=finding.over(("uniform", "GPU alone"), ("uniform", "none"))),
    Figure("mgws-27", "mgws", "Figure 27", "slower and faster host memory",
           "Through host memory the rate follows the memory's bandwidth.",
           lacks="a machine on which the speed of memory can be set",
           part=finding.placed({f"mgws-{n}": f"figure {n}" for n in (17, 18, 19)})),
    Figure("mgws-appendix", "mgws", "Appendix C", "whether devices may share a lock",
           "Over the bus GPUs break a lock made of system-scope atomics, though the driver allows it.",
           litmus, ("probe",), plot="none", table="litmus", finding=finding.litmus),

    Figure("sws-table-2", "sws", "Table 2", "tasks of the two benchmarks",
           "BPC has 2.5 million tasks of 5 ms in 32 bytes, UTS 271 billion of 0.11 us in 48.",
           characteristics, plot="none", stand_in=few, finding=finding.characteristics),
    Figure("sws-6", "sws", "Figure 6", "time of a steal by volume, SDC and SWS",
           "Small steals take SWS half as long as SDC; large ones are dominated by the copy.",
           volumes, ("steals",), stand_in=one_thief, plot="volumes", table="volumes", finding=finding.volumes),
    Figure("sws-7", "sws", "Figure 7", "bouncing producer-consumer by workers",
           "Efficiency stays high up to 2,112 cores, runs differ by under 0.2 %, and steal time stays flat.",
           by_queues(bouncing_by_queues), stand_in=cut,
           metrics=("rate", "ms", "efficiency", "spread", "stealing", "searching"),
           finding=finding.all_of(finding.most("efficiency", "spread", "steal", "searching"),
                                  finding.over(("SDC", "SWS"), metric="ms"))),
    Figure("sws-8", "sws", "Figure 8", "tree search by workers",
           "9 % faster than SDC, with a third to a quarter of its steal time and flat search time.",
           by_queues(trees_by_queues), stand_in=another_tree,
           metrics=("rate", "ms", "efficiency", "spread", "stealing", "searching"),
           finding=finding.all_of(finding.most("efficiency", "spread", "steal", "searching"),
                                  finding.over(("SDC", "SWS"), metric="ms"))),

    Figure("john-8", "john", "Figure 8, equation 1", "imbalance without migration, and what migration gains",
           "The more tasks differ in number between devices without migration, the more migration gains.",
           migration, ("workers",), metrics=("imbalance", "ms"), plot="bars",
           stand_in="Workers stand for GPUs; work stealing for migration.",
           finding=finding.over(("none", "uniform"), metric="ms")),
    Figure("john-9", "john", "Figure 9", "work that grows with the devices",
           "With migration left to a second thread, efficiency holds as devices are added.",
           weak, metrics=("weak",), stand_in="Irregular loops stand for block-sparse products.",
           finding=finding.most("weak")),
    Figure("john-others", "john", "Figures 3 to 7, 10 to 20, tables 1 to 3",
           "block-sparse and dense products, Cholesky",
           "Migration pays where the mapping is uneven and does no harm where it is even.",
           not_built="block-sparse products and versioned copies of data"),

    Figure("chatterjee-2", "chatterjee", "Figure 2", "n-queens by devices",
           "n-queens gets faster with each of up to three GPUs.",
           by_workers(queens, 5, least=132), stand_in="By workers of one device.", metrics=("ms", "efficiency"),
           finding=finding.most("efficiency")),
    Figure("chatterjee-3", "chatterjee", "Figure 3", "tasks of each multiprocessor, n-queens",
           "All multiprocessors run about as many tasks.",
           of_workers("n-queens", queens), plot="workers", finding=finding.spread_of_tasks),
    Figure("chatterjee-4", "chatterjee", "Figure 4", "quicksort by devices",
           "A plain quicksort on the runtime is ahead of a tuned one for large arrays.",
           by_workers(sort, 5, least=132), stand_in="By workers of one device; the tuned one is not there.",
           metrics=("ms", "efficiency"), finding=finding.most("ms", "efficiency")),
    Figure("chatterjee-5", "chatterjee", "Figure 5", "IDEA encryption by devices",
           "Work that is parallel anyway loses little by the runtime.",
           by_workers(text, 5, least=132), stand_in="By workers of one device. On the processor the "
           "comparison with other runtimes has it, too.", metrics=("ms", "efficiency"),
           finding=finding.most("ms", "efficiency")),
    Figure("chatterjee-6", "chatterjee", "Figure 6", "tasks of each multiprocessor, shortest paths",
           "From one task on one worker all multiprocessors get equal shares.",
           of_workers("shortest paths", distances), plot="workers", finding=finding.spread_of_tasks),

    Figure("chen-3-4", "chen", "Figures 3 and 4", "what copies, fences and atomics cost",
           "Asynchronous copies over the bus take 5 to 10 times as long as synchronous ones; an atomic "
           "takes 0.33 us.",
           costs, ("gpu", "probe"), plot="none", table="costs", finding=finding.costs),
    Figure("chen-7", "chen", "Figure 7", "patterns of unequal load",
           "Where three quarters of the work are away, a task queue takes 75 % less time, the hardware's "
           "scheduler 48 % less.",
           patterns, metrics=("ms",), plot="bars", stand_in="Fixed shares stand for the hardware's scheduler "
           "(the comparison with kernels has that one); the shapes of P1, P2 and P3 are our own.",
           finding=finding.over(("stealing", "fixed shares"), ("fed by the host", "fixed shares"),
                                metric="ms")),
    Figure("chen-5", "chen", "Figure 5", "molecular dynamics by size, one GPU",
           "For 512K atoms a task queue takes 10 % less time than one launch, which takes 74 % more if atoms "
           "are in random order.",
           solutions, metrics=("ms",), plot="bars", stand_in="Fixed shares stand for the hardware's "
           "scheduler; the cut-off, the density and the search for neighbours are our own.",
           finding=finding.over(("stealing", "fixed shares"), ("fed by the host", "fixed shares"),
                                ("stealing", "fixed shares, random order"), metric="ms")),
    Figure("chen-8", "chen", "Figures 8, 9 and 10", "molecular dynamics on several GPUs",
           "A task queue is 2.45 times as fast as fixed shares on four GPUs.",
           both(dynamics, 5, least=16), ("pair",), stand_in=two, metrics=("ms", "imbalance"),
           finding=finding.over(("uniform", "in batches, fixed shares"), ("uniform", "device 0 alone"),
                                metric="ms")),

    Figure("own-peers", "own", "Comparison", "beside oneTBB, OpenMP and a plain loop",
           "No paper's: what a task costs here and in other runtimes, in turn on the same processor.",
           beside_peers, ("peers",), plot="peers", table="peers", finding=finding.peers),
    Figure("own-balance", "own", "Balance", "busy part, imbalance and tasks a worker, by workload",
           "No paper's: workers that are busy all the time need not have run as many tasks.",
           every_workload, metrics=("busy", "imbalance"), plot="workloads",
           finding=finding.spread_of_tasks),
    Figure("own-simulated", "own", "Simulation", "balance of more workers than this machine has",
           "No paper's: how near the end of a loop comes to what any scheduler could reach.",
           simulated, ("sim",), metrics=("busy", "bound"),
           stand_in="Virtual time: no clock of this machine is in it.", finding=finding.most("busy", "bound")),
)
