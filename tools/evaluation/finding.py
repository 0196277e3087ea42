"""Sentences that say what was found, made of the results alone."""

import datetime
import re
import statistics

from metrics import METRICS, middle_of, workers_of

RATIOS_OF = {"rate": "Rates", "ms": "Times"}


def series_of(results):
    """(panel, series) -> its results by number of workers."""
    found = {}
    for result in results:
        found.setdefault((result["point"]["panel"], result["point"]["series"]), []).append(result)
    return {key: sorted(of, key=workers_of) for key, of in found.items()}


def of_a_device(result):
    """One device is compared with two of as many workers each, or with CPU workers beside it."""
    devices = result["devices"]
    return max(d["workers"] for d in devices) if isinstance(devices, list) else result["workers"]


def values(results, metric):
    """(panel, workers of a device) -> series -> the metric's middle."""
    found = {}
    for (panel, series), of in series_of(results).items():
        for result in of:
            value = middle_of(METRICS[metric].of(result, of[0]))
            if value is not None:
                found.setdefault((panel, of_a_device(result)), {})[series] = value
    return found


def pairs(results, left, right, metric):
    """left's value over right's, wherever both ran."""
    return [row[left] / row[right] for row in values(results, metric).values()
            if left in row and right in row and row[right] > 0]


def said(ratios):
    if len(ratios) == 1:
        return f"{ratios[0]:.2f}"
    return (f"{statistics.median(ratios):.2f} in the median of {len(ratios)} pairs "
            f"({min(ratios):.2f} to {max(ratios):.2f})")


def over(*matches, metric="rate"):
    """How many times the rate of one series is another's."""
    def sentence(results):
        parts = []
        for left, right in matches:
            ratios = pairs(results, left, right, metric)
            if ratios:
                parts.append(f"{left} over {right}: {said(ratios)}")
        return "; ".join(parts) and f"{RATIOS_OF[metric]}, " + "; ".join(parts) + "."
    return sentence


def all_of(*findings):
    """One sentence after another."""
    def sentence(results):
        return " ".join(said for said in (finding(results) for finding in findings) if said)
    return sentence


def placed(figures):
    """Which of these figures compare queues in the host's memory with those in the device's, so far as
    they were measured."""
    def sentence(results):
        names = [name for id, name in figures.items()
                 if any(run["point"]["series"] == "queues in host memory" for run in results.get(id, []))]
        return f"By where memory is, not by its speed: {', '.join(names)}." if names else ""
    return sentence


def volumes(results):
    """What the lock's queue takes against the word's, by where the queue lies, of few slots and of many."""
    data = results[0]
    parts = []
    for memory, name in (("own", "its own memory"), ("peer", "a peer's")):
        for few, slots in ((True, "up to 16"), (False, "more")):
            ratios = [statistics.median((b - data["clock_ns"]) / (a - data["clock_ns"])
                                        for a, b in zip(case["sws"], case["sdc"]))
                      for case in data["rows"] if case["from"] == memory and (case["slots"] <= 16) == few]
            if ratios:
                parts.append(f"from {name}, {slots} slots, {said(ratios).replace('pairs', 'volumes')}")
    return parts and "Times, SDC over SWS, " + "; ".join(parts) + "." or ""


def best(metric="rate"):
    """Which series was ahead how often."""
    def sentence(results):
        ahead = {}
        pick = max if METRICS[metric].more_is_better else min
        rows = values(results, metric)
        for row in rows.values():
            first = pick(row, key=row.get)
            ahead[first] = ahead.get(first, 0) + 1
        order = sorted(ahead.items(), key=lambda item: -item[1])
        gaps = [max(row.values()) / min(row.values()) for row in rows.values() if min(row.values()) > 0]
        if not gaps:
            return ""
        return (f"Ahead: {', '.join(f'{name} {n} times' for name, n in order)} of {len(rows)}; best and "
                f"worst are {said(gaps)} times apart.")
    return sentence


def most(*metrics):
    """Each metric with the most workers of each panel and series."""
    def sentence(results):
        parts = []
        for (panel, series), of in series_of(results).items():
            numbers = []
            for metric in metrics:
                value = middle_of(METRICS[metric].of(of[-1], of[0]))
                if value is not None:
                    numbers.append(f"{METRICS[metric].label} {value:.3g}")
            if numbers:
                name = ", ".join(word for word in (panel, series) if word)
                parts.append(f"{name}{': ' if name else ''}{workers_of(of[-1])} workers, "
                             + ", ".join(numbers))
        return "; ".join(parts) and "; ".join(parts) + "."
    return sentence


def peers(results):
    """mgws against each runtime's forms, over all problems."""
    ratios = {}
    for comparison in results[0]["comparisons"]:
        bulk = [s for s in comparison["mgws"] if s["program"] == "mgws bulk"]
        range_form = comparison["peer"]["program"].endswith("range")
        side = bulk[0] if range_form and bulk else comparison["mgws"][0]
        ratios.setdefault(comparison["peer"]["program"], []).append(side["ratio"])
    return "Times as fast as the other: " + "; ".join(
        f"{name} {said(of)}" for name, of in ratios.items()) + "."


def spread_of_tasks(results):
    """How many tasks the workers ran, against the mean."""
    parts = []
    for result in results:
        tasks = result["statistics"].get("tasks_by_worker")
        if tasks and sum(tasks):
            mean = sum(tasks) / len(tasks)
            parts.append(f"{result['point']['panel']}: {min(tasks) / mean:.2f} to {max(tasks) / mean:.2f} "
                         f"of the mean, imbalance {result['statistics']['imbalance']:.3f}")
    return "; ".join(parts) and "Tasks of a worker, " + "; ".join(parts) + "."


def litmus(results):
    runs = results[0]["litmus"]
    passed = sum(run["verdict"] == "passed" for run in runs)
    return f"{passed} of {len(runs)} litmus runs passed."


def costs(results):
    """How many times as long an operation on the host's memory takes a GPU as one on its own."""
    took = {}
    for x in results[0]["latencies"]:
        if x["device"].startswith("gpu") and x["scope"] == "system" and x["memory"] in (x["device"], "host"):
            took.setdefault(x["operation"], {}).setdefault("host" if x["memory"] == "host" else "own", x["median"])
    parts = [f"{name} {of['host']:,.0f} and {of['own']:,.0f} ns ({of['host'] / of['own']:.1f} times)"
             for name, of in took.items() if of.get("host") and of.get("own")]
    return "In the host's memory and in its own, " + "; ".join(parts) + "." if parts else ""


def memory(results):
    total = results[0]["memory_bytes"]["total"]
    return (f"{total:,} bytes for {workers_of(results[0])} workers; "
            + ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in results[0]["memory_bytes"].items()
                        if name != "total") + ".")


def load(results):
    """Whether rates, clocks and temperature hold from command to command."""
    results = sorted(results, key=lambda run: run["date"])
    rates = [middle_of(METRICS["rate"].of(run, run)) for run in results]
    middle = statistics.median(rates)
    first, last = (datetime.datetime.fromisoformat(run["date"].replace("Z", "+00:00"))
                   for run in (results[0], results[-1]))
    words = [f"{len(results)} commands that end within {(last - first).total_seconds() / 60:.0f} minutes, every run "
             f"right; rates {min(rates) / middle:.3f} to {max(rates) / middle:.3f} times the median"]
    gpus = [gpu for run in results for gpu in run["measured"].get("gpus_after", [])]
    for key, unit in (("clocks.sm", "MHz"), ("temperature.gpu", "C"), ("power.draw", "W")):
        said = [float(gpu[key]) for gpu in gpus if re.fullmatch(r"[\d.]+", gpu[key])]  # or "[N/A]"
        if said:
            words.append(f"{min(said):g} to {max(said):g} {unit}")
    return ", ".join(words) + "."


def characteristics(results):
    """Tasks, time of a task, bytes of a slot, of the runs with one worker."""
    parts = []
    for (panel, _), of in series_of(results).items():
        run = of[0]
        seconds = run["summary"]["seconds"]["median"] * workers_of(run)
        # Files before there was that number: nodes of a tree by lanes, which are one more.
        ran = run["summary"].get("tasks_run", run["summary"]["tasks"])
        parts.append(f"{panel}: {ran:,} tasks of "
                     f"{seconds / ran * 1e6:.3g} us in slots of "
                     f"{run['statistics']['slot_bytes']} bytes")
    return "; ".join(parts) + "."
