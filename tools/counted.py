"""What a run of mgws-bench counts, which need not be tasks: a tree's nodes, of which a task may visit
several, or keys that are sorted."""

import pathlib
import re

WORKLOADS = pathlib.Path(__file__).resolve().parent.parent / "bench" / "workloads"


def unit_of(run):
    """As the workload calls them; a bulk task's are instances."""
    source = (WORKLOADS / f"{run['workload'].replace('-', '_')}.cpp").read_text(encoding="utf-8")
    unit = re.search(r'unit\(\) const override \{ return "(\w+)"', source)[1]
    asked = run["parameters"]
    return "instances" if unit == "tasks" and (asked.get("bulk") or asked.get("instances", 1) > 1) else unit


def unit_of_all(data):
    """Of runs that are compared; nothing where they count different things."""
    units = {unit_of(run) for run in data}
    return units.pop() if len(units) == 1 else ""
