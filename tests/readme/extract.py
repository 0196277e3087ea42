#!/usr/bin/env python3
"""Writes the first C++ program of a Markdown file to a file of its own.

usage: extract.py README OUTPUT [MOST_LINES]
"""

import re
import sys


def main():
    readme, output, *most = sys.argv[1:]
    with open(readme, encoding='utf-8') as file:
        text = file.read()
    block = re.search(r'^```cpp[ \t]*\n(.*?)^```[ \t]*$', text, re.DOTALL | re.MULTILINE)
    if block is None:
        print(f'{readme} has no ```cpp block')
        return 1
    program = block.group(1)
    lines = program.count('\n')
    if most and lines > int(most[0]):
        print(f'the program of {readme} has {lines} lines, and may have {most[0]}')
        return 1
    with open(output, 'w', encoding='utf-8') as file:
        file.write(program)
    return 0


if __name__ == '__main__':
    sys.exit(main())
