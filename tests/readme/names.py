#!/usr/bin/env python3
"""Checks what two pages name of the code. docs/path-of-a-task.md: each function is in the file that
the page names for its class, and in numbered lists each line is called by the one above.
docs/tuning.md: each constant of core/policy.hpp has a row with its value, and what rows name exists.

usage: names.py ROOT         checks a source tree
       names.py --self-test  checks that the check fails where it must

Of the path: in backticks stand functions and files. The file of a class is the one in backticks
behind the first of its functions. A line that begins with *then* has the caller of the line above.
Of the constants: `policy::k_a`, `k_b` in a row's first column are two of one class, with a value each.
"""

import pathlib
import re
import sys
import tempfile

PAGE = 'docs/path-of-a-task.md'
TUNING = 'docs/tuning.md'
POLICY = 'core/policy.hpp'
CONSTANT = re.compile(r'inline constexpr \w[\w:]* (k_\w+) = ([^;]+);')
BACKENDS = ['backends/cpu/backend.hpp', 'backends/gpu/backend.hpp']
CODE = re.compile(r'`([^`]+)`')
FUNCTION = re.compile(r'(?:\w+::)*\w+$')
FILE = re.compile(r'[\w/]+\.hpp$')
# These call what their callers say.
HAND_ON = ('ask_leader', 'lead')
ITEM = re.compile(r'\d+\. (\*then\* )?`([^`]+)`')


def is_of_library(name):
    return name.startswith('std::')


def class_of(name):
    """A function without a class stands for itself."""
    return name.rpartition('::')[0] or name


def files_by_class(text):
    """Each class with the files of its functions."""
    files = {'B': BACKENDS}
    waiting = []
    for span in CODE.findall(text):
        if FILE.match(span):
            for name in waiting:
                files[name] = [span]
            waiting = []
        elif FUNCTION.match(span) and not is_of_library(span) and class_of(span) not in files:
            waiting.append(class_of(span))
    return files


def closing(text, start, pair):
    """Where the bracket that opens at start closes."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == pair[0]) - (text[i] == pair[1])
        if depth == 0:
            return i
    return len(text)


def without_comments(text):
    return re.sub(r'//.*', '', text)


def bodies(text, function):
    """The bodies of the functions of that name."""
    for found in re.finditer(rf'\b{function}\(', text):
        end = closing(text, found.end() - 1, '()')
        if body := re.match(r'\)\s*(?:const\s*)?{', text[end:]):
            begin = end + body.end() - 1
            yield text[begin:closing(text, begin, '{}') + 1]


def calls(text, caller, callee):
    return any(re.search(rf'\b{callee}\b', body) for body in bodies(text, caller))


def faults_of_path(root):
    text = (root / PAGE).read_text(encoding='utf-8')
    files = files_by_class(text)
    sources = {}
    found = []
    looked = 0

    def texts_of(name):
        for file in files.get(class_of(name), []):
            if file not in sources:
                sources[file] = without_comments((root / file).read_text(encoding='utf-8'))
            yield sources[file]

    callers = []  # of the list, from its first line on
    for number, line in enumerate(text.splitlines(), 1):
        for name in CODE.findall(line):
            if not FUNCTION.match(name) or is_of_library(name) or name == 'B':
                continue
            looked += 1
            function = name.split('::')[-1]
            of = list(texts_of(name))
            if not of:
                found.append(f'{PAGE}:{number}: no file for {name}')
            elif not all(re.search(rf'\b{function}\(', t) for t in of):
                found.append(f'{PAGE}:{number}: {name} is not in {", ".join(files[class_of(name)])}')
        item = ITEM.match(line)
        if not item:
            if not re.match(r'\d+\. ', line):
                callers = []
            continue
        if item.group(1):
            callers.pop()
        name = item.group(2)
        function = name.split('::')[-1]
        hands_on = callers and callers[-1].split('::')[-1] in HAND_ON
        near = [c for c in callers[-3 if hands_on else -1:] if not is_of_library(c)]
        if near and not any(calls(t, c.split('::')[-1], function) for c in near for t in texts_of(c)):
            found.append(f'{PAGE}:{number}: {near[-1]} does not call {name}')
        callers.append(name)
    return found, looked


def rows_of_constants(text):
    """Of each row of a table of constants: the line's number, the constants with their classes, and
    the values as they stand there."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        cells = [c.strip() for c in line.split('|')]
        inside = line.startswith('|') and (inside or cells[1:4] == ['constant', 'value', 'unit'])
        names = [s for s in CODE.findall(cells[1]) if FUNCTION.match(s)] if inside else []
        if names:
            room = class_of(names[0])
            yield number, [(room, n.split('::')[-1]) for n in names], cells[2].split(', ')


def as_in_row(value):
    """A value of the code as a row says it."""
    value = re.sub(r'[\w:]+\{1\} << ', '2^', value).replace("'", ',')
    return re.sub(r'(k_\w+)', r'`\1`', value)


def faults_of_constants(root):
    there = dict(CONSTANT.findall((root / POLICY).read_text(encoding='utf-8')))
    code = ''.join(p.read_text(encoding='utf-8') for room in ('core', 'backends', 'runtime')
                   for p in (root / room).rglob('*.hpp'))
    found = []
    with_row = set()
    for number, names, values in rows_of_constants((root / TUNING).read_text(encoding='utf-8')):
        for (room, name), value in zip(names, values + len(names) * [None]):
            if room != 'policy':
                if not re.search(rf'\b{name}\b', code):
                    found.append(f'{TUNING}:{number}: nothing is called {name}')
            elif name not in there:
                found.append(f'{TUNING}:{number}: {name} is not in {POLICY}')
            else:
                with_row.add(name)
                if value != as_in_row(there[name]):
                    found.append(f'{TUNING}:{number}: {name} is {as_in_row(there[name])}, not {value}')
    found += [f'{POLICY}: {name} has no row in {TUNING}' for name in there if name not in with_row]
    return found, len(with_row)


def faults(root):
    path, functions = faults_of_path(root)
    table, constants = faults_of_constants(root)
    return path + table, functions, constants


def self_test():
    page = ('From `a::begin` (`core/a.hpp`), `a::last`; `free_one` (`core/b.hpp`).\n\n'
            '1. `a::begin`\n2. `a::middle`\n3. *then* `b::ask` (`core/b.hpp`): (`b::end`)\n'
            '4. `std::gone`\n\n1. `a::goes`\n2. `a::ask_leader`\n3. `a::lead`\n4. `b::end`\n\n')
    tree = {
        'core/a.hpp': 'void begin(int x = f()) {\n  middle(); ask();\n}\nint middle() const { return 1; }\n'
                      'void last();  // gone()\nvoid goes() { ask_leader<&b::end>(); }\n'
                      'auto ask_leader() { lead([] {}); }\nauto lead() { return f(); }\n',
        'core/b.hpp': 'void ask() { end(); std::gone(); }\nvoid end() {}\nvoid free_one() {}\n',
        'backends/cpu/backend.hpp': 'x exchange(int);\n',
        'backends/gpu/backend.hpp': 'x exchange(int);\nx load(int);\n',
    }
    planted = ['`a::gone`', '`c::gone`', '`B::load`', '`free`',
               '1. `a::begin`\n2. `b::end`', '1. `a::begin`\n2. `a::middle`\n3. `b::ask`',
               '1. `b::ask`\n2. `a::ask_leader`\n3. `a::lead`\n4. `a::middle`',
               '1. `a::middle`\n2. *then* `a::last`\n3. `b::end`']
    tree[POLICY] = ("inline constexpr std::uint32_t k_a = 20'000;\n"
                    'inline constexpr int k_b = k_a / 2;\n'
                    'inline constexpr std::uint64_t k_c = std::uint64_t{1} << 20;\n')
    tree[PAGE] = page
    tree[TUNING] = ('`policy::k_gone`\n\n| constant | value | ms |\n|---|---|---|\n| `k_gone` | 1 | 2 |\n\n'
                    '| constant | value | unit |\n|---|---|---|\n'
                    '| `policy::k_a`, `k_c` | 20,000, 2^20 | - |\n'
                    '| `B::load` (`core/a.hpp`) | many | - |\n| slow start | 1, 2 | - |\n'
                    '| `policy::k_b` | `k_a` / 2 | - |\n')
    rows = ['| `policy::k_d` | 1 | - |', '| `B::never` | 1 | - |', '| `policy::k_a` | 30,000 | - |',
            '| `policy::k_a` | - | - |']
    cases = [(PAGE, '', False), (PAGE, '`B::exchange`', False),
             *((PAGE, line, True) for line in planted), *((TUNING, row, True) for row in rows),
             (POLICY, 'inline constexpr int k_e = 1;', True)]
    failed = 0
    for file, line, is_fault in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in tree.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text + (line + '\n' if name == file else ''), encoding='utf-8')
            found, _, _ = faults(root)
            if bool(found) != is_fault:
                print(f'{file}: {line!r}: {found}')
                failed += 1
    return failed


def main():
    if sys.argv[1:] == ['--self-test']:
        return 1 if self_test() else 0
    found, functions, constants = faults(pathlib.Path(sys.argv[1]))
    print('\n'.join(found))
    if functions < 50 or constants < 15:
        print(f'only {functions} functions and {constants} constants: are these the pages?')
        return 1
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
