#!/usr/bin/env python3
"""Builds what a user of the library builds, in a temporary folder.

usage: check.py subproject SOURCE_ROOT          as a Meson project with mgws as its subproject
       check.py transports SOURCE_ROOT          the same with one transport, asking for others
       check.py installed BUILD_DIR -- COMPILER...   against an installed mgws, through pkg-config
       check.py cmake BUILD_DIR -- COMPILER...       the same through CMake's find_package
       check.py gpu BUILD_DIR PACKAGE -- COMPILER... a program for GPUs, with the flags of mgws-cuda
                                                     or mgws-hip; it is run where a GPU is
       check.py headers BUILD_DIR -- COMPILER...     each installed header by itself
"""

import concurrent.futures
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
EXPECTED = 'total 500500'
# What a user may ask of a compiler, and none of it is to be about a header of mgws.
WARNINGS = ['-Wall', '-Wextra', '-Wshadow', '-Wconversion', '-Werror']
# Of all combinations those that the programs and the other consumers are not built with.
TRANSPORTS = {'mgws-cuda': 'p2p+host', 'mgws-hip': 'host+remote'}


def run(command, **more):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode != 0:
        print(f'{" ".join(str(c) for c in command)}: {done.returncode}\n{done.stdout}')
        sys.exit(1)
    return done.stdout


def meson():
    """The command that runs Meson: the one that runs these tests, if it says so."""
    said = os.environ.get('MESONINTROSPECT', '')
    if said.endswith(' introspect'):
        return said[:-len(' introspect')].split()
    found = shutil.which('meson')
    if found is None:
        print('skipped: meson cannot be called from here')
        sys.exit(SKIPPED)
    return [found]


def check_output(text):
    if text.strip() != EXPECTED:
        print(f'the consumer printed "{text.strip()}", not "{EXPECTED}"')
        sys.exit(1)


def set_up(root, folder, *options):
    """Configures the consumer with mgws as its subproject; returns what Meson said."""
    project = folder / 'project'
    shutil.copytree(HERE / 'project', project)
    (project / 'subprojects').mkdir()
    (project / 'subprojects' / 'mgws').symlink_to(root, target_is_directory=True)
    # No mgws that the system may have.
    return run([*meson(), 'setup', '--force-fallback-for=mgws', *options, folder / 'build', project])


def transports(root, folder):
    """What was not built is refused in one sentence, and the rest works."""
    set_up(root, folder, '-Dmgws:transports=host')
    run([*meson(), 'compile', '-C', folder / 'build', '-j', '1', 'asks'])
    said = run([folder / 'build' / 'asks']).splitlines()
    expected = ['1 task', '1 task'] + [
        f'the {name} transport was not built, only host: use what there is, or build with it '
        '(-Dtransports)' for name in ('p2p', 'remote')]
    if said != expected:
        print(f'the consumer said {said}, not {expected}')
        sys.exit(1)


def commands_of(build):
    return json.loads((build / 'compile_commands.json').read_text(encoding='utf-8'))


def system_headers(commands, where):
    """A consumer's warnings are about its own code. But nvcc is to refuse tasks for the host alone, which
    mgws calls."""
    for command in (c['command'] for c in commands):
        system = re.search(r'-I\S*' + where, command) is None
        if system == ('backends/cuda/port' in command):
            print(f'these are {"" if system else "no "}system headers: {command}')
            sys.exit(1)


def subproject(root, folder):
    said = set_up(root, folder)
    if 'Subproject mgws' not in said and 'subproject mgws' not in said:
        print(f'mgws was not taken as a subproject:\n{said}')
        sys.exit(1)
    # The consumer builds itself alone: no test or program of ours.
    said = run([*meson(), 'compile', '-C', folder / 'build', '-j', '1'])
    check_output(run([folder / 'build' / 'consumer']))
    commands = commands_of(folder / 'build')
    (cuda,) = [c['command'] for c in commands if 'port-cuda' in c['output']]
    if '--expt-relaxed-constexpr' not in cuda or 'backends/cuda/port' not in cuda:
        print(f'mgws-cuda lacks what nvcc needs: {cuda}')
        sys.exit(1)
    system_headers([c for c in commands if 'subprojects/mgws' not in c['output']], 'subprojects/mgws/')
    built = [p for p in (folder / 'build' / 'subprojects' / 'mgws').rglob('*')
             if p.name not in ('libmgws.a', 'runtime_separate.cpp.o') and
             (p.suffix in ('.o', '.a') or (p.name.startswith('mgws-') and p.suffix != '.cmake'))]
    if built:
        print('the consumer also built ' + ', '.join(p.name for p in built))
        sys.exit(1)


def install(build, folder):
    """Installs the headers and the library, which is built. Returns an environment for pkg-config."""
    # One after the other: an installation keeps its record in the build folder.
    with open(pathlib.Path(build) / 'installing', 'w', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run([*meson(), 'install', '-C', build, '--no-rebuild', '--tags', 'devel',
             '--destdir', folder / 'installed'])
    pc = list((folder / 'installed').rglob('mgws.pc'))
    if len(pc) != 1:
        print(f'pkg-config files installed: {pc}')
        sys.exit(1)
    environment = dict(os.environ, PKG_CONFIG_LIBDIR=str(pc[0].parent),
                       PKG_CONFIG_SYSROOT_DIR=str(folder / 'installed'))
    environment.pop('PKG_CONFIG_PATH', None)
    return environment


def flags(environment, *what, package='mgws'):
    if shutil.which('pkg-config') is None:
        print('skipped: pkg-config cannot be called from here')
        sys.exit(SKIPPED)
    return run(['pkg-config', *what, package], env=environment).split()


def installed(build, compiler, folder):
    environment = install(build, folder)
    program = folder / 'consumer'
    include = flags(environment, '--cflags')
    if not any(flag.startswith('-I') for flag in include):
        print(f'the compiler is not to warn of these headers: {include}')
        sys.exit(1)
    run([*compiler, '-std=c++20', *WARNINGS, HERE / 'project' / 'main.cpp',
         '-o', program, *include, *flags(environment, '--libs')])
    check_output(run([program]))
    old_language(compiler, include, folder)
    apart(compiler, environment, folder)


def apart(compiler, environment, folder):
    """What the library has the program has not, unless it does not fit the program."""
    cflags, libs = flags(environment, '--cflags'), flags(environment, '--libs')
    main, program = folder / 'main.o', folder / 'consumer'
    for option, has_it in (('-DMGWS_LIBRARY', False), ('-DMGWS_HEADER_ONLY', True), ('-D_GLIBCXX_DEBUG', True),
                           ('-fsanitize=thread', True)):
        run([*compiler, '-std=c++20', '-c', HERE / 'project' / 'main.cpp', '-o', main, *cflags, option])
        run([*compiler, option, main, '-o', program, *libs])
        if 'sanitize' not in option:  # of which not every system runs a program
            check_output(run([program]))
        found = 'mgws::cpu_workers<false>::launch(' in run(['nm', '-C', '--defined-only', main])
        if found != has_it:
            print(f'with {option} the program {"has" if found else "lacks"} what it was to be with'
                  f'{"out" if found else ""}')
            sys.exit(1)
    # With another queue the two do not fit each other, and no run would say so.
    run([*compiler, '-std=c++20', '-DMGWS_QUEUE=sdc', '-c', HERE / 'project' / 'main.cpp', '-o', main, *cflags])
    done = subprocess.run([*compiler, str(main), '-o', str(program), *libs], capture_output=True, text=True,
                          check=False)
    if done.returncode == 0 or 'with_other_options' not in done.stderr:
        print(f'objects of different options were linked: {done.stderr}')
        sys.exit(1)


def old_language(compiler, include, folder):
    """Is told so, and nothing else, whichever header comes first."""
    (main,) = (folder / 'installed').rglob('mgws/mgws.hpp')
    wrong = []
    for header in [*main.parent.glob('*.hpp'), *main.parent.glob('probe/*.hpp')]:
        name = header.relative_to(main.parent.parent)
        if header.stem == 'headers_end':  # which is only ever behind the other one
            continue
        done = subprocess.run([*compiler, '-std=c++17', '-fsyntax-only', *include, '-x', 'c++', '-'],
                              input=f'#include <{name}>\n', capture_output=True, text=True, check=False)
        lines = done.stderr.splitlines()
        first = next((line for line in lines if ' error: ' in line), '')
        if done.returncode == 0 or 'mgws needs C++20: compile with -std=c++20' not in first or len(lines) > 12:
            wrong.append(f'{name} as C++17: {len(lines)} lines, {first}')
    if wrong:
        print('\n'.join(wrong))
        sys.exit(1)


def cmake(build, compiler, folder):
    if shutil.which('cmake') is None:
        print('skipped: cmake cannot be called from here')
        sys.exit(SKIPPED)
    install(build, folder)
    (config,) = (folder / 'installed').rglob('mgws-config.cmake')
    options = [f'-DCMAKE_PREFIX_PATH={config.parents[3]}', f'-DCMAKE_CXX_COMPILER={compiler[-1]}',
               f'-DCMAKE_CXX_FLAGS={" ".join(WARNINGS)}', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON']
    if len(compiler) > 1:
        options.append(f'-DCMAKE_CXX_COMPILER_LAUNCHER={";".join(compiler[:-1])}')
    run(['cmake', '-S', HERE / 'project', '-B', folder / 'build', *options])
    version = re.search(r'(\d+)\.(\d+)', run(['cmake', '--version']))
    # Before, a package cannot say it.
    if (int(version[1]), int(version[2])) >= (3, 23):
        system_headers(commands_of(folder / 'build'), '/installed/')
    run(['cmake', '--build', folder / 'build'])
    check_output(run([folder / 'build' / 'consumer']))


def gpu(build, package, compiler, folder):
    environment = install(build, folder)
    program = folder / 'consumer'
    cflags, libs = flags(environment, '--cflags', package=package), flags(environment, '--libs', package=package)
    main = folder / 'main.o'
    # Where there is a library, with it and without.
    has_library = '-DMGWS_LIBRARY' in cflags
    if has_library != (package == 'mgws-cuda'):
        print(f'{package} names {"a" if has_library else "no"} library')
        return 1
    others = f'-DMGWS_TRANSPORTS={TRANSPORTS[package]}'
    ways = [([], False), (['-DMGWS_HEADER_ONLY', others], True)] if has_library else [([others], True)]
    for options, has_it in ways:
        said = run([*compiler, '-std=c++20', '-I', HERE.parent / 'contract', '-c', *options, *cflags,
                    HERE / 'project' / 'gpu.cpp', '-o', main])
        # What the compiler takes its input for is for objects, too.
        linker = [c for c in compiler if c not in ('-x', 'cu')]
        said += run([*linker, main, '-o', program, *([] if has_library and has_it else libs)])
        if said:
            print(f'the compiler said:\n{said}')
            return 1
        found = re.search(r'mgws::gpu_workers<.*>::begin\(', run(['nm', '-C', '--defined-only', main])) is not None
        if found != has_it:
            print(f'with {options} the program {"has" if found else "lacks"} what drives runs on GPUs')
            return 1
        done = subprocess.run([program], capture_output=True, text=True, timeout=120, check=False)
        print(f'compiled with the flags of {package} {options}; {done.stdout.strip()} {done.stderr.strip()}')
        if done.returncode not in (0, SKIPPED):
            return done.returncode
    if package == 'mgws-cuda' and not mistakes(compiler, cflags):
        return 1
    return done.returncode


def mistakes(nvcc, include):
    """What nvcc would take, and make nothing or nonsense of: a task that is for the host alone, and an
    architecture that is too old."""
    found = True
    for what, file, more, expected in (
            # The call is mgws'. Which task it is of is in the message.
            ('a task without MGWS_FN', 'main.cpp', ['-c', '-o', os.devnull],
             r'error: calling a __host__ function\("void number::operator'),
            ('a task that calls what is for the host', 'host_only.cpp', ['-c', '-o', os.devnull],
             r'host_only\.cpp\(13\): error: calling a __host__ function'),
            ('lanes that the library has no workers of', 'lanes.cpp', ['-c', '-o', os.devnull],
             r'error: static assertion failed with "mgws: the library has a GPU.s workers of 32 lanes and of 128'),
            ('an old architecture', 'main.cpp', ['-arch=sm_75', '-E', '-o', os.devnull],
             'mgws needs compute capability 8.0: compile with -arch=sm_80')):
        command = [c for c in nvcc if not (c.startswith('-arch') and more[0].startswith('-arch'))]
        done = subprocess.run([*command, '-std=c++20', *include, *more, str(HERE / 'project' / file)],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0 or not re.search(expected, done.stderr):
            print(f'{what}: {done.returncode}, and not "{expected}":\n{done.stderr[:2000]}')
            found = False
    return found


def headers(build, compiler, folder):
    environment = install(build, folder)
    include = flags(environment, '--cflags')
    (root,) = (folder / 'installed').rglob('mgws/mgws.hpp')
    root = root.parent
    found = sorted(root.rglob('*.hpp'))
    if len(found) < 20:
        print(f'only {len(found)} headers installed')
        sys.exit(1)

    def fault(header):
        name = header.relative_to(root.parent)
        # Twice: an include guard is part of it.
        done = subprocess.run([*compiler, '-std=c++20', *WARNINGS, '-fsyntax-only', *include, '-x', 'c++', '-'],
                              input=f'#include <{name}>\n#include <{name}>\n',
                              capture_output=True, text=True, check=False)
        return f'{name} does not compile by itself:\n{done.stderr}' if done.returncode != 0 else ''

    # The others need a GPU's compiler, and its headers.
    alone = [h for h in found if not {'cuda', 'hip'} & set(h.relative_to(root).parts)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for text in pool.map(fault, alone) if text]
    apart = [root / 'runtime' / name for name in ('separate.cpp', 'separate_gpus.cpp')]
    foreign = [p for p in root.rglob('*') if p.is_file() and p.suffix not in ('.hpp', '.md') and p not in apart]
    wrong += [f'{p.relative_to(root.parent)} is installed among the headers' for p in foreign]
    if wrong:
        print('\n'.join(wrong))
        sys.exit(1)


def main():
    what, where, *rest = sys.argv[1:]
    compiler = rest[rest.index('--') + 1:] if '--' in rest else []
    with tempfile.TemporaryDirectory(prefix='mgws-consumer-') as name:
        folder = pathlib.Path(name)
        if what == 'subproject':
            subproject(pathlib.Path(where).resolve(), folder)
        elif what == 'transports':
            transports(pathlib.Path(where).resolve(), folder)
        elif what == 'installed':
            installed(where, compiler, folder)
        elif what == 'cmake':
            cmake(where, compiler, folder)
        elif what == 'gpu':
            return gpu(where, rest[0], compiler, folder)
        elif what == 'headers':
            headers(where, compiler, folder)
        else:
            print(__doc__)
            return 2
    return 0


if __name__ == '__main__':
    sys.exit(main())
