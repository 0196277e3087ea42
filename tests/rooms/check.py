#!/usr/bin/env python3
"""Keeps the rooms apart: draws the graph of who includes whom and fails on every file that reaches
a room which its own must not know, by itself or through others. Core knows no other room, no vendor
and no preprocessor conditional; transports know no backend, backends no transport, and neither
knows a runtime. What a user includes (include/mgws) is open to all as far as it leads nowhere else.
A backend includes those others that BESIDE lists. Programs and tests include by name what a user
does, but for what INSIDE lists. What a user includes stands in FOR_USERS, and nothing else is there
but what FOR_OTHERS lists.

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
ROOMS = ('core', 'backends', 'transports', 'runtime')
FORBIDDEN = {
    'core': ('backends', 'transports', 'runtime'),
    'transports': ('backends', 'runtime'),
    'backends': ('transports', 'runtime'),
}
# What GPUs share, what one vendor has for two platforms, and what machines of ours are made of.
BESIDE = {'cuda': ('gpu',), 'hip': ('cuda', 'gpu'), 'model': ('fibers', 'gpu'),
          'sim': ('cpu', 'fibers', 'gpu')}
# Who includes what is inside of mgws, and which rooms, by folder. Workloads and
# runs know the types of task sets; the simulator and the tests of a room are made of it.
PROGRAMS = ('bench', 'examples', 'tests')
INSIDE = {
    'bench/harness': ('core', 'transports', 'runtime'),
    'bench/runs': ('core',),
    'bench/sim': ROOMS,
    'bench/steals': ('core', 'backends'),
    'bench/workloads': ('core',),
    'tests/contract': ('core', 'backends', 'transports'),
    'tests/gpu': ROOMS,
    'tests/isa': ('core', 'backends'),
    'tests/model': ('core', 'backends', 'transports'),
    'tests/reject': ('core', 'backends', 'transports'),
    'tests/sim': ('backends',),
    'tests/tidy': ROOMS,
    'tests/unit': ROOMS,
}
# The files of include/mgws, and what each is for. Of those for users mgws.hpp has all but APART.
FOR_USERS = {
    'atomic_ref.hpp': 'data that several tasks change',
    'best.hpp': 'the best value so far',
    'errors.hpp': 'what is thrown',
    'graph.hpp': 'tasks that stand ready before a run',
    'live.hpp': 'work that arrives during a run',
    'memory.hpp': 'arrays',
    'mgws.hpp': 'all of these',
    'options.hpp': 'what a run is to be like',
    'placement.hpp': 'arrays over several devices',
    'probe.hpp': 'which devices may share memory',
    'probe/domains.hpp': 'what a probe makes of it',
    'probe/findings.hpp': 'what a probe is asked and has found',
    'report.hpp': 'what a run was like',
    'runtime.hpp': 'who runs tasks',
}
APART = ('mgws.hpp', 'probe.hpp', 'probe/domains.hpp', 'probe/findings.hpp')
FOR_OTHERS = {
    'atomic_loop.hpp': 'ports: operations that their hardware lacks',
    'headers_begin.hpp': 'headers of this room: a compiler is told what not to say',
    'headers_end.hpp': 'the same: and that it may say it again',
    'impl/errors.hpp': 'errors.hpp: the bodies',
    'impl/options.hpp': 'options.hpp: the bodies',
    'language.hpp': 'headers of this room: a compiler of an older language is refused',
}
# Each backend has its own of these, which the include path chooses. The first is macros, and part
# of no room; the others bring a backend with them.
PORTS = {'mgws_port.hpp': (), 'mgws_devices.hpp': ('backends',), 'mgws_atomics.hpp': ('backends',)}


def room_of(path):
    return path.parts[0] if path.parts[0] in ROOMS else 'include'


def included_by(root, path):
    """What a file includes, as (line, what it says, the files of this tree that it may mean)."""
    for number, line in enumerate((root / path).read_text(encoding='utf-8').splitlines(), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        name = pathlib.PurePosixPath(include.group(1))
        if name.name in PORTS:
            targets = sorted(
                p.relative_to(root) for p in root.glob(f'backends/*/port/{name.name}'))
            yield number, str(name), targets or [pathlib.Path('backends/any/port', name.name)]
            continue
        parts = [p for p in name.parts if p not in ('.', '..')]
        if parts and parts[0] == 'mgws':
            parts = parts[1:]
        # include/mgws has links to the rooms.
        for target in [root / '/'.join(parts), root / 'include/mgws' / '/'.join(parts),
                       root / path.parent / '/'.join(parts), root / path.parent / name]:
            if target.is_file():
                yield number, str(name), [target.resolve().relative_to(root)]
                break
        else:
            # It may be gone, or not be ours; what its name says is enough.
            yield number, str(name), [pathlib.Path(*parts)] if parts and parts[0] in ROOMS else []


def rooms_reached(root, start):
    """The rooms to which an included file leads, each with one way there."""
    reached = {}
    todo = [(start, (start,))]
    seen = set()
    while todo:
        path, way = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        if path.name not in PORTS:
            reached.setdefault(room_of(path), way)
        for room in PORTS.get(path.name, ()):
            reached.setdefault(room, way)
        if (root / path).is_file():
            todo += [(to, (*way, to)) for _, _, all_ in included_by(root, path) for to in all_]
    return reached


def sources(root, room):
    return [f for f in sorted((root / room).rglob('*')) if f.suffix in HEADERS and f.is_file()]


def named(root, path):
    """What a file includes of a room by its name, as (line, path)."""
    for number, name, targets in included_by(root, path):
        if pathlib.PurePosixPath(name).name not in PORTS:
            yield from ((number, t) for t in targets if t.parts[0] in ROOMS)


def faults_of_backends(root):
    """Backends that include one which they do not stand beside."""
    for full in sources(root, 'backends'):
        path = full.relative_to(root)
        own = path.parts[1]
        for number, target in named(root, path):
            other = target.parts[1]
            if target.parts[0] == 'backends' and other != own and other not in BESIDE.get(own, ()):
                yield f'{path}:{number}: {own} includes {target} of {other}'


def faults_of_programs(root):
    """Programs and tests that include what is inside, and exceptions that nobody needs."""
    used = set()
    there = set()
    for room in PROGRAMS:
        for full in sources(root, room):
            path = full.relative_to(root)
            folder = '/'.join(path.parts[:2])
            there.add(folder)
            for number, target in named(root, path):
                other = target.parts[0]
                used.add((folder, other))
                if other not in INSIDE.get(folder, ()):
                    yield f'{path}:{number}: {target} is not for those who use mgws'
            for number, _, targets in included_by(root, path):
                for target in targets:
                    if target.parts[:2] == ('include', 'mgws') and target.name in FOR_OTHERS:
                        yield f'{path}:{number}: {target} is for {FOR_OTHERS[target.name]}'
    for folder in sorted(there.intersection(INSIDE)):
        for other in INSIDE[folder]:
            if (folder, other) not in used:
                yield f'{folder} may include {other} and need not'


def faults_of_users(root):
    """Files of include/mgws that are not on the list, those that are and are gone, and those that
    mgws.hpp lacks."""
    room = root / 'include/mgws'
    if not (room / 'mgws.hpp').is_file():
        return
    # Not through the links to other rooms.
    there = {f.relative_to(room).as_posix() for f in [*room.glob('*'), *room.glob('impl/*'), *room.glob('probe/*')]
             if f.is_file()}
    listed = {**FOR_USERS, **FOR_OTHERS}
    for name in sorted(there.symmetric_difference(listed)):
        yield f'include/mgws/{name}: ' + ('not there' if name in listed else 'for whom?')
    brought = {t.as_posix() for _, _, all_ in included_by(root, pathlib.Path('include/mgws/mgws.hpp'))
               for t in all_}
    for name in FOR_USERS:
        if name not in APART and f'include/mgws/{name}' not in brought:
            yield f'include/mgws/mgws.hpp: lacks {name}'


def faults(root):
    """Every violation, one line each, and the number of files that were looked at."""
    root = root.resolve()
    found = [*faults_of_backends(root), *faults_of_programs(root), *faults_of_users(root)]
    looked = 0
    for room, forbidden in FORBIDDEN.items():
        for full in sources(root, room):
            looked += 1
            path = full.relative_to(root)
            for number, name, targets in included_by(root, path):
                for target in targets:
                    for other, way in rooms_reached(root, target).items():
                        if other in forbidden:
                            through = ' -> '.join(str(p) for p in way)
                            found.append(f'{path}:{number}: {name} leads to {other}: {through}')
            if room != 'core':
                continue
            for number, line in enumerate(full.read_text(encoding='utf-8').splitlines(), 1):
                if CONDITIONAL.match(line):
                    found.append(f'{path}:{number}: a preprocessor conditional')
                if VENDOR.search(line) or CAMEL.search(line):
                    found.append(f'{path}:{number}: a vendor word')
    return found, looked


def self_test():
    clean = ('#pragma once\n#include <mgws/core/word.hpp>\n#define X 1\n'
             '// a ship, an amdahl, a chip: if only. barracuda_count; relationship\n')
    planted = {
        'core/a.hpp': ['#if X', '  #  ifdef X', '#ifndef X', '#elif X', '// CUDA does it',
                       'int hip_stream;', 'cudaMalloc(p);', '__HIP_PLATFORM_AMD__', '// on AMD',
                       'int __CUDA_ARCH__;', '// Nvidia', 'hipLaunch();', '// ROCm 6',
                       '#include <mgws/backends/cpu/backend.hpp>',
                       '#include "../transports/host.hpp"', '#include <mgws/runtime/plan.hpp>',
                       '#include <mgws_devices.hpp>'],
        'core/deep/er/b.hpp': ['#if 0'],
        'transports/c.hpp': ['#include <mgws/backends/cpu/memory.hpp>',
                             '#include <mgws/runtime/plan.hpp>', '#include <mgws_devices.hpp>'],
        'backends/cpu/d.hpp': ['#include <mgws/transports/host.hpp>',
                               '#include "../../runtime/plan.hpp"'],
        'backends/cpu/port/mgws_devices.hpp': ['#include <mgws/transports/host.hpp>',
                                               '#include <mgws/runtime/gpu.hpp>'],
        'backends/cpu/port/mgws_port.hpp': ['#include <mgws/runtime/gpu.hpp>'],
    }
    # Through others: a file, what it includes, and a line in that which leads where the first must
    # not come.
    through = [
        ('core/a.hpp', 'include/mgws/x.hpp', '#include <mgws/backends/cpu/memory.hpp>'),
        ('core/a.hpp', 'include/mgws/x.hpp', '#include <mgws/runtime/plan.hpp>'),
        ('transports/a.hpp', 'include/mgws/x.hpp', '#include <mgws/runtime/plan.hpp>'),
        ('transports/a.hpp', 'include/mgws/x.hpp', '#include <mgws_devices.hpp>'),
        ('backends/cpu/a.hpp', 'include/mgws/x.hpp', '#include <mgws/transports/host.hpp>'),
        ('backends/cpu/a.hpp', 'include/mgws/x.hpp', '#include <mgws/runtime.hpp>'),
    ]
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
    for file, between, line in through:
        for planted_line in [None, line]:
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                for path, text in {
                        file: f'#include <mgws/{pathlib.PurePosixPath(between).name}>\n',
                        between: clean + (planted_line or '') + '\n',
                        'include/mgws/runtime.hpp': '#include <mgws/runtime/plan.hpp>\n'}.items():
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (root / path).write_text(text, encoding='utf-8')
                found, _ = faults(root)
                if bool(found) != (planted_line is not None):
                    print(f'{file} through {between}: {planted_line!r}: {found}')
                    failed += 1
    failed += self_test_of_lists()
    # What other rooms may do.
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / 'backends/cpu').mkdir(parents=True)
        (root / 'backends/cpu/e.hpp').write_text(
            '#ifdef __CUDA_ARCH__\n#include <mgws/backends/cpu/parking.hpp>\n#endif\n'
            '#include <mgws/core/word.hpp>\n#include <mgws/errors.hpp>\n#include <mgws_port.hpp>\n',
            encoding='utf-8')
        (root / 'runtime').mkdir()
        (root / 'runtime/f.hpp').write_text(
            '#include <mgws/backends/cpu/e.hpp>\n#include <mgws/transports/host.hpp>\n'
            '#include <mgws_devices.hpp>\n', encoding='utf-8')
        if faults(root)[0]:
            print('a backend was refused what it may do')
            failed += 1
    return failed


def self_test_of_lists():
    """Of BESIDE, INSIDE and the files of include/mgws."""
    tree = {
        'backends/cuda/a.hpp': '#include <mgws/backends/gpu/api.hpp>\n#include <mgws_port.hpp>\n',
        'backends/hip/nvidia/a.hpp': '#include <mgws/backends/cuda/a.hpp>\n',
        'backends/gpu/api.hpp': '',
        'bench/uts/a.hpp': '#include <mgws/mgws.hpp>\n#include <vector>\n#include "runs/a.hpp"\n',
        'bench/runs/a.hpp': '#include <mgws/core/a.hpp>\n',
        'core/a.hpp': '',
        'include/mgws/mgws.hpp': ''.join(f'#include <mgws/{n}>\n' for n in FOR_USERS if n not in APART),
        **{f'include/mgws/{n}': '' for n in [*FOR_USERS, *FOR_OTHERS] if n != 'mgws.hpp'},
    }
    planted = [
        ('backends/cuda/a.hpp', '#include <mgws/backends/hip/a.hpp>'),
        ('backends/gpu/api.hpp', '#include <mgws/backends/cuda/a.hpp>'),
        ('backends/cpu/a.hpp', '#include "../gpu/api.hpp"'),
        ('bench/uts/a.hpp', '#include <mgws/core/a.hpp>'),
        ('bench/uts/a.hpp', '#include <mgws/atomic_loop.hpp>'),
        ('bench/runs/a.hpp', '#include <mgws/backends/gpu/api.hpp>'),
        ('examples/a.cpp', '#include <mgws/runtime/plan.hpp>'),
        ('tests/consumer/a.cpp', '#include <mgws/transports/host.hpp>'),
        ('tests/sim/a.cpp', 'int needs_no_exception;'),
        ('include/mgws/b.hpp', 'int x;'),
        ('include/mgws/probe/b.hpp', 'int x;'),
        ('include/mgws/language.hpp', None),
        ('include/mgws/report.hpp', None),
    ]
    lacks = [('include/mgws/mgws.hpp', '#include <mgws/best.hpp>')]
    failed = 0
    for file, line in [(None, None), *planted, *lacks]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            changed = dict(tree)
            if (file, line) in lacks:
                changed[file] = changed[file].replace(line, '')
            elif line is not None:
                changed[file] = changed.get(file, '') + line + '\n'
            elif file is not None:
                del changed[file]
            for path, text in changed.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding='utf-8')
            found, _ = faults(root)
            if bool(found) != (file is not None):
                print(f'{file}: {line!r}: {found}')
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
