#!/usr/bin/env python3
"""What tools/ablate_cpu.py has found, as tables.

usage: cpu_ablation.py --self-test"""

import json
import sys

HOW = ("far below", "half", "double", "far above")


def times(row):
    """As multiples of the time as it is, of all rounds."""
    return "{median:.2f} ({min:.2f} to {max:.2f})".format(**row["ratio"])


def cell(row):
    if row is None:
        return ""
    return f"{row['value']:,}: {row.get('failed') or times(row)}"


def as_it_is(row):
    """Milliseconds of what a variant was run beside, whether it failed or not."""
    return f"{row['ms_as_it_is']['median']:.3f}"


def by_constant(data):
    """A row for each constant and workload, a column for each distance from the constant as it is."""
    found = {}
    for row in data["rows"]:
        if row["constant"] is not None:
            found.setdefault((row["constant"], row["as_it_is"], row["workload"]), {})[row["how"]] = row
    rows = [[f"`{name}` = {now:,}", workload, as_it_is(next(iter(of.values()))), *(cell(of.get(how)) for how in HOW)]
            for (name, now, workload), of in found.items()]
    return ["constant", "workload", "as it is, ms", *HOW], rows


def by_workload(data):
    """What the same program differs from itself by, and what it costs that constants are read: a row a
    workload."""
    found = {}
    for row in data["rows"]:
        if row["constant"] is None:
            found.setdefault(row["workload"], {})[row["how"]] = row
    rows = [[workload, f"`{next(iter(of.values()))['command']}`", as_it_is(next(iter(of.values()))),
             *(of[how].get("failed") or times(of[how]) for how in ("as it is, again", "known to the compiler"))]
            for workload, of in found.items()]
    return ["workload", "command", "as it is, ms", "again", "constants known to the compiler"], rows


def sample(constant, how, value, ratio=None):
    """A row as the tool writes them."""
    row = {"constant": constant, "how": how, "value": value, "as_it_is": None if constant is None else 2048,
           "workload": "fib", "command": "mgws-bench fib --n 9", "ms_as_it_is": {"min": 1, "median": 1.25, "max": 2}}
    if ratio is None:
        return {**row, "failed": "wrong result"}
    return {**row, "ratio": {"min": ratio - 0.5, "median": ratio, "max": ratio + 0.25}}


def self_test():
    """Tables of what the tool writes, through a file's text, as a page has them."""
    rows = [sample(None, "as it is, again", None, 1.0), sample(None, "known to the compiler", None, 0.75),
            sample("k_some", "double", 4096, 3.0), sample("k_some", "far below", 0),
            sample("k_other", "half", 1024, 1.5)]
    data = json.loads(json.dumps({"rows": rows}))
    assert by_constant(data) == (
        ["constant", "workload", "as it is, ms", "far below", "half", "double", "far above"],
        [["`k_some` = 2,048", "fib", "1.250", "0: wrong result", "", "4,096: 3.00 (2.50 to 3.25)", ""],
         ["`k_other` = 2,048", "fib", "1.250", "", "1,024: 1.50 (1.00 to 1.75)", "", ""]])
    assert by_workload(data)[1] == [
        ["fib", "`mgws-bench fib --n 9`", "1.250", "1.00 (0.50 to 1.25)", "0.75 (0.25 to 1.00)"]]
    return 0


if __name__ == "__main__":
    if sys.argv[1:] != ["--self-test"]:
        sys.exit(__doc__)
    sys.exit(self_test())
