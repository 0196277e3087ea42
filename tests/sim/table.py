#!/usr/bin/env python3
"""Simulates a table of runs and compares them with what is kept.

usage: table.py MGWS-SIM TABLE            compares; exit 1 if anything differs
       table.py --update MGWS-SIM TABLE   writes what is simulated now; floors stay as they are

A row has the arguments of mgws-sim, which may assert the invariant, the makespan in nanoseconds,
which must be the same, and the least part of the workers' time that must be spent in steps.
"""

import json
import pathlib
import subprocess
import sys


def simulate(program, arguments):
    done = subprocess.run([program, *arguments.split(), '--json', '-'], capture_output=True,
                          text=True)
    if not done.stdout:
        return None, done.stderr.strip() or f'exit code {done.returncode}'
    return json.loads(done.stdout), done.returncode


def main():
    update = sys.argv[1] == '--update'
    program, table = sys.argv[-2:]
    rows = json.loads(pathlib.Path(table).read_text(encoding='utf-8'))
    faults = 0
    for row in rows:
        ran, why = simulate(program, row['arguments'])
        if ran is None:
            faults += 1
            print(f"{row['arguments']}: {why}")
            continue
        ns, busy = ran['makespan_ns'], ran['busy']
        note = ''
        if not ran['verified']:
            note = ' WRONG RESULT'
        elif why != 0:
            note = f" INVARIANT BROKEN by {ran['invariant']['excess_ns'] / 1000:.1f} us"
        elif busy < row['busy_floor']:
            note = f" BUSY BELOW {row['busy_floor']}"
        elif not update and ns != row['makespan_ns']:
            note = f" BEFORE {row['makespan_ns']} ns: if that is meant, run with --update"
        faults += note != ''
        row['makespan_ns'] = ns
        print(f"{row['arguments']}: {ns} ns, {ran['times_bound']:.2f} times the bound, busy "
              f"{busy:.3f}{note}")
    if update:
        lines = ',\n'.join(' ' + json.dumps(row) for row in rows)
        pathlib.Path(table).write_text(f'[\n{lines}\n]\n', encoding='utf-8')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
