#!/usr/bin/env python3
"""Compiles sets.cu for a GPU and checks how much a lane of each set's workers keeps in memory: a
variable whose address goes to a call that is not inlined, or a slot that is taken apart byte by byte,
is kept there from step to step, and that no test of results would show.

usage: registers.py SETS NVCC [ARGUMENT...]
       registers.py --self-test SETS NVCC [ARGUMENT...]  checks that the check fails where it must
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# By what is in the kernel's name: bytes of memory of a lane, at most, of which spilled. What they
# were when this was written, and some bytes for another compiler.
LIMITS = {'fib': (112, 32), 'finished_tree': (160, 96), 'spawn_tree': (64, 16)}
KERNEL = re.compile(r'Function properties for (\S*run_worker\S*)\n\s*(\d+) bytes stack frame, '
                    r'(\d+) bytes spill stores')


def memory_of(sets, compiler, defines=()):
    """By set the most that a kernel of it takes: (bytes, spilled)."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*compiler, *defines, '-Xptxas', '-v', '-cubin', '-x', 'cu', str(sets), '-o',
                               str(pathlib.Path(folder) / 'sets.cubin')],
                              stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found = {}
    for name, stack, spilled in KERNEL.findall(done.stderr):
        of = next((s for s in LIMITS if s in name), name)
        found[of] = max(found.get(of, (0, 0)), (int(stack), int(spilled)))
    return found


def faults(found):
    return [f'{name}: a lane keeps {stack} bytes in memory and spills {spilled}; at most {LIMITS[name][0]} '
            f'and {LIMITS[name][1]}' for name, (stack, spilled) in found.items()
            if name not in LIMITS or stack > LIMITS[name][0] or spilled > LIMITS[name][1]]


def main():
    arguments = sys.argv[1:]
    self_test = arguments[:1] == ['--self-test']
    sets, *compiler = arguments[self_test:]
    found = memory_of(sets, compiler, ['-DPLANTED_FAULT'] if self_test else [])
    wrong = faults(found)
    if self_test:
        if len(wrong) != 1:
            sys.exit(f'there is one planted fault, found were {wrong}')
        print(wrong[0])
        return
    wrong += [f'{name}: no such kernel' for name in LIMITS if name not in found]
    for name, (stack, spilled) in found.items():
        print(f'{name}: {stack} bytes, of which {spilled} are spilled')
    print('\n'.join(wrong))
    sys.exit(bool(wrong))


if __name__ == '__main__':
    main()
