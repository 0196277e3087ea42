#!/usr/bin/env python3
"""Sees that the README fits a screen or two, and that a change is one short line of the changelog.

usage: lengths.py ROOT         checks a source tree
       lengths.py --self-test  checks that the check fails where it must
"""

import pathlib
import sys
import tempfile

README_LINES = 60
ENTRY_CHARACTERS = 200


def faults(root):
    """What is too long, one line each."""
    found = []
    lines = (root / 'README.md').read_text(encoding='utf-8').splitlines()
    if len(lines) > README_LINES:
        found.append(f'README.md has {len(lines)} lines, and may have {README_LINES}')
    entries = 0
    for number, line in enumerate((root / 'CHANGELOG.md').read_text(encoding='utf-8').splitlines(), 1):
        entries += line.startswith('- ')
        if len(line) > ENTRY_CHARACTERS:
            found.append(f'CHANGELOG.md:{number}: {len(line)} characters, and may have {ENTRY_CHARACTERS}')
        if line.startswith(' '):
            found.append(f'CHANGELOG.md:{number}: goes on with the entry above, which is to be one line')
    if entries == 0:
        found.append('CHANGELOG.md has no entries')
    return found


def self_test():
    """Every planted fault is found, and nothing where there is none."""
    readme = 'x\n' * README_LINES
    changelog = '# Changelog\n\n- ' + 'ä' * (ENTRY_CHARACTERS - 2) + '\n'
    cases = [
        (readme, changelog, None),
        (readme + 'x\n', changelog, 'README.md has 61 lines'),
        (readme + '\n', changelog, 'README.md has 61 lines'),
        (readme, changelog.replace('\n- ', '\n- x'), 'CHANGELOG.md:3: 201 characters'),
        (readme, changelog + '  and more\n', 'CHANGELOG.md:4: goes on'),
        (readme, '# Changelog\n', 'CHANGELOG.md has no entries'),
    ]
    failed = []
    for front, changes, wanted in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / 'README.md').write_text(front, encoding='utf-8')
            (root / 'CHANGELOG.md').write_text(changes, encoding='utf-8')
            found = faults(root)
            if len(found) != (wanted is not None) or (wanted and not found[0].startswith(wanted)):
                failed.append(f'{wanted}: {found}')
    return failed


def main():
    found = self_test() if sys.argv[1:] == ['--self-test'] else faults(pathlib.Path(sys.argv[1]))
    print('\n'.join(found))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
