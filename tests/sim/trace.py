#!/usr/bin/env python3
"""usage: trace.py MGWS-SIM: a simulated run's trace has what each worker did, until the run ended."""

import json
import pathlib
import subprocess
import sys
import tempfile

WORKERS = 8


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace, result = pathlib.Path(folder, 'trace.json'), pathlib.Path(folder, 'result.json')
        subprocess.run([sys.argv[1], 'loop', '--workers', str(WORKERS), '--n', '4096', '--way', 'tree',
                        '--trace', trace, '--json', result], check=True, stdout=subprocess.DEVNULL)
        events = json.loads(trace.read_text(encoding='utf-8'))['traceEvents']
        ran = json.loads(result.read_text(encoding='utf-8'))
    worked = [e for e in events if e['name'] == 'working' and e['ph'] == 'X']
    stolen = [e for e in events if e['name'] == 'steal' and e['ph'] == 'X']
    faults = []
    if {e['tid'] for e in worked} != set(range(WORKERS)):
        faults.append(f"working are {sorted({e['tid'] for e in worked})}")
    if len(stolen) != ran['steals']['won']:
        faults.append(f"{len(stolen)} steals, but {ran['steals']['won']} were won")
    last = max((e['ts'] + e['dur'] for e in worked), default=0) * 1000
    if not 0 < last <= ran['makespan_ns']:
        faults.append(f"the last work ends after {last} of {ran['makespan_ns']} ns")
    print('\n'.join(faults))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
