#!/usr/bin/env python3
"""Keeps the rooms apart: core knows no vendor and no preprocessor conditional, and includes neither
backends nor transports; transports include no backend; backends include no transport.

usage: check.py ROOT         checks a source tree
       check.py --self-test  checks that the check fails where it must
"""

import pathlib
import re
import sys
import tempfile

VENDORS = 'cuda|hip|nvidia|amd|rocm|sycl|opencl|nvcc|hipcc|cudart|ptx|gfx|oneapi'
# As a word of its own, or as a part of a name: cudaMalloc, __HIP_PLATFORM__, hip_runtime.
VENDOR = re.compile(
    rf'(?<![a-z])(?:{VENDORS})(?![a-z])|\bcuda[A-Z]\w*|\bhip[A-Z]\w*|\bcu(?:rand|blas)|__CUDA|__HIP',
    re.IGNORECASE)
# Where upper and lower case tell a name from a word.
CAMEL = re.compile(r'\b(?:cuda|hip|nv|amd)[A-Z]\w*')
CONDITIONAL = re.compile(r'^\s*#\s*(?:if|ifdef|ifndef|elif|elifdef|elifndef)\b')
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]*)[>"]')

HEADERS = ('.hpp', '.h', '.cpp', '.cu', '.hip', '.cuh', '.inl')
FORBIDDEN = {
    'core': ('backends', 'transports'),
    'transports': ('backends',),
    'backends': ('transports',),
}


def rooms_of(path):
    """The rooms that an include path could name: <mgws/backends/x>, "../backends/x"."""
    return [p for p in pathlib.PurePosixPath(path).parts if p in ('backends', 'transports')]


def faults(root):
    """Every violation, one line each, and the number of files that were looked at."""
    found = []
    looked = 0
    for room, forbidden in FORBIDDEN.items():
        for path in sorted((root / room).rglob('*')):
            if path.suffix not in HEADERS or not path.is_file():
                continue
            looked += 1
            for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
                where = f'{path.relative_to(root)}:{number}'
                include = INCLUDE.match(line)
                if include:
                    found += [f'{where}: includes from {other}'
                              for other in rooms_of(include.group(1)) if other in forbidden]
                if room != 'core':
                    continue
                if CONDITIONAL.match(line):
                    found.append(f'{where}: a preprocessor conditional')
                if VENDOR.search(line) or CAMEL.search(line):
                    found.append(f'{where}: a vendor word')
    return found, looked


def self_test():
    clean = ('#pragma once\n#include <mgws/core/word.hpp>\n#define X 1\n'
             '// a ship, an amdahl, a chip: if only. barracuda_count; relationship\n')
    planted = {
        'core/a.hpp': ['#if X', '  #  ifdef X', '#ifndef X', '#elif X', '// CUDA does it',
                       'int hip_stream;', 'cudaMalloc(p);', '__HIP_PLATFORM_AMD__', '// on AMD',
                       'int __CUDA_ARCH__;', '// Nvidia', 'hipLaunch();', '// ROCm 6',
                       '#include <mgws/backends/cpu/backend.hpp>',
                       '#include "../transports/host/transport.hpp"'],
        'core/deep/er/b.hpp': ['#if 0'],
        'transports/host/c.hpp': ['#include <mgws/backends/cpu/memory.hpp>'],
        'backends/cpu/d.hpp': ['#include <mgws/transports/host/transport.hpp>'],
    }
    failed = 0
    for file, lines in planted.items():
        for line in [None, *lines]:
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / file).parent.mkdir(parents=True)
                (root / file).write_text(clean + (line or '') + '\n', encoding='utf-8')
                found, looked = faults(root)
                if looked != 1 or bool(found) != (line is not None):
                    print(f'{file}: {line!r}: {found}')
                    failed += 1
    # What other rooms may do.
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / 'backends/cpu').mkdir(parents=True)
        (root / 'backends/cpu/e.hpp').write_text(
            '#ifdef __CUDA_ARCH__\n#include <mgws/backends/cpu/parking.hpp>\n#endif\n',
            encoding='utf-8')
        if faults(root)[0]:
            print('a backend was refused what it may do')
            failed += 1
    return failed


def main():
    if sys.argv[1:] == ['--self-test']:
        return 1 if self_test() else 0
    found, looked = faults(pathlib.Path(sys.argv[1]))
    print('\n'.join(found))
    if looked < 10:
        print(f'only {looked} files: is this the source tree?')
        return 1
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
