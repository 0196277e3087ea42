#!/usr/bin/env python3
"""Measures the figures of the papers, as far as this machine allows, and makes a report of them.

usage: evaluate.py [--build DIR] [--sdc [DIR]] [--folder DIR] [--on cpu|gpu] [--quick] [--only FIGURE ...]
                   [--minutes M]

Each call goes on where the last one stopped: what was measured lies in FOLDER/done, a file a command,
and counts as long as the programs' commit is the same. FOLDER/results has a file a figure, and
FOLDER/report.html is the report. Exit code: 0 all is measured, 1 commands failed (--retry runs them
again), 2 bad usage, 3 not possible here, 75 time is up: call again."""

import argparse
import datetime
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from figures import FIGURES
from machine import SDC_BENCH, Machine

import report

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tools"))
from circumstances import Circumstances  # noqa: E402
from measuring import measure  # noqa: E402

TIME_IS_UP = 75  # EX_TEMPFAIL
# Runs of one command that are kept.
MOST_RUNS = 20
# Seconds for one command; compare.py is several programs.
LIMIT = 60
LIMITS = {"compare.py": 400, "mgws-probe": 180, "mgws-steals": 180}


def write(path, data):
    """Whole or not at all; a line for each element of a list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    text = json.dumps(data, indent=1)
    if isinstance(data, list):
        text = "[" + ",\n".join(json.dumps(of, separators=(",", ":")) for of in data) + "]"
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(path)


def condensed(run, figure):
    """Without what neither figures nor tables show: most of the runs of a command of many, whose
    summary has them all, and what each single worker did where no plot is of that."""
    kept = {**run}
    if isinstance(run.get("runs"), list):
        kept["runs"] = run["runs"][:MOST_RUNS]
    tasks = run.get("statistics", {}).get("tasks_by_worker")
    if tasks and figure.plot not in ("workers", "workloads"):
        kept["statistics"] = {**run["statistics"], "tasks_of_a_worker": [min(tasks), max(tasks)]}
        del kept["statistics"]["tasks_by_worker"]
    return kept


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def run_other(machine, point, limit, commit, failed):
    """The JSON of a program that is not mgws-bench, or None and why in `failed`."""
    program = machine.programs[point.program]
    circumstances = Circumstances(machine.programs["mgws-bench"])
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        more = ["--build", machine.build] if point.program == "compare.py" else []
        command = [str(word) for word in (program, *more, *point.words, "--json", out)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            failed.append(f"{point.key()}: not done in {limit:.0f} s")
            return None
        if done.returncode != 0 or not out.exists():
            failed.append(f"{point.key()}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
            return None
        run = json.loads(out.read_text(encoding="utf-8"))
    run["command"] = point.key()
    run.setdefault("commit", commit)
    run.setdefault("date", now())
    run["measured"] = circumstances.after(run["commit"])
    return run


class Evaluation:
    """One call's work: the commands of the chosen figures, those that are done, and those that failed."""

    def __init__(self, machine, place, asked):
        self.machine = machine
        self.place = place
        self.asked = asked
        self.folder = asked.folder
        self.commit = self.version()
        self.figures = [f for f in FIGURES if (f.id in asked.only if asked.only else not f.on_request)]
        self.points = {}  # by figure
        for figure in self.figures:
            if figure.points and not machine.missing(figure, place):
                self.points[figure.id] = list(figure.points(place, asked.quick))

    def command(self):
        """What measures this again."""
        return " ".join(["tools/evaluate", "--on", "cpu" if self.place.cpu else "gpu",
                         *(["--sdc"] if self.asked.sdc else []),
                         *(["--quick"] if self.asked.quick else []),
                         *(f"--only {figure}" for figure in self.asked.only or ())])

    def version(self, program="mgws-bench"):
        """The commit that a program names."""
        done = subprocess.run([self.machine.programs[program], "--version"], capture_output=True, text=True,
                              check=True)
        return done.stdout.strip().rpartition("(")[2].rstrip(")")

    def done_path(self, point):
        key = hashlib.sha256(f"{self.commit} {point.key()}".encode()).hexdigest()[:24]
        return self.folder / "done" / f"{key}.json"

    def kept(self, point):
        """What an earlier command gave: a result, or {"failed": why}; None if there is none."""
        path = self.done_path(point)
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def measure_one(self, point, limit, first):
        """Measures and keeps; False if time was up first. The first command of a call had all of it."""
        failed = []
        full = LIMITS.get(point.program, LIMIT)
        began = time.monotonic()
        if point.program in ("mgws-bench", SDC_BENCH):
            run = measure(str(self.machine.programs[point.program]), point.words, min(full, limit), failed)
        else:
            run = run_other(self.machine, point, min(full, limit), self.commit, failed)
            print(failed[-1] if failed else f"{point.key()}: {time.monotonic() - began:.1f} s", flush=True)
        if run is None and not first and limit < full and time.monotonic() - began >= limit:
            return False
        write(self.done_path(point), run if run is not None else {"failed": failed[-1]})
        return True

    def measure_all(self):
        """Whether nothing is left."""
        end = time.monotonic() + self.asked.minutes * 60
        todo = {}  # by command: figures share some
        for figure, points in self.points.items():
            for point in points:
                kept = self.kept(point)
                if kept is None or (self.asked.retry and "failed" in kept):
                    todo.setdefault(point.key(), (figure, point))
        total = len({point.key() for points in self.points.values() for point in points})
        longest = 1
        for i, (figure, point) in enumerate(todo.values()):
            began = time.monotonic()
            if end - began < longest:
                print(f"{self.asked.minutes:g} minutes are over: {len(todo) - i} of {total} commands are left")
                return False
            print(f"[{total - len(todo) + i + 1}/{total}] {figure}: ", end="", flush=True)
            if not self.measure_one(point, end - began, i == 0):
                return False
            longest = max(longest, min(time.monotonic() - began, LIMIT))
        return True

    def collect(self):
        """Writes FOLDER/results: a file a figure, and what else the report says. Returns all failures."""
        results = self.folder / "results"
        for old in results.glob("*.json"):
            old.unlink()
        about = {"machine": self.machine.described(), "place": "cpu" if self.place.cpu else "gpu",
                 "quick": self.asked.quick, "command": self.command(), "commit": self.commit.replace("-dirty", ""),
                 "dirty": "-dirty" in self.commit, "first": "", "last": "", "missing": {}, "remarks": {},
                 "unfinished": {}, "failed": {}}
        dates = []
        for figure in FIGURES:
            missing = self.machine.missing(figure, self.place)
            if missing:
                about["missing"][figure.id] = missing
            elif figure.points:
                about["remarks"][figure.id] = figure.remark(self.place)
                points = list(figure.points(self.place, self.asked.quick))
                runs, failed, left = [], [], 0
                for point in points:
                    kept = self.kept(point)
                    if kept is None:
                        left += 1
                    elif "failed" in kept:
                        failed.append(kept["failed"])
                    else:
                        runs.append({**condensed(kept, figure), "point": {"panel": point.panel, "series": point.series}})
                if left and runs:
                    about["unfinished"][figure.id] = left
                if failed:
                    about["failed"][figure.id] = failed
                if runs:
                    dates += [run["date"].replace("+00:00", "Z") for run in runs]
                    write(results / f"{figure.id}.json", joined(runs))
        if dates:
            about["first"], about["last"] = min(dates), max(dates)
        write(results / "about.json", about)
        return [text for texts in about["failed"].values() for text in texts]


def joined(runs):
    """The comparisons with other runtimes are one object, as tools/tables.py wants it; all else is a
    list. What they are of is the programs' commit, not the one of the checkout that compare.py is in."""
    if "comparisons" not in runs[0]:
        return runs
    measured = runs[0]["measured"]
    return {**runs[0], "commit": measured["commit"] + ("-dirty" if measured["dirty"] else ""),
            "comparisons": [c for run in runs for c in run["comparisons"]],
            "failures": [f for run in runs for f in run["failures"]],
            "command": "; ".join(run["command"] for run in runs)}


def write_report(results, out, name=None):
    """False without Matplotlib."""
    try:
        text = report.page(results, name, out)
    except ModuleNotFoundError as error:
        print(f"No report: {error.name} is not there (Debian: python3-matplotlib)", file=sys.stderr)
        return False
    out.write_text(text, encoding="utf-8")
    print(f"Report: {out}")
    return True


def show_list(machine, place):
    for figure in FIGURES:
        missing = machine.missing(figure, place)
        said = (f"missing: {missing}" if missing else f"see {figure.shown_in}" if figure.shown_in else
                f"{len(list(figure.points(place, False)))} commands"
                f"{', if --only names it' if figure.on_request else ''}")
        print(f"{figure.id:18} {figure.name}, {figure.title}: {said}")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "evaluation",
                        help="Meson's build folder [build/evaluation]")
    parser.add_argument("--sdc", type=pathlib.Path, nargs="?", const=ROOT / "build" / "evaluation-sdc",
                        metavar="DIR", help="with the queue with a lock beside ours: the build folder of a "
                        "build with -Dqueue=sdc [build/evaluation-sdc]")
    parser.add_argument("--folder", type=pathlib.Path, help="for results and report [BUILD/evaluation]")
    parser.add_argument("--on", choices=("cpu", "gpu"), help="who works [the GPU where there is one]")
    parser.add_argument("--quick", action="store_true", help="small problems, three runs of each")
    parser.add_argument("--only", action="append", metavar="FIGURE", choices=[f.id for f in FIGURES])
    parser.add_argument("--minutes", type=float, default=9, help="for this call [9]")
    parser.add_argument("--retry", action="store_true", help="run again what failed")
    parser.add_argument("--list", action="store_true", help="print the figures, and what each needs")
    parser.add_argument("--report", nargs=2, type=pathlib.Path, metavar=("RESULTS", "HTML"),
                        help="measure nothing: make a report of a folder of results")
    asked = parser.parse_args()
    if asked.minutes <= 0:
        parser.error("--minutes must be more than 0")
    if asked.folder is None:
        asked.folder = asked.build / "evaluation"
    return asked


def main():
    asked = read_arguments()
    if asked.report:
        results, out = asked.report
        if not (results / "about.json").exists():
            print(f"{results} has no about.json: it is not a folder of results", file=sys.stderr)
            return 2
        name = results.resolve()
        name = name.relative_to(ROOT) if name.is_relative_to(ROOT) else name.name
        return 0 if write_report(results, out, str(name)) else 3
    machine = Machine(asked.build, ROOT, asked.sdc)
    if "mgws-bench" not in machine.programs:
        print(f"{asked.build} has no mgws-bench: build first, or use --build DIR", file=sys.stderr)
        return 3
    if asked.sdc and SDC_BENCH not in machine.programs:
        print(f"{asked.sdc} has no mgws-bench: build it with -Dqueue=sdc first", file=sys.stderr)
        return 3
    gpus = machine.gpu_count()
    if asked.on == "gpu" and not gpus:
        print(f"No GPU: {machine.probe.get('no_gpu') or 'mgws-probe found none'}", file=sys.stderr)
        return 3
    place = machine.place(asked.on or ("gpu" if gpus else "cpu"))
    if asked.list:
        show_list(machine, place)
        return 0
    evaluation = Evaluation(machine, place, asked)
    if asked.sdc and evaluation.version(SDC_BENCH) != evaluation.commit:
        print(f"{asked.build} is of {evaluation.commit} and {asked.sdc} of {evaluation.version(SDC_BENCH)}: "
              "build both of one commit", file=sys.stderr)
        return 3
    complete = evaluation.measure_all()
    failures = evaluation.collect()
    reported = write_report(asked.folder / "results", asked.folder / "report.html")
    for failure in failures:
        print("FAILED", failure, file=sys.stderr)
    if not complete:
        return TIME_IS_UP
    return 1 if failures else 0 if reported else 3


if __name__ == "__main__":
    sys.exit(main())
