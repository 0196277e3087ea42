"""What the measuring programs share: runs of mgws-bench, verified, into files for tools/tables.py."""

import argparse
import json
import pathlib
import subprocess
import sys

from circumstances import Circumstances

# Of a command with very many runs the first ones are kept; the summary has all of them.
MOST_RUNS = 200


def summed(run):
    """The JSON with the workers' statistics, of which there are thousands, added up; of their tasks,
    the number of each worker is kept."""
    total = {}
    tasks = [worker["tasks"] for worker in run["statistics"].get("workers", [])]
    if tasks:
        run["statistics"]["tasks_by_worker"] = tasks
    for worker in run["statistics"].pop("workers", []):
        for key, value in worker.items():
            if key not in ("device", "tasks"):
                total[key] = total.get(key, 0) + value
    if total:
        run["statistics"]["sum"] = total
    run["runs"] = run["runs"][:MOST_RUNS]
    return run


def line_of(run):
    """What is said of a run while others follow."""
    summary = run["summary"]
    statistics = run["statistics"]
    words = [" + ".join(str(d["workers"]) for d in run["devices"]) + " workers",
             f"{summary['seconds']['median'] * 1e3:.3f} ms",
             f"{summary['tasks_per_second']['median'] / 1e6:.3g} M/s"]
    if len(run["devices"]) > 1:
        words.append(f"tasks {statistics['tasks_by_device']}")
        first = statistics.get("first_task_seconds")
        if first is not None and None not in first:
            words.append(f"first tasks after {[round(t * 1e6, 1) for t in first]} us")
    return ", ".join(words)


def measure(bench, words, limit, failed):
    """The result of one command, or None, and then why in `failed`. What the command does not say is
    added: a timeout, and a run before those that count."""
    shown = " ".join(map(str, words))
    command = [bench, *map(str, words), "--json", "-"]
    for option, value in (("--timeout", "10"), ("--warmup", "1")):
        if option not in command:
            command += [option, value]
    circumstances = Circumstances(bench)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        failed.append(f"{shown}: not done in {limit} s")
    else:
        if done.returncode == 0:
            run = summed(json.loads(done.stdout))
            run["measured"] = circumstances.after(run["commit"])
            print(f"{shown}: {line_of(run)}", flush=True)
            return run
        failed.append(f"{shown}: exit code {done.returncode}: {done.stderr.strip()[:300]}")
    print(failed[-1], flush=True)
    return None


def arguments(doc, parts):
    """A parser of what both programs are asked."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--part", action="append", choices=sorted(parts))
    parser.add_argument("--quick", action="store_true", help="smaller problems, fewer runs")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one command")
    parser.add_argument("--processes", type=int, default=1, metavar="N",
                        help="run the commands of a part in turn, N times; of each the process with the "
                             "median is kept (default 1)")
    return parser


def middle(results):
    """Of one command's results by several processes, in which they may differ by more than runs of
    one process do, the one with the median of their medians; it has them all. None if all failed."""
    done = sorted((run for run in results if run is not None), key=median_of)
    if not done:
        return None
    kept = done[(len(done) - 1) // 2]
    if len(results) > 1:
        kept["process_medians"] = [median_of(run) for run in done]
    return kept


def median_of(run):
    return run["summary"]["seconds"]["median"]


def measure_parts(asked, parts, prefix, commands_of):
    """Measures the parts asked for, each into FOLDER/PREFIX-PART.json, and ends the program.

    commands_of(part) yields the commands' words."""
    if asked.processes < 1:
        sys.exit("--processes must be at least 1")
    asked.folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for part in asked.part or parts:
        commands = list(commands_of(parts[part]))
        rounds = [[measure(asked.bench, words, asked.limit, failed) for words in commands]
                  for _ in range(asked.processes)]
        runs = [run for run in map(middle, zip(*rounds)) if run is not None]
        (asked.folder / f"{prefix}-{part}.json").write_text(json.dumps(runs, indent=1) + "\n",
                                                            encoding="utf-8")
    print(f"{len(failed)} failures")
    sys.exit(1 if failed else 0)
