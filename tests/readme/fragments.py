#!/usr/bin/env python3
"""Compiles every ```cpp block of the Markdown pages, and runs those that are programs.

usage: fragments.py syntax ROOT -- COMPILER...  compiles the fragments of a source tree, without code
       fragments.py run ROOT -- COMPILER...     compiles the programs and runs them
       fragments.py alone ROOT -- COMPILER...   compiles each program by itself, without code, and
                                                looks whether it includes what it uses
       fragments.py cuda ROOT                   the same by nvcc, of the programs that name a GPU
       fragments.py --self-test -- COMPILER...  checks that all fail where they must

A block with a main() is a program, and a block ```output behind it is what it prints; there numbers
with a point and numbers of workers, which differ by machine, may be any. Other blocks are fragments:
what they declare is put into a namespace of the page, what they do into a function. What a page does
not show, but its fragments need, stands in comments: <!-- cpp, the lines, and -->.
All fragments are one translation unit, all programs that run another; the compiler's messages name
the page and its line.

Exit code: 77 if there is no nvcc.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r'^(?:```(cpp|output)|<!-- (cpp))[ \t]*\n(.*?)^(?:```|-->)[ \t]*$',
                   re.DOTALL | re.MULTILINE)
INCLUDE = re.compile(r'^#include .*$', re.MULTILINE)
DECLARES = re.compile(r'(?:struct|class|enum|template|using|namespace|inline|extern|static_assert)\b')
HEADERS = ['algorithm', 'atomic', 'chrono', 'cstdint', 'cstdio', 'span', 'string', 'thread', 'vector',
           'mgws/mgws.hpp']
# A fragment may show variables that it does not use, and a program the order that reads best.
FLAGS = ['-std=c++20', '-Wall', '-Wextra', '-Werror', '-Wno-unused-variable', '-Wno-unused-but-set-variable',
         '-pthread']
# As users are told, but for the oldest GPU that mgws is for. What is made of the kernels is thrown away:
# nvcc has no way to look at a source only.
CUDA_FLAGS = ['-std=c++20', '--expt-relaxed-constexpr', '-Werror=cross-execution-space-call', '-x', 'cu',
              '-arch=sm_80', '-O0', '-Xcicc', '-O0', '-ptx']
# The headers of what programs use of the standard library. The compiler does not miss those that
# mgws/mgws.hpp includes itself, but a reader who leaves that out of a file does.
OF_STANDARD = {
    'algorithm': 'count count_if find find_if max min sort',
    'atomic': 'atomic',
    'cstdint': 'int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t',
    'cstdio': 'fprintf printf puts',
    'numeric': 'accumulate iota',
    'span': 'span',
    'string': 'string to_string',
    'thread': 'jthread thread',
    'vector': 'vector',
}
HEADER_OF = {name: header for header, names in OF_STANDARD.items() for name in names.split()}
SKIPPED = 77


class page:
    """The blocks of a page, each as the lines of a source that say where they stand."""

    def __init__(self, path):
        self.name = re.sub(r'\W', '_', path.stem)
        self.declarations, self.functions, self.programs = [], [], []
        text = path.read_text(encoding='utf-8')
        for match in BLOCK.finditer(text):
            kind = match.group(1) or match.group(2)
            body = match.group(3)
            line = text.count('\n', 0, match.start(3)) + 1
            where = f'{path.name}:{line}'
            if kind == 'output':
                if not self.programs:
                    raise ValueError(f'{where}: output of no program')
                self.programs[-1][2] = body
            elif re.search(r'^int main\(', body, re.MULTILINE):
                self.programs.append([where, f'#line {line} "{path.name}"\n{body}', None])
            else:
                self.add(body, line, path.name)

    def add(self, body, line, name):
        """Parts a fragment into what it declares and what it does, by the depth of braces."""
        depth = 0
        declaring = False
        declared, done = [], []
        for number, text in enumerate(body.splitlines(), line):
            if depth == 0 and not declaring:
                declaring = bool(DECLARES.match(text))
            (declared if declaring else done).append(f'#line {number} "{name}"\n{text}')
            code = re.sub(r'//.*|"[^"]*"', '', text)
            depth += code.count('{') - code.count('}')
            if depth == 0 and declaring and re.search(r'[;}]\s*$', code):
                declaring = False
        if declared:
            self.declarations.append('\n'.join(declared))
        if any(re.sub(r'#line.*|//.*|\s', '', text) for text in done):
            self.functions.append('\n'.join(done))


def fragments_of(pages):
    """One source with the fragments of all pages."""
    source = [f'#include <{h}>' for h in HEADERS]
    for p in pages:
        source.append(f'namespace page_{p.name} {{')
        source += p.declarations
        for i, body in enumerate(p.functions):
            source += [f'void fragment_{i}() {{', body, '}']
        source.append('}')
    return '\n'.join(source) + '\n'


def programs_of(programs):
    """One source with all programs, run by number. Only a real main() may end without a return."""
    source = sorted({i for _, text, _ in programs for i in INCLUDE.findall(text)} | {'#include <cstdlib>'})
    for i, (_, text, _) in enumerate(programs):
        text = re.sub(r'^\}\s*\Z', 'return 0; }\n', INCLUDE.sub('', text), flags=re.MULTILINE)
        source += [f'namespace program_{i} {{', text, '}']
    cases = ' '.join(f'case {i}: return program_{i}::main();' for i in range(len(programs)))
    source.append(f'int main(int, char** v) {{ switch (std::atoi(v[1])) {{ {cases} }} return 99; }}')
    return '\n'.join(source) + '\n'


def expected(shown):
    """What a page shows as output, as a pattern."""
    pattern = re.escape(shown.strip())
    pattern = re.sub(r'\d+\\\.\d+', r'\\d+\\.\\d+', pattern)
    return re.sub(r'on\\ \d+\\ workers', r'on\\ \\d+\\ workers', pattern)


def compiled(compiler, source, *more):
    """What the compiler says about a source; nothing if that is right."""
    done = subprocess.run([*compiler, *FLAGS, *more, '-x', 'c++', '-'], input=source, capture_output=True,
                          text=True, check=False)
    return done.stderr or (f'the compiler ended with {done.returncode}' if done.returncode != 0 else '')


def nvcc():
    """Where the compiler for NVIDIA's GPUs is, or None."""
    return shutil.which('nvcc') or shutil.which('/usr/local/cuda/bin/nvcc')


def programs_on(pages):
    """All programs, each once: the tutorial begins with the README's."""
    return list({re.sub('^#line.*', '', text): (where, text, shown)
                 for p in pages for where, text, shown in p.programs}.values())


def not_included(where, text):
    """What a program uses of the standard library, and does not include."""
    name, line = where.split(':')
    included = re.findall(r'^#include <(.*)>', text, re.MULTILINE)
    faults = []
    for number, code in enumerate(text.splitlines()[1:], int(line)):
        for used in re.findall(r'\bstd::(\w+)', re.sub(r'//.*|"(?:\\.|[^"\\])*"', '', code)):
            if used not in HEADER_OF:
                faults.append(f'{name}:{number}: in which header is std::{used}? It belongs into OF_STANDARD.')
            elif HEADER_OF[used] not in included:
                faults.append(f'{name}:{number}: std::{used} needs #include <{HEADER_OF[used]}>')
    return faults


def syntax(pages, compiler):
    """The faults of the fragments, and how many there are."""
    said = compiled(compiler, fragments_of(pages), '-fsyntax-only')
    return [said] if said else [], sum(len(p.declarations) + len(p.functions) for p in pages)


def run(pages, compiler):
    """The faults of the programs, and how many there are."""
    programs = programs_on(pages)
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        program = f'{folder}/programs'
        said = compiled(compiler, programs_of(programs), '-O0', '-o', program)
        if said:
            return [said], len(programs)
        for i, (where, _, shown) in enumerate(programs):
            done = subprocess.run([program, str(i)], capture_output=True, text=True, check=False, timeout=120)
            if done.returncode != 0:
                faults.append(f'{where}: the program ended with {done.returncode}: {done.stderr}')
            elif shown is not None and not re.fullmatch(expected(shown), done.stdout.strip()):
                faults.append(f'{where}: the program printed "{done.stdout.strip()}", not "{shown.strip()}"')
    return faults, len(programs)


def alone(pages, compiler):
    """What each program lacks by itself, and how many there are."""
    programs = programs_on(pages)
    faults = []
    for where, text, _ in programs:
        said = compiled(compiler, text, '-fsyntax-only')
        faults += [said] if said else not_included(where, text)
    return faults, len(programs)


def cuda(pages, compiler):
    """The faults of the programs that name a GPU, where a GPU's compiler compiles them, and how many there are."""
    programs = [text for _, text, _ in programs_on(pages) if 'device_kind::gpu' in text]
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / 'program.cu'
        for text in programs:
            source.write_text(text, encoding='utf-8')
            done = subprocess.run([*compiler, *CUDA_FLAGS, '-o', f'{folder}/program.ptx', source], capture_output=True,
                                  text=True, check=False)
            if done.returncode != 0 or done.stderr:
                faults.append(done.stdout + done.stderr or f'nvcc ended with {done.returncode}')
    return faults, len(programs)


def self_test(compiler):
    """Every planted fault is found, at its line, and nothing where there is none."""
    program = '```cpp\n#include <cstdio>\nint main() {\n  std::puts("took 0.5 s on 4 workers");\n%s}\n```\n'
    output = '```output\ntook %s s on 16 workers\n```\n'
    lacking = (program % '').replace('#include <cstdio>\n', '')
    fragment = '<!-- cpp\nextern int known;\n-->\n\n' \
               '```cpp\nstruct task {\n  int x;\n};\nknown = task{1}.%s;\n```\n'
    good = fragment % 'x' + program % '' + output % '12.25'
    cases = [
        (syntax, good, None),
        (syntax, fragment % 'y', 'a_page.md:9'),
        (syntax, fragment.replace('extern int known;', '') % 'x', 'a_page.md:9'),
        (syntax, fragment.replace('int x;', 'in x;') % 'x', 'a_page.md:7'),
        (run, good, None),
        (run, program % '  return 3;\n', 'a_page.md:2'),
        (run, program % '  std::put("x");\n', 'a_page.md:5'),
        (run, program % '' + output % '12', 'a_page.md:2'),
        (alone, good, None),
        (alone, program % '  std::uint8_t x = 1;\n', 'a_page.md:5'),
        (alone, program % '  std::string x;  // std::vector\n', 'a_page.md:5'),
        (alone, program.replace('cstdio', 'mgws/mgws.hpp') % '', 'a_page.md:4: std::puts needs #include <cstdio>'),
        (alone, program % '  std::rename("std::puts", "b");\n', 'a_page.md:5: in which header is std::rename?'),
        # Together with another one it would be right.
        (run, good + lacking, None),
        (alone, good + lacking, 'error:'),
    ]
    if nvcc():
        kernel = '```cpp\n#include <cstdint>  // device_kind::gpu\nint on_host() { return 1; }\n' \
                 '__global__ void f(int* p) { *p = %s; }\nint main() { f<<<1, 1>>>(nullptr); }\n```\n'
        cases += [(cuda, kernel % '1', None), (cuda, kernel % 'on_host()', 'a_page.md'), (cuda, program % 'x', None)]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / 'mgws').mkdir()
        # As the real one, it includes more than it says.
        (pathlib.Path(folder) / 'mgws' / 'mgws.hpp').write_text('#include <cstdio>\n', encoding='utf-8')
        path = pathlib.Path(folder) / 'a_page.md'
        for check, text, where in cases:
            path.write_text(text, encoding='utf-8')
            found, _ = check([page(path)], [nvcc()] if check is cuda else [*compiler, f'-I{folder}'])
            if bool(found) != bool(where) or (where and where not in found[0]):
                failed.append(f'{where}: {found}\n{text}')
    return failed


def main():
    at = sys.argv.index('--') if '--' in sys.argv else len(sys.argv)
    what, *root = sys.argv[1:at]
    compiler = sys.argv[at + 1:]
    if what == 'cuda':
        if not nvcc():
            print('skipped: no nvcc, neither in PATH nor in /usr/local/cuda/bin')
            return SKIPPED
        compiler = [nvcc(), f'-I{root[0]}/include', f'-I{root[0]}/backends/cuda/port']
    if what == '--self-test':
        faults = self_test(compiler)
    else:
        root = pathlib.Path(root[0])
        pages = [page(path) for path in [*sorted(root.glob('*.md')), *sorted(root.glob('docs/*.md'))]]
        faults, n = {'syntax': syntax, 'run': run, 'alone': alone, 'cuda': cuda}[what](pages, compiler)
        print(f'{n} parts of {len(pages)} pages')
        if n == 0:
            faults.append('no page has any')
    print('\n'.join(faults))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
