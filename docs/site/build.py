#!/usr/bin/env python3
"""Builds the site from the repository's Markdown pages and the comments of its public headers: by
Doxygen, Breathe, MyST and Sphinx, without a network. A dead link, a page that the navigation does
not lead to, a name that the headers do not have, or any other warning is an error.

usage: build.py ROOT OUTPUT [VERSION]  OUTPUT/html/index.html is the front page
       build.py --self-test            checks that a build fails where it must

Exit code: 77 if a generator is missing.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
HEADERS = ['backends/cpu/port/mgws_port.hpp', 'core/accumulators.hpp', 'core/affinity.hpp', 'core/frame.hpp',
           'core/order.hpp', 'core/probe/litmus.hpp', 'core/probe/measure.hpp', 'core/probe/verdict.hpp', 'core/run.hpp',
           'core/statistics.hpp', 'core/task_set.hpp', 'core/task_worker.hpp', 'core/worker_base.hpp', 'include/mgws',
           'include/mgws/probe']


def run(command, **more):
    """Whether a command ended well and without a warning, and what it said."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **more)
    return done.returncode == 0, done.stdout


def missing():
    """The generators that are not here. Sphinx's Python need not be this one."""
    found = [program for program in ('doxygen', 'sphinx-build') if shutil.which(program) is None]
    if not found:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / 'index.rst').touch()
            for extension in ('myst_parser', 'breathe'):
                good, said = run(['sphinx-build', '-q', '-C', '-b', 'dummy', '-D', f'extensions={extension}',
                                  folder, f'{folder}/out'])
                if not good and f'Could not import extension {extension}' in said:
                    found.append(extension)
    return found


def join_reports(html):
    """Reports lead to each other by name, but Sphinx puts each into a folder of its own: beside each a
    page that leads on to the other's. Returns what is said of those that lead nowhere."""
    reports = sorted((html / '_downloads').glob('*/*.html'))
    said = ''
    for report in reports:
        for name in sorted(set(re.findall(r'href="([\w-]+\.html)"', report.read_text(encoding='utf-8')))):
            other = next((path for path in reports if path.name == name), None)
            if other is None:
                said += f'{report.name}: error: {name} is not in the site\n'
            elif other != report:
                (report.parent / name).write_text(
                    f'<meta http-equiv="refresh" content="0; url=../{other.parent.name}/{name}">\n', encoding='utf-8')
    return said


def build(root, output, version=''):
    """Builds the site. Returns whether all went well, and what was said."""
    # From nothing: Sphinx does not repeat the warnings of pages that have not changed.
    for folder in ('doctrees', 'html', 'xml'):
        shutil.rmtree(output / folder, ignore_errors=True)
    output.mkdir(parents=True, exist_ok=True)
    headers = [root / h for h in HEADERS if (root / h).exists()]
    doxyfile = (HERE / 'Doxyfile').read_text(encoding='utf-8') + \
        f'INPUT = {" ".join(str(h) for h in headers)}\nOUTPUT_DIRECTORY = {output}\n'
    good, said = run(['doxygen', '-'], input=doxyfile)
    sphinx, more = run(['sphinx-build', '-W', '--keep-going', '-q', '-b', 'html', '-c', HERE,
                        '-d', output / 'doctrees', root, output / 'html'],
                       env={**os.environ, 'MGWS_DOXYGEN': str(output / 'xml'), 'MGWS_VERSION': version})
    unlinked = join_reports(output / 'html')
    return good and sphinx and not unlinked, said + more + unlinked


def self_test():
    tree = {
        'docs/index.md': '# Front\n\n## Pages\n\n- [One](one.md): a page\n',
        'docs/one.md': '# One\n\n[a report](evaluation/here.html), [one](evaluation/there.html)\n\n'
                       '[gone](gone.md), [nowhere](index.md#nowhere), [source](../core/gone.hpp)\n\n'
                       '```{doxygenclass} gone_class\n```\n',
        'docs/lost.md': '# Lost\n\nNo page leads here, but to [one](one.md).\n',
        'docs/evaluation/here.html': '<a href="there.html">there</a>',
        'docs/evaluation/there.html': '<a href="no-report.html">gone</a>',
        'core/task_worker.hpp': '/// \\file\n/// A header.\n\n'
                                '/// A function.\n/// \\param gone  is not there\nvoid f(int there);\n',
    }
    faults = {
        'of a page': ['one.md', 'not found: gone.md'],
        'of a heading': ['one.md', 'nowhere'],
        'of a source': ['one.md', 'core/gone.hpp'],
        'of a class': ['one.md', 'gone_class'],
        'of a page without a way to it': ['lost.md', 'toctree'],
        'of a report': ['there.html', 'no-report.html'],
        "of a parameter's name": ['task_worker.hpp', 'gone'],
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / 'tree'
        for name, text in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding='utf-8')
        good, said = build(root, pathlib.Path(folder) / 'out')
        on = [path.read_text(encoding='utf-8') for path in (pathlib.Path(folder) / 'out' / 'html').glob(
            '_downloads/*/there.html') if (path.parent / 'here.html').exists()]
    warned = [line for line in said.splitlines() if 'warning' in line.lower() or 'error' in line.lower()]
    failed = [f'no word {fault}' for fault, words in faults.items()
              if not any(all(w in line for w in words) for line in warned)]
    if len(on) != 1 or 'url=../' not in on[0]:
        failed.append(f'beside a report there is no way to the other: {on}')
    if good:
        failed.append('the build did not fail')
    if failed:
        print(said, *failed, sep='\n')
    return failed


def main():
    absent = missing()
    if absent:
        print(f'skipped: the site needs {", ".join(absent)}')
        return SKIPPED
    if sys.argv[1:] == ['--self-test']:
        return 1 if self_test() else 0
    root, output, *version = sys.argv[1:]
    good, said = build(pathlib.Path(root).resolve(), pathlib.Path(output).resolve(), *version)
    print(said, end='')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
