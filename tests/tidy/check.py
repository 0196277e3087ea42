#!/usr/bin/env python3
"""Runs clang-tidy with the checks of .clang-tidy, and fails on what it finds. What it looks at is chosen so
that this is quick: a file that includes every header of core, the transports and the runtime, which is
checked, and the sources that it is given, as one: what they all include takes most of the time of each.

usage: check.py --clang-tidy PROGRAM [--headers FILE] FILES... -- COMPILER FLAGS...
       check.py --clang-tidy PROGRAM --self-test -- COMPILER FLAGS...     sees that it fails where it must
77 if there is no clang-tidy."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ('core', 'transports', 'runtime', 'include/mgws')
FINDING = re.compile(r'^\S.*:\d+:\d+: (?:warning|error): ')

# Each with the check that must find it.
PLANTED = {
    'bugprone-use-after-move':
        '#include <string>\n#include <utility>\nvoid take(std::string);\n'
        'std::size_t f(std::string s) { take(std::move(s)); return s.size(); }\n',
    'bugprone-integer-division': 'double f(int a, int b) { return a / b; }\n',
    'performance-unnecessary-value-param':
        '#include <string>\nstd::size_t f(const std::string s) { return s.size(); }\n',
    'performance-for-range-copy':
        '#include <string>\n#include <vector>\nstd::size_t f(const std::vector<std::string>& v) {\n'
        '  std::size_t n = 0;\n  for (const auto s : v) n += s.size();\n  return n;\n}\n',
    'clang-diagnostic-error': 'int f() { return no_such_name; }\n',
}


def tidy(program, flags, file):
    it = subprocess.run(
        [program, '--quiet', f'--config-file={ROOT}/.clang-tidy',
         f'--header-filter=.*/({"|".join(ROOMS)}|backends/cpu|bench)/.*', str(file), '--', *flags],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
        # Meson sets it, for what it tests: it makes every allocation of clang-tidy slower.
        env={k: v for k, v in os.environ.items() if k != 'MALLOC_PERTURB_'})
    return it.returncode, it.stdout


def unseen(compiler, flags, file):
    """Headers of the rooms that the file does not include."""
    made = subprocess.run([*compiler, *flags, '-M', str(file)], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    seen = {pathlib.Path(word).resolve() for word in made.replace('\\\n', ' ').split()[1:]}
    headers = {h.resolve() for room in ROOMS for h in (ROOT / room).rglob('*.hpp')}
    return sorted(str(h.relative_to(ROOT)) for h in headers - seen)


def as_one(folder, files):
    """A file that includes them."""
    one = pathlib.Path(folder, 'sources.cpp')
    one.write_text(''.join(f'#include "{pathlib.Path(file).resolve()}"  // NOLINT(bugprone-suspicious-include)\n'
                           for file in files), encoding='utf-8')
    return one


def self_test(program, flags):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, 'bench/planted.cpp')
        file.parent.mkdir()
        for check, text in {'': 'int f(int a) { return a; }\n', **PLANTED}.items():
            file.write_text(text, encoding='utf-8')
            status, said = tidy(program, flags, as_one(folder, [file]))
            if (check in said and status != 0) if check else (not said and status == 0):
                continue
            print(f'{check or "what is right"}: status {status}, said {said!r}')
            failed += 1
    return 1 if failed else 0


def main():
    at = sys.argv.index('--')
    parser = argparse.ArgumentParser()
    parser.add_argument('--clang-tidy', default='')
    parser.add_argument('--headers')
    parser.add_argument('--self-test', action='store_true')
    parser.add_argument('files', nargs='*')
    options = parser.parse_args(sys.argv[1:at])
    # The compiler's own words come before its first flag.
    command = sys.argv[at + 1:]
    first = next(i for i, word in enumerate(command) if word.startswith('-'))
    compiler, flags = command[:first], command[first:]
    if not options.clang_tidy:
        print('clang-tidy 16 or newer is not here')
        return 77
    if options.self_test:
        return self_test(options.clang_tidy, flags)
    bad = False
    files = []
    if options.headers:
        files.append(options.headers)
        for header in unseen(compiler, flags, options.headers):
            print(f'{header}: {options.headers} does not include it')
            bad = True
    # A header's finding comes from every file that includes it.
    said_before = set()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if options.files:
            files.append(as_one(folder, options.files))
        for file, (status, said) in zip(
                files, pool.map(lambda f: tidy(options.clang_tidy, flags, f), files)):
            findings = [line for line in said.splitlines() if FINDING.match(line)]
            if status == 0 and not findings:
                continue
            bad = True
            if not findings:
                print(f'{file}: clang-tidy ended with {status}')
            elif not said_before.issuperset(findings):
                print(said)
            said_before.update(findings)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
