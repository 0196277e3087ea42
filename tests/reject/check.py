#!/usr/bin/env python3
"""Compiles a file as it is, which must work, and then once with each macro defined, which must fail
with a message that matches the macro's regular expression.

usage: check.py [--once] FILE (MACRO REGEX)... -- COMPILER [ARGUMENT...]

With --once that message must be the only error. What the file includes at its beginning is compiled
once for all, where the compiler can.
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def compile_with(command, extra):
    """Whether it compiles, and what the compiler said, without quotes and line breaks."""
    done = subprocess.run(command + extra, capture_output=True, text=True, check=False)
    return done.returncode == 0, ' '.join(re.sub('[‘’\'`]', '', done.stderr).split())


def includes(file):
    """The lines before the file's first of its own."""
    lines = []
    for line in pathlib.Path(file).read_text(encoding='utf-8').splitlines():
        if line.startswith('#include'):
            lines.append(line)
        elif line and not line.startswith('//'):
            break
    return lines


def precompiled(command, file, folder):
    """Arguments by which a compiler takes what the file includes from where it lies compiled; one
    that cannot reads it as text."""
    header = pathlib.Path(folder) / 'included.hpp'
    header.write_text('\n'.join(includes(file)) + '\n', encoding='utf-8')
    subprocess.run([*command, '-x', 'c++-header', header, '-o', f'{header}.gch'],
                   capture_output=True, check=False)
    return ['-include', str(header)]


def main():
    with tempfile.TemporaryDirectory(prefix='mgws-reject-') as folder:
        return check(folder)


def check(folder):
    split = sys.argv.index('--')
    once = sys.argv[1] == '--once'
    file, *cases = sys.argv[2 if once else 1:split]
    command = sys.argv[split + 1:]
    command += [*precompiled(command, file, folder), '-fsyntax-only', file]

    good, text = compile_with(command, [])
    if not good:
        print(f'the control, with no macro defined, does not compile:\n{text}')
        return 1
    failed = 0
    for macro, pattern in zip(cases[::2], cases[1::2]):
        good, text = compile_with(command, ['-D' + macro])
        if good:
            print(f'{macro}: compiles, and must not')
        elif not re.search(pattern, text):
            print(f'{macro}: no message matches "{pattern}":\n{text}\n')
        elif once and text.count(' error: ') != 1:
            print(f'{macro}: {text.count(" error: ")} errors instead of one:\n{text}\n')
        else:
            print(f'{macro}: refused')
            continue
        failed += 1
    return 1 if failed or len(cases) < 2 else 0


if __name__ == '__main__':
    sys.exit(main())
