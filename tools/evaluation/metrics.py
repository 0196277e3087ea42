"""What is read from a run: a number, or a middle with the least and the most of the runs.

Each metric is called with a run (the JSON of mgws-bench or mgws-sim) and with the run of the same
series that has the fewest workers; None where the run does not say it."""

import dataclasses
import typing


def workers_of(run):
    if isinstance(run.get("devices"), list):
        return sum(device["workers"] for device in run["devices"])
    return run["devices"] * run["workers"]


def statistics_of(run):
    return run.get("statistics", run)


def counted(run):
    """What a rate counts: nodes of a tree, which may be fewer tasks, otherwise tasks."""
    summary = run["summary"]
    return summary["result"] if run["workload"] == "uts" else summary["tasks"]


def rate(run, _):
    seconds = run["summary"]["seconds"]
    return tuple(counted(run) / seconds[k] / 1e6 for k in ("median", "max", "min"))


def milliseconds(run, _):
    seconds = run["summary"]["seconds"]
    return tuple(seconds[k] * 1e3 for k in ("median", "min", "max"))


def speed_up(run, first):
    return first["summary"]["seconds"]["median"] / run["summary"]["seconds"]["median"]


def efficiency(run, first):
    return speed_up(run, first) * workers_of(first) / workers_of(run)


def weak_efficiency(run, first):
    """Where the work grows with the workers: the time of the first over this one's."""
    return speed_up(run, first)


def spread(run, _):
    seconds = run["summary"]["seconds"]
    return (seconds["max"] - seconds["min"]) / seconds["median"] * 100


def part_of_time(key):
    def of(run, _):
        statistics = statistics_of(run)
        if not statistics.get("recorded"):
            return None
        return statistics["sum"][key] / workers_of(run) * 1e6
    return of


def microseconds_a_steal(run, _):
    """Claim and copy of the steals that won."""
    cells = [cell for row in statistics_of(run).get("steals") or [] for cell in row]
    won = sum(cell["won"] for cell in cells)
    return sum(cell["take_seconds"] for cell in cells) / won * 1e6 if won else None


def busy(run, _):
    return statistics_of(run).get("busy")


def imbalance(run, _):
    return statistics_of(run).get("imbalance")


def bound(run, _):
    return run.get("times_bound")


@dataclasses.dataclass(frozen=True)
class Metric:
    label: str
    of: typing.Callable
    scale: str = "linear"
    more_is_better: bool = True


METRICS = {
    "rate": Metric("million a second", rate, "log"),
    "ms": Metric("ms", milliseconds, "log", False),
    "speed-up": Metric("times as fast as the fewest workers", speed_up),
    "efficiency": Metric("efficiency", efficiency),
    "weak": Metric("efficiency, work by workers", weak_efficiency),
    "spread": Metric("most less least, % of the median", spread, "linear", False),
    "stealing": Metric("us a worker steals in a run", part_of_time("stealing_seconds"), "linear", False),
    "searching": Metric("us a worker searches in a run", part_of_time("searching_seconds"), "linear",
                        False),
    "steal": Metric("us a steal", microseconds_a_steal, "linear", False),
    "busy": Metric("busy part", busy),
    "imbalance": Metric("imbalance", imbalance, "linear", False),
    "bound": Metric("times the bound", bound, "linear", False),
}


def middle_of(value):
    return value[0] if isinstance(value, tuple) else value
