"""What the expressions of tools/claims.toml may ask of a kept result file."""

import functools
import json
import pathlib
import re
import statistics
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "evaluation"))
import finding  # noqa: E402


class Kept:
    """One file below bench/results. Every question that has no answer, or several, is an error."""

    def __init__(self, path):
        self.data = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))

    # Lists of runs, as of mgws-bench and tools/compare_builds.py.

    def runs(self, words, build=None, gpus=None, cpu=None):
        """Runs of one command without `--devices`, that a regular expression finds in it; by the
        build, the number of GPUs, and that of CPU workers."""
        found = {}
        for run in self.data:
            devices = run["devices"]
            asked = (build, gpus, cpu)
            has = (run.get("build"), sum(d["kind"] == "gpu" for d in devices),
                   sum(d["workers"] for d in devices if d["kind"] == "cpu"))
            if re.search(words, run["command"]) and all(a in (None, h) for a, h in zip(asked, has)):
                found.setdefault((re.sub(r" --(json|seed) \S+", "", run["command"]), *has), []).append(run)
        if len(found) != 1:
            raise LookupError(f"{len(found)} commands are like {words}: {list(found)[:3]}")
        return next(iter(found.values()))

    def ms(self, words, **of):
        """The median time; of several processes the median of theirs."""
        return statistics.median(r["summary"]["seconds"]["median"] for r in self.runs(words, **of)) * 1e3

    def call_ms(self, words, **of):
        return statistics.median(r["summary"]["call_seconds"]["median"] for r in self.runs(words, **of)) * 1e3

    def rate(self, words, **of):
        """Million tasks a second."""
        return statistics.median(r["summary"]["tasks_per_second"]["median"] for r in self.runs(words, **of)) / 1e6

    def result(self, words, **of):
        results, = {run["summary"]["result"] for run in self.runs(words, **of)}
        return results

    # Figures of tools/evaluate.

    def pairs(self, left, right, panel="", metric="rate"):
        """left's value over right's, wherever both ran, in panels that a regular expression finds."""
        return finding.pairs([r for r in self.data if re.search(panel, r["point"]["panel"])], left, right, metric)

    def middles(self, *series, panel=""):
        """Milliseconds of these series in panels that a regular expression finds."""
        found = [r["summary"]["seconds"]["median"] * 1e3 for r in self.data
                 if r["point"]["series"] in series and re.search(panel, r["point"]["panel"])]
        if not found:
            raise LookupError(f"there is no {series} in {panel}")
        return found

    # Latencies of mgws-probe, and steals of mgws-steals.

    @property
    def one(self):
        return self.data[0] if isinstance(self.data, list) else self.data

    def latency(self, operation, device, memory, scope="system"):
        """Nanoseconds."""
        value, = (x["median"] for x in self.one["latencies"] if (x["operation"], x["device"], x["memory"], x["scope"])
                  == (operation, device, memory, scope))
        return value

    def volumes(self, memory, most=1 << 30):
        """How many times as long the lock's queue takes, by volume, of so many slots at most."""
        clock = self.one["clock_ns"]
        return [statistics.median((b - clock) / (a - clock) for a, b in zip(case["sws"], case["sdc"]))
                for case in self.one["rows"] if case["from"] == memory and case["slots"] <= most]

    def steal_us(self, memory, slots, task_bytes, queue="sws"):
        """What one takes, without the clock's own time."""
        case, = (c for c in self.one["rows"]
                 if (c["from"], c["slots"], c["task_bytes"]) == (memory, slots, task_bytes))
        return (statistics.median(case[queue]) - self.one["clock_ns"]) / 1e3

    # Comparisons on the CPU, of bench/peers/compare.py.

    @functools.cached_property
    def compared(self):
        return {(c["problem"], c["workers"], c["peer"]["program"]): c for c in self.data["comparisons"]}

    def side(self, problem, workers, peer, program):
        side, = (s for s in self.compared[problem, workers, peer]["mgws"] if s["program"] == program)
        return side

    def task_ns(self, problem, workers, program="mgws"):
        """Nanoseconds a task: the least of what it took beside each peer, as in the table."""
        return min(s["ns_per_task"] for (p, w, _), c in self.compared.items() if (p, w) == (problem, workers)
                   for s in c["mgws"] if s["program"] == program)

    def faster(self, problem, workers, peer, program="mgws"):
        return self.side(problem, workers, peer, program)["ratio"]

    # Comparisons on a GPU, of bench/peers/compare_gpu.py.

    def kernel(self, problem, by="mgws", key="ratio"):
        """How many times the best kernel's time it takes; or `median`, in seconds."""
        return self.data["problems"][problem][by][key]

    def kernels(self, pattern="", by="mgws"):
        """The same of all problems that a regular expression finds."""
        found = [sides[by]["ratio"] for problem, sides in self.data["problems"].items() if re.search(pattern, problem)]
        if not found:
            raise LookupError(f"no problem is like {pattern}")
        return found

    # Constants at other values, of tools/ablate_gpu.py.

    def ratios(self, constant, value, problems=""):
        """How many times as long problems take that a regular expression finds."""
        row, = (r for r in self.data["rows"] if (r["constant"], r["value"]) == (constant, value))
        found = [ratio for problem, ratio in row["ratio"].items() if re.search(problems, problem)]
        if not found:
            raise LookupError(f"no problem is like {problems}")
        return found

    def times(self, words, before, after):
        """Of all commands that a regular expression finds, how many times as long the later build takes."""
        found = {}
        for run in self.data:
            if re.search(words, run["command"]):
                of = found.setdefault(run["command"], {})
                of.setdefault(run["build"], []).append(run["summary"]["seconds"]["median"])
        if not found:
            raise LookupError(f"no command is like {words}")
        return [statistics.median(of[after]) / statistics.median(of[before]) for of in found.values()]

    def spread(self, words, *parts):
        """Of all commands that a regular expression finds: the runs at these parts of their order, over the median."""
        found = []
        for run in self.data:
            if re.search(words, run["command"]):
                seconds = sorted(r["seconds"] for r in run["runs"])
                found += [seconds[min(int(part * len(seconds)), len(seconds) - 1)] / statistics.median(seconds)
                          for part in parts]
        if not found:
            raise LookupError(f"no command is like {words}")
        return found
