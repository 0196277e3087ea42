#!/usr/bin/env python3
"""Runs a fuzz target: with libFuzzer for some seconds, from its seeds on; without it over the seeds alone.
An input that ends the target is printed, base64, so that a log is enough to repeat it.

usage: run.py TARGET SEEDS [--fuzz SECONDS] [--dictionary FILE] [--fast] [--expect WORDS]

With --fast libFuzzer chooses among its inputs by length alone: of a target with much code, counting how
rare each one's ways are takes most of the time. With --expect the target must fail, and say these words."""

import argparse
import base64
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# An input that takes longer, in seconds, or makes more of itself, in MB, is a fault.
SLOW = 10
LARGE = 2048


def run(options):
    """The target's exit status, what it said, and the inputs that ended it."""
    if options.fuzz == 0:
        it = subprocess.run([options.target, options.seeds], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, errors='replace', check=False)
        return it.returncode, it.stdout, []
    with tempfile.TemporaryDirectory() as folder:
        found = pathlib.Path(folder, 'found')
        ended = pathlib.Path(folder, 'ended')
        found.mkdir()
        ended.mkdir()
        command = [options.target, f'-max_total_time={options.fuzz}', f'-timeout={SLOW}',
                   f'-rss_limit_mb={LARGE}', '-max_len=4096', '-print_final_stats=1',
                   f'-artifact_prefix={ended}/']
        if options.fast:
            command.append('-entropic=0')
        if options.dictionary:
            command.append(f'-dict={options.dictionary}')
        it = subprocess.run([*command, found, options.seeds], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, errors='replace', check=False,
                            env={**os.environ, 'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1'})
        return it.returncode, it.stdout, [(f.name, f.read_bytes()) for f in ended.iterdir()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('target')
    parser.add_argument('seeds')
    parser.add_argument('--fuzz', type=int, default=0)
    parser.add_argument('--dictionary')
    parser.add_argument('--fast', action='store_true')
    parser.add_argument('--expect')
    options = parser.parse_args()
    status, said, inputs = run(options)
    print(said[-20_000:])
    for name, content in inputs:
        print(f'{name}, base64: {base64.b64encode(content).decode()}')
    if options.expect:
        if status == 0 or options.expect not in said or (options.fuzz and not inputs):
            print(f'the planted fault was not found: status {status}')
            return 1
        return 0
    if options.fuzz and status == 0:
        units = re.search(r'number_of_executed_units: (\d+)', said)
        if not units or int(units.group(1)) < 100:
            print('fewer than 100 inputs were tried')
            return 1
    return 1 if status else 0


if __name__ == '__main__':
    sys.exit(main())
