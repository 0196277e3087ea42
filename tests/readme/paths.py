#!/usr/bin/env python3
"""Finds mentions of files that do not exist: links and paths in backticks in Markdown pages, also
links to headings, and paths in the comments of C++ and Meson sources.

usage: paths.py ROOT         checks a source tree
       paths.py --self-test  checks that the check fails where it must

A mention is a path from the root, from the page's own folder, below include/, or the end of a path
(`policy.hpp`, `cuda/intrinsics.hpp`); with `*`, some file must fit. What a page shows in a code block
is not looked at: there names of files to come may stand, as a program's output does.
"""

import fnmatch
import os
import pathlib
import re
import sys
import tempfile

ROOMS = ('.ci', 'backends', 'bench', 'core', 'docs', 'examples', 'include', 'runtime', 'tests', 'tools',
         'transports')
SOURCES = ('.hpp', '.cpp', '.cu', '.hip', '.inl')
# Names of files that a reader would look for. Others (.json, .svg) count only behind a room.
NAMED = re.compile(r'[\w*.-]+\.(?:hpp|cpp|cu|hip|md|py|build)$')
FENCE = re.compile(r'^\s*(?:```|~~~)')
LINK = re.compile(r'\]\(([^)\s]+)\)')
CODE = re.compile(r'`([^`]+)`')
COMMENT = re.compile(r'//[/!]?<?(.*)')
TOKEN = re.compile(r'[\w*./-]*\w')
# Files that are to be written, where it says how.
TO_COME = {'docs/porting.md': re.compile(r'backends/sycl(?:/.*)?$'),
           'docs/tutorial.md': re.compile(r'(?:longest|range|collatz|busy|two)\.cpp$'),
           'bench/runs/runs.hpp': re.compile(r'bench/runs/w\.[hc]pp$')}


def files_of(root):
    """Paths of all files and folders below the rooms and beside them, from the root."""
    found = set()
    for top in sorted(root.iterdir()):
        if top.is_file():
            found.add(top.name)
        elif top.name in ROOMS:
            found.add(top.name)
            for folder, folders, names in os.walk(top):
                folders[:] = [f for f in folders if f != '__pycache__']
                at = pathlib.Path(folder).relative_to(root).as_posix()
                found.update(f'{at}/{name}' for name in [*folders, *names])
    return found


def starts_in_room(token, known):
    return '/' in token and token.split('/')[0] in ROOMS and token.split('/')[0] in known


def mentions(token, known):
    """Whether a word names a file or folder of this repository, if it exists."""
    if token.startswith(('http', '/', '-')) or '//' in token or token.strip('./') == '':
        return False
    return starts_in_room(token, known) or bool(NAMED.match(token.split('/')[-1]))


def exists(token, known, folder=''):
    token = token.rstrip('/')
    starts = [token, f'include/{token}', os.path.normpath(f'{folder}/{token}')]
    if token.startswith('mgws/'):  # include/mgws has links to the rooms
        starts.append(token[len('mgws/'):])
    if '*' in token:
        return any(fnmatch.fnmatchcase(k, s) for k in known for s in [*starts, f'*/{token}'])
    if not starts_in_room(token, known) and any(k.endswith(f'/{token}') for k in known):
        return True
    return any(s in known for s in starts)


def anchors(text):
    """The headings of a Markdown page, as links name them."""
    headings = re.findall(r'^#+ +(.*?) *$', re.sub(r'^```.*?^```', '', text, flags=re.S | re.M), re.M)
    return {re.sub(r'[^\w -]', '', h).lower().replace(' ', '-') for h in headings}


def of_page(root, path, text, known):
    """Mentions in a Markdown page that lead nowhere, as (line, word)."""
    folder = path.parent.as_posix()
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        if fenced:
            continue
        for match in LINK.finditer(line):
            if re.match(r'[a-z]+:', match.group(1)):
                continue
            target, _, heading = match.group(1).partition('#')
            page = os.path.normpath(f'{folder}/{target}') if target != '' else path.as_posix()
            if page not in known:
                yield number, target
            elif heading != '' and page.endswith('.md') and \
                    heading not in anchors((root / page).read_text(encoding='utf-8')):
                yield number, match.group(1)
        for match in CODE.finditer(line):
            for token in match.group(1).split():
                token = token.strip('",;:()')
                if mentions(token, known) and not exists(token, known, folder):
                    yield number, token
        # Words outside backticks that begin with a room: prose names pages so.
        for token in TOKEN.findall(LINK.sub('', CODE.sub('', line))):
            if starts_in_room(token, known) and NAMED.match(token.split('/')[-1]) and \
                    not exists(token, known, folder):
                yield number, token


def of_source(_root, path, text, known):
    """The same in the comments of a source."""
    folder = path.parent.as_posix()
    meson = path.name == 'meson.build'
    for number, line in enumerate(text.splitlines(), 1):
        if meson:
            comment = line.lstrip()[1:] if line.lstrip().startswith('#') else ''
        else:
            match = COMMENT.search(line)
            comment = match.group(1) if match else ''
        for token in TOKEN.findall(comment):
            if mentions(token, known) and not exists(token, known, folder):
                yield number, token


def faults(root):
    """Every mention that leads nowhere, one line each, and the number of files looked at."""
    known = files_of(root)
    found = []
    looked = 0
    for name in sorted(known):
        path = pathlib.PurePosixPath(name)
        if path.suffix == '.md':
            check = of_page
        elif path.suffix in SOURCES or path.name == 'meson.build':
            check = of_source
        else:
            continue
        if not (root / name).is_file():
            continue
        looked += 1
        text = (root / name).read_text(encoding='utf-8')
        found += [f'{name}:{line}: {token} does not exist' for line, token in check(root, path, text, known)
                  if name not in TO_COME or not TO_COME[name].match(token)]
    return found, looked


def self_test():
    tree = {
        'README.md': 'See [one](docs/one.md#a-part-one) and [the web](https://example.org/no.md).\n',
        'docs/one.md': 'In `core/a.hpp`, `a.hpp`, `tools/m_*.py`; [back](../README.md), [here](#a-part-one).\n'
                       '## A part: one\n'
                       '`cpu:2,cpu:2`, `a/b`, `BUILD/bench/mgws-bench`, `out.json`, and/or, x.y\n'
                       '```\ncore/gone.hpp\n```\n',
        'core/a.hpp': '#pragma once\n#include <gone.hpp>\n'
                      '/// As in deep/b.hpp, core/a.hpp, mgws/core/a.hpp (a.hpp) and docs/one.md.\n'
                      'int x;  ///< see deep/b.hpp\n',
        'core/deep/b.hpp': '// nothing\n',
        'tools/m_1.py': '# core/gone.hpp is not looked at\n',
        'tests/meson.build': "# core/a.hpp\nx = 'core/gone.hpp'\n",
    }
    planted = [
        ('README.md', '[gone](docs/gone.md)'),
        ('README.md', 'Prose about docs/gone.md.'),
        ('docs/one.md', '`core/gone.hpp`'),
        ('docs/one.md', '`gone.hpp`'),
        ('docs/one.md', 'a command: `tools/gone --check`'),
        ('docs/one.md', '[up](README.md)'),
        ('docs/one.md', '[part](#b-part)'),
        ('README.md', '[part](docs/one.md#part-one)'),
        ('docs/one.md', '`tools/n_*.py`'),
        ('docs/one.md', '`tests/ptx`'),
        ('docs/one.md', '`core/gone.json`'),
        ('core/a.hpp', '/// see gone.hpp'),
        ('core/a.hpp', '/// \\file docs/gone.md says'),
        ('core/a.hpp', 'int y;  // (tests/gone checks it).'),
        ('core/deep/b.hpp', '// wrong/a.hpp'),
        ('tests/meson.build', '  # core/gone.hpp'),
    ]
    failed = 0
    for file, line in [(None, None), *planted]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in tree.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text + (line + '\n' if name == file else ''),
                                         encoding='utf-8')
            found, looked = faults(root)
            if looked != 5 or len(found) != (0 if file is None else 1):
                print(f'{file}: {line!r}: {looked} files, {found}')
                failed += 1
    return failed


def main():
    if sys.argv[1:] == ['--self-test']:
        return 1 if self_test() else 0
    found, looked = faults(pathlib.Path(sys.argv[1]))
    print('\n'.join(found))
    if looked < 100:
        print(f'only {looked} files: is this the source tree?')
        return 1
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
