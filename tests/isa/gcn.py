#!/usr/bin/env python3
"""Compiles amd.hip to the machine code of AMD targets and checks that each operation, order and
scope becomes the loads, atomics, write-backs and invalidates that the LLVM AMDGPU memory model
prescribes (https://llvm.org/docs/AMDGPUUsage.html, "Memory Model gfx90a", "gfx942", "gfx10-gfx11"),
in their order, and nothing else: no compare-and-swap, no loop.

usage: gcn.py PROBE HIPCC TARGET[,TARGET...] [ARGUMENT...]
       gcn.py --self-test PROBE HIPCC TARGET[,TARGET...] [ARGUMENT...]
                             checks that the check fails where it must
       gcn.py --table        prints what is expected, for docs/hip.md
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
SCOPES = ('device', 'system')
BITS = (32, 64)
MNEMONIC = {'exchange': 'swap', 'fetch_add': 'add'}


class Gfx90a:
    """Write-back and invalidation of the second-level cache at system scope only."""
    name = 'gfx90a'
    load_bits = {'device': 'glc', 'system': 'glc'}
    store_bits = {'device': '', 'system': ''}
    rmw_bits = {'device': 'glc', 'system': 'glc'}
    before = {'device': ['wait'], 'system': ['buffer_wbl2', 'wait']}
    after = {'device': ['buffer_wbinvl1_vol'], 'system': ['buffer_invl2', 'buffer_wbinvl1_vol']}
    waits = ('vmcnt(0)',)


class Gfx942:
    """sc1 alone is agent scope, sc0 and sc1 together system scope; sc0 of a read-modify-write asks
    for the value before."""
    name = 'gfx942'
    load_bits = {'device': 'sc1', 'system': 'sc0 sc1'}
    store_bits = {'device': 'sc1', 'system': 'sc0 sc1'}
    rmw_bits = {'device': 'sc0', 'system': 'sc0 sc1'}
    before = {'device': ['buffer_wbl2 sc1', 'wait'], 'system': ['buffer_wbl2 sc0 sc1', 'wait']}
    after = {'device': ['buffer_inv sc1'], 'system': ['buffer_inv sc0 sc1']}
    waits = ('vmcnt(0)',)


class Gfx10:
    """Stores have a counter of their own; the caches above the second level are invalidated."""
    name = 'gfx10'
    load_bits = {'device': 'glc dlc', 'system': 'glc dlc'}
    store_bits = {'device': '', 'system': ''}
    rmw_bits = {'device': 'glc', 'system': 'glc'}
    before = {'device': ['wait'], 'system': ['wait']}
    after = {'device': ['buffer_gl0_inv', 'buffer_gl1_inv'],
             'system': ['buffer_gl0_inv', 'buffer_gl1_inv']}
    waits = ('vmcnt(0)', 'vscnt')


class Gfx11(Gfx10):
    name = 'gfx11'
    load_bits = {'device': 'glc', 'system': 'glc'}


def model_of(target):
    for pattern, model in (('gfx90a', Gfx90a), ('gfx94[0-2]', Gfx942), (r'gfx10\d\d', Gfx10),
                           (r'gfx11\d\d', Gfx11)):
        if re.fullmatch(pattern, target):
            return model
    return None


def expected(model, op, order, scope, bits):
    """What is to be seen, in order. 'wait' is a wait for all earlier accesses to memory."""
    size = {32: 'dword', 64: 'dwordx2'}[bits]
    if op == 'load':
        access = f'global_load_{size} {model.load_bits[scope]}'
    elif op == 'store':
        access = f'global_store_{size} {model.store_bits[scope]}'
    else:
        access = (f'global_atomic_{MNEMONIC[op]}' + ('_x2' if bits == 64 else '') +
                  f' {model.rmw_bits[scope]}')
        if model is Gfx11:
            access = f'global_atomic_{MNEMONIC[op]}_{"u" if op == "fetch_add" else "b"}{bits} glc'
    if model is Gfx11:
        access = access.replace('dwordx2', 'b64').replace('dword', 'b32')
    seen = []
    if order in ('release', 'acq_rel'):
        seen += model.before[scope]
    seen.append(access.strip())
    if op != 'store':
        seen.append('wait')  # for its value
    if order in ('acquire', 'acq_rel'):
        seen += model.after[scope]
    return seen


def machine_code(probe, compiler, target, defines=()):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / 'amd.s'
        subprocess.run([*compiler, *defines, f'--offload-arch={target}', '--cuda-device-only', '-S',
                        '-Wno-unused-command-line-argument', '-x', 'hip', str(probe), '-o',
                        str(out)], check=True)
        return out.read_text(encoding='utf-8')


def kernels(text):
    """The instructions of each kernel, by its name."""
    found = {}
    for match in re.finditer(r'^(\w+):\s*; @\1\n(.*?)\bs_endpgm', text, re.DOTALL | re.MULTILINE):
        lines = (line.split(';')[0].split('//')[0].strip() for line in match.group(2).splitlines())
        found[match.group(1)] = [line for line in lines if line and not line.startswith('.')]
    return found


def seen_in(model, instructions):
    """The instructions that touch memory that others see, order such accesses, or branch."""
    seen = []
    waited = set()
    for line in instructions:
        what, _, operands = line.partition(' ')
        if what.startswith('s_waitcnt'):
            waited |= {w for w in model.waits if w in line}
            if what == 's_waitcnt_vscnt':
                waited.add('vscnt')
            # A counter that cannot be other than zero need not be waited for: of stores, before one
            # is released; of loads, before there was one.
            loads = any('load' in s or 'atomic' in s for s in seen)
            complete = waited >= ({'vmcnt(0)'} if loads or 'vscnt' not in model.waits else {'vscnt'})
            if complete and seen[-1:] != ['wait']:
                seen.append('wait')
            continue
        if re.match(r'(?:s_load|s_mov|s_add|s_lshl|s_delay|s_clause|s_nop|s_sendmsg|v_)', what):
            continue
        waited.clear()
        bits = ' '.join(b for b in re.findall(r'\b(?:glc|slc|dlc|sc0|sc1|nt)\b', operands))
        seen.append(f'{what} {bits}'.strip())
    return seen


def in_one_order(seen):
    """Which of two caches is invalidated first is the compiler's choice."""
    for i in range(len(seen) - 1):
        if seen[i:i + 2] == ['buffer_gl1_inv', 'buffer_gl0_inv']:
            seen[i:i + 2] = ['buffer_gl0_inv', 'buffer_gl1_inv']
    return seen


def faults(target, text):
    model = model_of(target)
    wrong = []
    code = kernels(text)
    for (op, orders), scope, bits in itertools.product(ORDERS.items(), SCOPES, BITS):
        for order in orders:
            name = f'{op}_{order}_{scope}_{bits}'
            if name not in code:
                wrong.append(f'{name}: not in the machine code')
                continue
            wanted = expected(model, op, order, scope, bits)
            there = in_one_order(seen_in(model, code[name]))
            if order in ('release', 'acq_rel'):
                # What the kernel releases.
                if not there or not there[0].startswith('global_store'):
                    wrong.append(f'{name}: nothing to release: {", ".join(there)}')
                    continue
                there = there[1:]
            if op != 'store':
                # The kernel stores what it got.
                if not there or not there[-1].startswith('global_store'):
                    wrong.append(f'{name}: result not stored: {", ".join(there)}')
                    continue
                there = there[:-1]
            if there != wanted:
                wrong.append(f'{name}: {", ".join(there) or "nothing"} instead of {", ".join(wanted)}')
    moves = [line.split()[0] for line in code.get('copy', [])]
    for side in ('load', 'store'):
        if not any(re.fullmatch(rf'(?:global|flat)_{side}_(?:dwordx4|b128)', m) for m in moves):
            wrong.append(f'copy: no 16-byte {side}: {", ".join(moves)}')
    return wrong


def table():
    print('| operation | order | scope | gfx90a | gfx942 | gfx10 | gfx11 |')
    print('|---|---|---|---|---|---|---|')
    for op, orders in ORDERS.items():
        for order, scope in itertools.product(orders, SCOPES):
            cells = ['; '.join(expected(m, op, order, scope, 64)) for m in (Gfx90a, Gfx942, Gfx10, Gfx11)]
            print(f'| {op} | {order} | {scope} | ' + ' | '.join(f'`{c}`' for c in cells) + ' |')


def main():
    arguments = sys.argv[1:]
    if arguments == ['--table']:
        table()
        return
    self_test = arguments[:1] == ['--self-test']
    probe, hipcc, targets, *rest = arguments[self_test:]
    failed = False
    for target in targets.split(','):
        if model_of(target) is None:
            print(f'{target}: no table of its memory model here, not checked')
            continue
        found = faults(target, machine_code(probe, [hipcc, *rest], target,
                                            ['-DPLANTED_FAULT'] if self_test else []))
        if self_test:
            planted = {f'load_acquire_{scope}_{bits}' for scope in SCOPES for bits in BITS}
            if {f.split(':')[0] for f in found} != planted:
                sys.exit(f'{target}: the planted faults are {sorted(planted)}, found were {found}')
            print(f'{target}: {len(planted)} planted faults found')
            continue
        for fault in found:
            print(f'{target}: {fault}')
        print(f'{target}: {sum(map(len, ORDERS.values())) * 4 + 1} kernels checked, {len(found)} wrong')
        failed = failed or bool(found)
    sys.exit(failed)


if __name__ == '__main__':
    main()
