#!/usr/bin/env python3
"""Times the examples, the same on oneTBB and the same by one thread, and prints who is how much faster.

usage: compare.py [--build DIR] [--processors N] [--gpu] [--rounds N] [--json FILE] [NAME...]

An example and its peer run in turn; each round gives a ratio, and the median of the rounds is printed.
The first round is not counted, and one in which other processes took more than a twentieth of the
processors is made again. With --gpu the example runs on a GPU as well, each time in a process of its own. Each program checks its result; after a wrong one the exit code is 1.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from circumstances import Circumstances, commit, processor

# The arguments with which each runs for a time that can be measured.
EXAMPLES = {
    "quicksort": ["10000000"],
    "bfs": ["19"],
    "sssp": ["18"],
    "cliques": ["16"],
    "knapsack": ["64"],
    "pagerank": ["18"],
    "barnes_hut": ["50000"],
    "mandelbrot": ["4160"],
    "text_search": [],
}
SECONDS = re.compile(r"(?:(sequential|oneTBB) | )(\d+\.\d+) s\b")


AWAKE_SECONDS = 0.05
OTHERS = 0.05
ATTEMPTS = 20  # of a round, on average


class Failure(Exception):
    """A program that did not do its work; the text is one sentence."""


def wake(processors):
    """Lets all of them work for a while: one that was idle takes its time to come up."""
    children = []
    for processor_number in processors:
        child = os.fork()
        if child == 0:
            os.sched_setaffinity(0, {processor_number})
            end = time.monotonic() + AWAKE_SECONDS
            while time.monotonic() < end:
                pass
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def worked():
    """Seconds of all processors: of everything, and of this process and the programs that it ran."""
    with open("/proc/stat", encoding="ascii") as stat:
        user, nice, system, _, _, *interrupts = map(int, stat.readline().split()[1:8])
    all_of_it = (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")
    return all_of_it, sum(os.times()[:4])


def seconds_of(program, arguments, processors):
    """What a program says that it took, by who took it; mgws where it does not say who."""
    command = [str(program), *arguments]
    wake(processors)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, processors))
    except OSError as error:
        raise Failure(f"{program}: {error.strerror}") from error
    found = {who or "mgws": float(seconds) for who, seconds in SECONDS.findall(done.stdout)}
    if done.returncode != 0 or not found:
        raise Failure(f"{shlex.join(command)} ended with {done.returncode}: {(done.stdout + done.stderr).strip()}")
    return found


# Where the form that comes to mind is not the fastest on oneTBB: that as well, by one more argument.
NATURAL = {"knapsack": ["0"]}


def compare(name, build, processors, rounds, gpu, peer_arguments=()):
    seconds = {"sequential": [], "oneTBB": [], "mgws": [], **({"gpu": []} if gpu else {})}
    disturbed = 0
    counted = -1
    while counted != rounds:
        found = {}
        began, (all_before, ours_before) = time.monotonic(), worked()
        for program, more in ((f"example-{name}", ()), (f"example-{name}-tbb", peer_arguments)):
            found.update(seconds_of(build / "examples" / program, [*EXAMPLES[name], *more], processors))
        if gpu:
            found["gpu"] = seconds_of(build / "examples" / f"example-{name}-cuda", EXAMPLES[name], processors)["mgws"]
        all_after, ours_after = worked()
        others = all_after - all_before - (ours_after - ours_before)
        if others > OTHERS * (time.monotonic() - began) * os.cpu_count():
            disturbed += 1
            if disturbed > ATTEMPTS * rounds:
                raise Failure(f"{name} was given up: other processes do not leave the processors alone")
            continue
        counted += 1
        if counted != 0:
            for who, times in seconds.items():
                times.append(found[who])
    ratios = {who: statistics.median(t / m for t, m in zip(seconds[who], seconds["mgws"]))
              for who in seconds if who != "mgws"}
    return {"example": name, "arguments": EXAMPLES[name], "peer_arguments": list(peer_arguments),
            "seconds": seconds, "ratios": ratios, "disturbed": disturbed}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "test", metavar="DIR")
    parser.add_argument("--processors", type=int, default=2, metavar="N", help="as many workers; default: 2")
    parser.add_argument("--gpu", action="store_true", help="beside these, on a GPU")
    parser.add_argument("--rounds", type=int, default=11, metavar="N", help="default: 11")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    options = parser.parse_args()
    for name in options.names:
        if name not in EXAMPLES:
            parser.error(f"{name} is none of {', '.join(EXAMPLES)}")
    usable = sorted(os.sched_getaffinity(0))
    if not 1 <= options.processors <= len(usable) or options.rounds < 1:
        parser.error(f"there are {len(usable)} processors, and at least one round is needed")
    names = options.names or list(EXAMPLES)
    circumstances = Circumstances(options.build / "examples" / f"example-{names[0]}")
    print(f"{processor()}, {options.processors} processors, load {circumstances.load:.1f} at the start")
    print(f"{'seconds':28}{'sequential':>12}{'oneTBB':>10}{'mgws':>10}{'faster than sequential':>25}{'than oneTBB':>13}")
    comparisons = []
    failed = False
    for name, more in [(name, more) for name in names for more in ((), NATURAL.get(name)) if more is not None]:
        try:
            c = compare(name, options.build, set(usable[:options.processors]), options.rounds,
                        options.gpu, more)
        except Failure as failure:
            print("FAILED", failure, file=sys.stderr)
            failed = True
            continue
        comparisons.append(c)
        middle = {who: statistics.median(times) for who, times in c["seconds"].items()}
        print(f"{' '.join([name, *c['arguments'], *(f'(oneTBB: {a})' for a in more)]):28}{middle['sequential']:12.4f}{middle['oneTBB']:10.4f}"
              f"{middle['mgws']:10.4f}{c['ratios']['sequential']:25.2f}{c['ratios']['oneTBB']:13.2f}"
              + (f"  GPU {middle['gpu']:.4f}" if options.gpu else ""), flush=True)
    if options.json:
        measured = commit()
        options.json.write_text(json.dumps({
            "schema": 1,
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "commit": measured,
            "measured": circumstances.after(measured),
            "command": shlex.join(["examples/compare.py", *sys.argv[1:]]),
            "processor": processor(),
            "processors": options.processors,
            "rounds": options.rounds,
            "comparisons": comparisons,
        }, indent=2) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
