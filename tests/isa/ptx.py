#!/usr/bin/env python3
"""Compiles cuda.cu to PTX and checks that each operation, order and scope becomes exactly one
instruction, the one that PTX's memory model gives it, without a fence beside it and without a
compare-and-swap loop.

usage: check.py PROBE NVCC [ARGUMENT...]
       check.py --self-test PROBE NVCC [ARGUMENT...]  checks that the check fails where it must
"""

import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

ORDERS = {
    'load': ('relaxed', 'acquire'),
    'store': ('relaxed', 'release'),
    'exchange': ('relaxed', 'acquire'),
    'fetch_add': ('relaxed', 'acquire', 'release', 'acq_rel'),
}
SPELLED = {'load': 'ld', 'store': 'st', 'exchange': 'atom.exch', 'fetch_add': 'atom.add'}
SCOPES = {'device': 'gpu', 'system': 'sys'}
# Whatever touches memory that others see, or orders such accesses. Results are stored plainly.
SHARED = re.compile(r'(?<![\w.])(?:ld|st|atom|red|fence|membar|cp)(?:(?:\.|::)\w+)+')
PLAIN = re.compile(r'(?:ld\.param|(?:ld|st)\.(?:global|local)|cvta)(?:\.(?:v2|v4|[usb]\d+))*$')


def ptx_of(probe, compiler, defines=()):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / 'probe.ptx'
        subprocess.run([*compiler, *defines, '-ptx', '-x', 'cu', str(probe), '-o', str(out)], check=True)
        return out.read_text(encoding='utf-8')


def entries(ptx):
    """The instructions of each kernel, by its name."""
    found = {}
    for match in re.finditer(r'\.entry (\w+)\([^)]*\)[^{]*\{(.*?)\n\}', ptx, re.DOTALL):
        found[match.group(1)] = SHARED.findall(re.sub(r'//.*', '', match.group(2)))
    return found


def faults(ptx):
    wrong = []
    kernels = entries(ptx)
    for (op, orders), (scope, spelled), bits in itertools.product(ORDERS.items(), SCOPES.items(),
                                                                  (32, 64)):
        for order in orders:
            name = f'{op}_{order}_{scope}_{bits}'
            if name not in kernels:
                wrong.append(f'{name}: not in the PTX')
                continue
            # Where an exchange or a load goes by is its size alone, so .b as good as .u.
            stem, _, what = SPELLED[op].partition('.')
            expected = re.compile(
                rf'{stem}\.' + (rf'{what}\.{order}\.{spelled}' if what else rf'{order}\.{spelled}') +
                rf'(?:\.global)?\.[bu]{bits}$')
            there = [i for i in kernels[name] if not PLAIN.match(i)]
            if len(there) != 1 or not expected.match(there[0]):
                wrong.append(f'{name}: {", ".join(there) or "nothing"}')
    moves = kernels.get('copy', [])
    for side in (r'ld(?:\.\w+)*\.v4\.[ub]32', r'st(?:\.\w+)*\.v4\.[ub]32',
                 r'cp\.async\.bulk\.shared::cluster\.global\..*',
                 r'cp\.async\.bulk\.global\.shared::cta\..*'):
        if not any(re.fullmatch(side, i) for i in moves):
            wrong.append(f'copy: no {side}: {", ".join(moves)}')
    return wrong


def main():
    arguments = sys.argv[1:]
    self_test = arguments[:1] == ['--self-test']
    probe, *compiler = arguments[self_test:]
    found = faults(ptx_of(probe, compiler, ['-DPLANTED_FAULT'] if self_test else []))
    if self_test:
        planted = {f'load_acquire_{scope}_{bits}' for scope in SCOPES for bits in (32, 64)}
        if {f.split(':')[0] for f in found} != planted:
            sys.exit(f'the planted faults are {sorted(planted)}, found were {found}')
        print(f'{len(planted)} planted faults found')
        return
    for fault in found:
        print(fault)
    print(f'{sum(map(len, ORDERS.values())) * 4 + 1} kernels checked, {len(found)} wrong')
    sys.exit(bool(found))


if __name__ == '__main__':
    main()
