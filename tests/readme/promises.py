#!/usr/bin/env python3
"""Checks what two pages say of the sources as a whole.

docs/reference.md: every class, structure, enumeration and concept that a header of include/mgws
declares in namespace mgws has its entry there and a comment before it, or is an exception below.
docs/examples.md: every example is on it and has at most so many lines, and so is every header that
examples share, with its length.

usage: promises.py ROOT         checks a source tree
       promises.py --self-test  checks that the check fails where it must
"""

import pathlib
import re
import sys
import tempfile

# What a user need not know, and why.
EXCEPTIONS = {
    'host_memory': 'the memory_space of CPU workers; users have it as that, from a runtime',
}
MOST_LINES = 120

NAMESPACE = re.compile(r'(?:inline )?namespace ([\w:]*) ?\{')
DECLARES = re.compile(r'(?:class|struct|enum(?: class)?|concept)\s+(?:alignas\(.*?\)+ )?(\w+)\b(?!\s*;)')
CODE = re.compile(r'//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'')
ENTRY = re.compile(r'^```\{doxygen\w+\} mgws::(\w+)$', re.MULTILINE)


def declared(text):
    """What a header declares in namespace mgws: (line, name, whether a comment stands before it)."""
    namespaces = []  # each with the depth of braces inside it
    depth = 0
    commented = begun = False  # of the declaration that goes on
    for number, line in enumerate(text.splitlines(), 1):
        code = CODE.sub('', line)
        outside = depth == (namespaces[-1][1] if namespaces else 0)
        namespace = NAMESPACE.match(code)
        if outside and namespace:
            namespaces.append((namespace.group(1), depth + 1))
        elif outside and not code.startswith('#'):
            if line.startswith('///'):
                commented = True
            elif code.strip():
                named = DECLARES.match(code)
                # MGWS_PORT is an inline namespace.
                if named and [n for n, _ in namespaces if n != 'MGWS_PORT'] == ['mgws']:
                    yield number, named.group(1), commented
                begun = True
            elif not begun:
                commented = False
        depth += code.count('{') - code.count('}')
        while namespaces and depth < namespaces[-1][1]:
            namespaces.pop()
        if begun and depth == (namespaces[-1][1] if namespaces else 0) and re.search(r'[;}]\s*$', code):
            commented = begun = False


def of_reference(root):
    """What docs/reference.md lacks, and how many names were looked for."""
    entries = set(ENTRY.findall((root / 'docs/reference.md').read_text(encoding='utf-8')))
    found, names = [], set()
    for folder in ('include/mgws', 'include/mgws/probe'):
        for path in sorted((root / folder).glob('*.hpp')):
            for number, name, commented in declared(path.read_text(encoding='utf-8')):
                names.add(name)
                where = f'{path.relative_to(root)}:{number}: {name}'
                if name in EXCEPTIONS:
                    if name in entries:
                        found.append(f'{where} is on docs/reference.md: it needs no exception')
                    continue
                if name not in entries:
                    found.append(f'{where} is not on docs/reference.md')
                if not commented:
                    found.append(f'{where} has no comment')
    found += [f'no header declares {name}: it needs no exception' for name in EXCEPTIONS if name not in names]
    return found, len(names)


def of_examples(root):
    """What docs/examples.md says wrong, and how many files were looked at."""
    page = (root / 'docs/examples.md').read_text(encoding='utf-8')
    found = [] if f'at most {MOST_LINES} lines' in page else \
        [f'docs/examples.md does not say that examples have at most {MOST_LINES} lines']
    programs = sorted((root / 'examples').glob('*.cpp'))
    headers = sorted((root / 'examples').glob('*.hpp'))
    for path in [*programs, *headers]:
        name = path.relative_to(root)
        lines = path.read_text(encoding='utf-8').count('\n')
        on_page = re.search(rf'\]\(\.\./{name}\)(?: \((\d+) lines\))?', page)
        if not on_page:
            found.append(f'{name} is not on docs/examples.md')
        elif path in headers and on_page.group(1) != str(lines):
            found.append(f'{name} has {lines} lines, and docs/examples.md says {on_page.group(1)}')
        if path in programs and lines > MOST_LINES:
            found.append(f'{name} has {lines} lines, and may have {MOST_LINES}')
    return found, len(programs) + len(headers)


def self_test():
    """Every planted fault is found, and nothing where there is none."""
    tree = {
        'docs/reference.md': '```{doxygenclass} mgws::a\n:members:\n```\n\n```{doxygenstruct} mgws::b\n```\n'
                             '```{doxygenenum} mgws::c\n```\n\n```{doxygenconcept} mgws::d\n```\n',
        'docs/examples.md': 'Of at most 120 lines: [one](../examples/one.cpp), with '
                            '[part.hpp](../examples/part.hpp) (2 lines).\n',
        'examples/one.cpp': 'int main() {}\n',
        'examples/part.hpp': '#pragma once\nint x;\n',
        'include/mgws/a.hpp': '#pragma once\n#include <mgws/b.hpp>\n\nnamespace mgws {\n\n'
                              '/// A class.\n///\n/// Of one member.\ntemplate <class T>\n'
                              'class a : b {\n  struct inner {\n    char brace = \'}\';  // { {\n  };\n};\n\n'
                              'class later;\n\n'
                              'namespace detail {\nstruct hidden {};\n}  // namespace detail\n\n'
                              '/// Memory.\nclass host_memory {};\n\n'
                              'inline namespace MGWS_PORT {\n\n/// Four bytes.\nstruct alignas(4) b {};\n'
                              '}  // namespace MGWS_PORT\n\ninline const char* f() { return "{"; }\n'
                              '}  // namespace mgws\n\nstruct of_all {};\n'
                              'namespace mgws::detail {\nstruct deep {};\n}  // namespace mgws::detail\n',
        'include/mgws/probe/c.hpp': 'namespace mgws {\n/// A choice.\nenum class c : int { one };\n\n'
                                    '/// What has one.\ntemplate <class T>\nconcept d = requires { T::one; };\n'
                                    '}  // namespace mgws\n',
    }
    planted = [
        ('docs/reference.md', 'mgws::a', 'mgws::e', 'a.hpp:10: a is not'),
        ('docs/reference.md', 'mgws::b', 'mgws::e', 'a.hpp:28: b is not'),
        ('docs/reference.md', 'mgws::c', 'mgws::e', 'c.hpp:3: c is not'),
        ('docs/reference.md', '{doxygenconcept} mgws::d', '', 'c.hpp:7: d is not'),
        ('docs/reference.md', 'mgws::a\n', 'mgws::a\n```\n```{doxygenclass} mgws::host_memory\n', 'no exception'),
        ('include/mgws/a.hpp', 'class host_memory {};', 'class a;', 'no exception'),
        ('include/mgws/a.hpp', '/// Four bytes.', '\n', 'b has no comment'),
        ('include/mgws/a.hpp', '/// Four bytes.', '/// A number.\nint x;', 'b has no comment'),
        ('include/mgws/probe/c.hpp', '/// What has one.', '// What has one.', 'd has no comment'),
        ('docs/examples.md', '120', '100', 'does not say'),
        ('docs/examples.md', 'one.cpp', 'two.cpp', 'one.cpp is not on'),
        ('docs/examples.md', 'part.hpp)', 'parts.hpp)', 'part.hpp is not on'),
        ('docs/examples.md', '(2 lines)', '(3 lines)', 'has 2 lines, and docs/examples.md says 3'),
        ('docs/examples.md', ' (2 lines)', '', 'says None'),
        ('examples/one.cpp', '\n', '\n' * 121, 'has 121 lines'),
    ]
    failed = 0
    for file, old, new, said in [(None, '', '', ''), ('examples/one.cpp', '\n', '\n' * 120, ''), *planted]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in tree.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text.replace(old, new, 1) if name == file else text, encoding='utf-8')
            found = of_reference(root)[0] + of_examples(root)[0]
            if len(found) != (1 if said else 0) or (said and said not in found[0]):
                print(f'{file}: {old!r} to {new!r}: {found}')
                failed += 1
    return failed


def main():
    if sys.argv[1:] == ['--self-test']:
        return 1 if self_test() else 0
    root = pathlib.Path(sys.argv[1])
    found, names = of_reference(root)
    more, files = of_examples(root)
    print('\n'.join([f'{names} names, {files} files', *found, *more]))
    if names < 40 or files < 15:
        print('is this the source tree?')
        return 1
    return 1 if found or more else 0


if __name__ == '__main__':
    sys.exit(main())
