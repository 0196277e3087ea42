#!/usr/bin/env python3
"""Runs mgws-bench and the same problems on other runtimes, and prints who is how much faster.

Every ratio is made of neighbours in time: the programs of a comparison run in turn (A B A B ...),
each round gives one ratio, and the median of the rounds is reported. The programs verify all their
results themselves; after a wrong one this script's exit code is 1.
"""

import argparse
import datetime
import json
import math
import os
import shlex
import statistics
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from circumstances import Circumstances, processor

# Problem: its workload, and the options that all programs understand alike.
PROBLEMS = {
    "uts T1": ("uts", ["--tree", "T1"]),
    "uts T3": ("uts", ["--tree", "T3"]),
    "nqueens 13": ("nqueens", ["--n", "13"]),
    "memset 2^22": ("memset", ["--tasks", str(1 << 22)]),
    "spawn-tree 21": ("spawn-tree", ["--depth", "21", "--fanout", "2"]),
    "fib 27": ("fib", ["--n", "27"]),
    "crypt 2^24": ("crypt", ["--size", str(1 << 24)]),
    "md 2^18": ("md", ["--atoms", str(1 << 18)]),
    "loop ramp-up": ("loop", ["--n", "262144", "--base", "256", "--pattern", "ramp-up"]),
    "loop heavy-last": ("loop", ["--n", "262144", "--base", "256", "--pattern", "heavy-last"]),
    "loop geometric": ("loop", ["--n", "262144", "--base", "256", "--pattern", "geometric"]),
}
QUICK_PROBLEMS = {
    "uts T1": ("uts", ["--tree", "T1"]),
    "nqueens 12": ("nqueens", ["--n", "12"]),
    "memset 2^20": ("memset", ["--tasks", str(1 << 20)]),
    "spawn-tree 18": ("spawn-tree", ["--depth", "18", "--fanout", "2"]),
    "fib 22": ("fib", ["--n", "22"]),
    "crypt 2^20": ("crypt", ["--size", str(1 << 20)]),
    "md 2^14": ("md", ["--atoms", str(1 << 14)]),
    "loop geometric": ("loop", ["--n", "65536", "--base", "64", "--pattern", "geometric"]),
}
WORKLOADS = ["uts", "nqueens", "memset", "spawn-tree", "fib", "loop", "crypt", "md"]

# Forms in which the runtimes offer a workload; None where there is one form only.
PEER_FORMS = {
    "tbb": {"uts": ["each", "range"], "memset": ["each", "range"], "loop": ["each", "range"],
            "crypt": ["each", "range"], "md": ["each", "range"]},
    "openmp": {
        "uts": ["each", "range"],
        "memset": ["each", "range"],
        "spawn-tree": ["each", "range"],
        "loop": ["each", "range"],
        "crypt": ["each", "range"],
        "md": ["each", "range"],
    },
}
# The same program, compiled by clang, with clang's runtime.
PEER_FORMS["openmp-clang"] = PEER_FORMS["openmp"]
# None of the peers watches its threads; without that mgws, too, works on the thread that calls it.
LIKE_PEERS = ["--timeout", "0"]
# Before a program's runs are timed it runs for so long, what it checks in between not counted: a
# processor that was idle takes its time to come up.
WARM_UP_SECONDS = 0.3
# How long the timed runs of a sample take at least, where they are short.
SAMPLE_SECONDS = 0.1
# The peers make their tasks while the clock runs: so does mgws.
SPAWNED = {"memset": ["--way", "spawn"]}
# Where mgws too can put many tasks into one slot; its uts always does.
BULK = ["memset", "spawn-tree", "crypt"]


class Failure(Exception):
    """A program that did not do its work; the text is one sentence."""


class Contender:
    """A program with the options that make it one side of a comparison."""

    def __init__(self, name, path, options, workers):
        self.name = name
        self.path = path
        self.options = options
        self.workers = workers
        self.seconds = []
        self.tasks = 0
        self.result = None
        self.runtime = None
        self.commit = None
        self.one_run = None  # seconds, about

    def command(self, workload, problem, runs):
        warm_up = 1
        if self.one_run is not None:
            warm_up = max(warm_up, math.ceil(WARM_UP_SECONDS / self.one_run))
            runs = max(runs, math.ceil(SAMPLE_SECONDS / self.one_run))
        return [self.path, workload, *problem, *self.options, "--repeat", str(runs),
                "--warmup", str(warm_up), "--json", "-"]

    def prepare(self, workload, problem):
        """Finds out how long a run takes; no sample."""
        self.sample(workload, problem, 1)
        self.one_run = max(self.seconds.pop(), 1e-4)

    def sample(self, workload, problem, runs):
        """Runs once; the sample is the median of the runs inside."""
        command = self.command(workload, problem, runs)
        try:
            program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True)
        except OSError as error:
            raise Failure(f"{shlex.join(command)}: {error.strerror}") from error
        self.seconds.append(self.finish(program))

    def finish(self, program):
        """Waits for a program that was started, and returns its seconds."""
        shown = shlex.join(program.args)
        out, err = program.communicate()
        if program.returncode != 0:
            said = err.strip().splitlines()
            why = said[-1] if said else "nothing said"
            raise Failure(f"{shown}: exit code {program.returncode}: {why}")
        try:
            report = json.loads(out)
            summary = report["summary"]
            if not summary["verified"]:
                raise Failure(f"{shown}: wrong result {summary['result']}")
            # The peers' clocks stand around the call; so does this one of ours.
            seconds = summary.get("call_seconds", summary["seconds"])["median"]
            self.tasks = summary["tasks"]
            result = summary["result"]
        except (ValueError, KeyError, TypeError) as error:
            raise Failure(f"{shown}: no report of schema 1 ({error!r})") from error
        if self.result not in (None, result):
            raise Failure(f"{shown}: result {result} after {self.result}")
        self.result = result
        self.runtime = report.get("runtime", "mgws " + str(report.get("version")))
        self.commit = report.get("commit")
        return seconds

    def nanoseconds(self):
        return statistics.median(self.seconds) * 1e9 / self.tasks

    def record(self, workload, problem, runs):
        return {
            "program": self.name,
            "runtime": self.runtime,
            "workers": self.workers,
            "command": shlex.join([os.path.basename(self.path),
                                   *self.command(workload, problem, runs)[1:]]),
            "commit": self.commit,
            "tasks": self.tasks,
            "result": self.result,
            "seconds": self.seconds,
            "ns_per_task": self.nanoseconds(),
        }


def commit_of(folder, comparisons):
    """Of the checkout that this script is in; without one, of the programs."""
    command = ["git", "-C", folder, "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.strip()
    except OSError:
        pass
    built = {side["commit"] for c in comparisons for side in c["mgws"]}
    return built.pop() if len(built) == 1 else "unknown"


class Copies(Contender):
    """As many copies of a program as there are workers, side by side, and nothing between them: what
    the machine itself makes of more processors."""

    def sample(self, workload, problem, runs):
        command = self.command(workload, problem, runs)
        try:
            programs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                         text=True) for _ in range(self.workers)]
        except OSError as error:
            raise Failure(f"{shlex.join(command)}: {error.strerror}") from error
        each = statistics.mean([self.finish(program) for program in programs])
        self.seconds.append(each / self.workers)


class Programs:
    """The programs that a build folder holds."""

    def __init__(self, build):
        def find(*parts):
            path = os.path.join(build, "bench", *parts)
            return path if os.access(path, os.X_OK) else None

        self.mgws = find("mgws-bench")
        self.sequential = find("peers", "mgws-peer-sequential")
        self.runtimes = {}
        for name in PEER_FORMS:
            path = find("peers", "mgws-peer-" + name)
            if path:
                self.runtimes[name] = path

    def ours(self, workload, workers):
        """mgws, and its bulk form where it has one."""
        if not self.mgws:
            return []
        options = ["--devices", f"cpu:{workers}", *LIKE_PEERS, *SPAWNED.get(workload, [])]
        sides = [Contender("mgws", self.mgws, options, workers)]
        if workload in BULK:
            sides.append(Contender("mgws bulk", self.mgws, options + ["--bulk"], workers))
        return sides

    def theirs(self, workload, workers):
        """Every other runtime, in each of its forms."""
        for name, path in self.runtimes.items():
            for form in PEER_FORMS[name].get(workload, [None]):
                options = ["--workers", str(workers)]
                if form:
                    options += ["--form", form]
                yield Contender(f"{name} {form or 'each'}", path, options, workers)

    def baseline(self):
        return Contender("sequential", self.sequential, [], 1)

    def copies(self, workload, workers):
        """One for each worker, of our own program with one worker: they share the machine's memory
        and caches as workers do."""
        return Copies("copies", self.mgws, self.ours(workload, 1)[0].options, workers)


def play(contenders, workload, problem, arguments):
    """Lets the contenders run in turn."""
    for contender in contenders:
        contender.prepare(workload, problem)
    for _ in range(arguments.repeat):
        for contender in contenders:
            contender.sample(workload, problem, arguments.runs)
    results = {c.result for c in contenders}
    if len(results) != 1:
        raise Failure(f"{workload}: results differ: " + ", ".join(map(str, sorted(results))))


def ratio(slow, fast):
    """How many times `fast` is faster than `slow`: the median of the rounds."""
    return statistics.median(a / b for a, b in zip(slow.seconds, fast.seconds))


def matches(programs, workload, worker_counts):
    """The comparisons of a workload: our sides, the other one, and, where one thread is compared
    with several workers, one worker of ours and as many copies of it."""
    for workers in worker_counts:
        for other in programs.theirs(workload, workers):
            yield programs.ours(workload, workers), other, None
        if programs.sequential and (programs.mgws or workers == worker_counts[0]):
            scale = None
            if programs.mgws and workers > 1:
                scale = (programs.ours(workload, 1)[0], programs.copies(workload, workers))
            yield programs.ours(workload, workers), programs.baseline(), scale


def compare(programs, arguments, written):
    """Runs everything; returns comparisons and the failures, which written() is told after each."""
    comparisons, failures = [], []
    for title, (workload, problem) in arguments.problems.items():
        for ours, other, scale in matches(programs, workload, arguments.workers):
            workers = ours[0].workers if ours else other.workers
            progress(f"{title}, {workers} worker{'s'[:workers > 1]}, {other.name} ...")
            try:
                play(ours + [other, *(scale or ())], workload, problem, arguments)
            except Failure as failure:
                failures.append(str(failure))
                continue
            comparisons.append({
                "problem": title,
                "workload": workload,
                "workers": workers,
                "peer": other.record(workload, problem, arguments.runs),
                "mgws": [
                    dict(side.record(workload, problem, arguments.runs),
                         ratio=ratio(other, side))
                    for side in ours
                ],
            })
            if scale:
                one, copies = scale
                comparisons[-1]["scale"] = {
                    "one": one.record(workload, problem, arguments.runs),
                    "copies": copies.record(workload, problem, arguments.runs),
                    "workers": ratio(one, ours[0]),
                    "possible": ratio(one, copies),
                }
            written(comparisons, failures)
    progress("")
    return comparisons, failures


def progress(text):
    if sys.stderr.isatty():
        print("\r\033[K" + text, end="", file=sys.stderr, flush=True)


def show(rows, headings):
    """A table: first columns left, numbers right."""
    cells = [headings] + rows
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    for number, row in enumerate(cells):
        line = []
        for i, (cell, width) in enumerate(zip(row, widths)):
            line.append(cell.ljust(width) if i in (0, 2) else cell.rjust(width))
        print("  ".join(line).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
    print()


def number(value):
    return f"{value:.2f}"


def of_side(comparison, name, key, text=number):
    for side in comparison["mgws"]:
        if side["program"] == name:
            return text(side[key])
    return ""


def report(comparisons):
    against = [c for c in comparisons if c["peer"]["program"] != "sequential"]
    rows = [[
        c["problem"],
        str(c["workers"]),
        c["peer"]["program"],
        number(c["peer"]["ns_per_task"]),
        of_side(c, "mgws", "ns_per_task"),
        of_side(c, "mgws", "ratio"),
        of_side(c, "mgws bulk", "ns_per_task"),
        of_side(c, "mgws bulk", "ratio"),
    ] for c in against]
    if rows:
        print("ns a task; ratio: how many times mgws is faster")
        show(rows, ["problem", "workers", "peer", "peer ns", "mgws", "ratio", "bulk", "ratio"])
    rows = [[
        c["problem"],
        str(c["workers"]),
        side["program"] if side else "",
        number(c["peer"]["ns_per_task"]),
        number(side["ns_per_task"]) if side else "",
        number(side["ratio"]) if side else "",
        f"{100 / side['ratio'] - 100:+.1f} %" if side and c["workers"] == 1 else "",
    ] for c in comparisons if c["peer"]["program"] == "sequential" for side in c["mgws"] or [None]]
    if rows:
        print("against one thread without a runtime")
        show(rows, ["problem", "workers", "program", "sequential ns", "ns", "speed-up", "overhead"])
    rows = [[c["problem"], str(c["workers"]), "mgws", number(c["scale"]["workers"]),
             number(c["scale"]["possible"])] for c in comparisons if "scale" in c]
    if rows:
        print("several workers against one, and as many programs of one worker side by side, which is "
              "what the machine gives")
        show(rows, ["problem", "workers", "program", "speed-up", "side by side"])


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    whole = {"type": int, "metavar": "N"}
    parser.add_argument("--build", default="build", metavar="DIR", help="Meson's build folder")
    parser.add_argument("--repeat", default=5, **whole, help="rounds (default 5, the least)")
    parser.add_argument("--runs", default=3, **whole,
                        help="runs of a program in a round, at least (default 3)")
    parser.add_argument("--workers", default="1,2", metavar="LIST", help="default 1,2")
    parser.add_argument("--workloads", default=",".join(WORKLOADS), metavar="LIST",
                        help="some of " + ",".join(WORKLOADS) + ", or single problems, as uts T1")
    parser.add_argument("--quick", action="store_true", help="smaller problems, one run a round")
    parser.add_argument("--json", metavar="FILE", help="write everything measured to FILE")
    arguments = parser.parse_args()
    try:
        arguments.workers = [int(n) for n in arguments.workers.split(",")]
    except ValueError:
        parser.error("--workers needs numbers, as in 1,2")
    if min(arguments.workers) < 1 or arguments.repeat < 5 or arguments.runs < 1:
        parser.error("--workers and --runs must be at least 1, --repeat at least 5")
    problems = QUICK_PROBLEMS if arguments.quick else PROBLEMS
    wanted = arguments.workloads.split(",")
    for name in wanted:
        if name not in (*WORKLOADS, *problems):
            parser.error(f"there is no workload {name}: use some of {','.join(WORKLOADS)}; "
                         f"and no problem: there are {', '.join(problems)}")
    if arguments.quick:
        arguments.runs = 1
    arguments.problems = {k: v for k, v in problems.items() if v[0] in wanted or k in wanted}
    return parser, arguments


def main():
    parser, arguments = read_arguments()
    programs = Programs(arguments.build)
    if not (programs.mgws or programs.sequential or programs.runtimes):
        parser.error(f"{arguments.build} holds no program: build first, or use --build DIR")
    output = None
    if arguments.json:
        try:
            output = open(arguments.json, "a", encoding="utf-8")
        except OSError as error:
            parser.error(f"cannot write {arguments.json}: {error.strerror}")
    circumstances = Circumstances(programs.mgws or programs.sequential
                                  or next(iter(programs.runtimes.values())))
    load = circumstances.load
    processors = len(os.sched_getaffinity(0))
    print(f"{processor()}, {processors} processors usable, load {load:.1f} at the start")
    if load > 0.5 * processors:
        print("The machine is busy: the figures below are of little use.")
    if not programs.mgws:
        print("There is no mgws-bench: the others alone.")
    for name in PEER_FORMS:
        if name not in programs.runtimes:
            print(f"There is no mgws-peer-{name}: left out.")
    print()

    def write(comparisons, failures):
        """What there is so far: whoever is stopped leaves that much."""
        if not output:
            return
        commit = commit_of(os.path.dirname(os.path.abspath(__file__)), comparisons)
        output.truncate(0)
        json.dump({
            "schema": 1,
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "commit": commit,
            "measured": circumstances.after(commit),
            "command": shlex.join(["bench/peers/compare.py", *sys.argv[1:]]),
            "processor": processor(),
            "processors": processors,
            "load": load,
            "rounds": arguments.repeat,
            "runs": arguments.runs,
            "comparisons": comparisons,
            "failures": failures,
        }, output, indent=2)
        output.write("\n")
        output.flush()

    comparisons, failures = compare(programs, arguments, write)
    write(comparisons, failures)
    report(comparisons)
    for failure in failures:
        print("FAILED", failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
