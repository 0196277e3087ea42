#!/usr/bin/env python3
"""Checks that every C++ file is laid out as .clang-format says.

usage: check.py ROOT [--clang-format PROGRAM]
       check.py --self-test [--clang-format PROGRAM]

Exit code 77, with a reason: there is no clang-format 14, or no list of files (git). Other versions lay
out some lines differently."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
KINDS = ("*.hpp", "*.cpp", "*.cu")


def misplaced(program, root, files):
    """The first complaint about each file that is laid out differently."""
    done = subprocess.run([program, "--dry-run", "-Werror", "--style=file", *files], cwd=root,
                          capture_output=True, text=True, check=False)
    found = {}
    for line in done.stderr.splitlines():
        if ": error: " in line:
            found.setdefault(line.partition(":")[0], line)
    if done.returncode != 0 and not found:
        sys.exit(f"clang-format: exit code {done.returncode}: {done.stderr[:500]}")
    return list(found.values())


def self_test(program):
    """A file that is right, and one that is not."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        style = pathlib.Path(__file__).resolve().parent.parent.parent / ".clang-format"
        (folder / ".clang-format").write_text(style.read_text(encoding="utf-8"), encoding="utf-8")
        (folder / "right.cpp").write_text("int f(int x) {\n  return x;\n}\n", encoding="utf-8")
        (folder / "wrong.cpp").write_text("int f( int x ) { return x; }\n", encoding="utf-8")
        found = misplaced(program, folder, ["right.cpp", "wrong.cpp"])
        assert len(found) == 1 and found[0].startswith("wrong.cpp:1"), found
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--clang-format", dest="program")
    asked = parser.parse_args()
    if not asked.program:
        print("Skipped: there is no clang-format 14")
        return SKIP
    if asked.self_test:
        return self_test(asked.program)
    listed = subprocess.run(["git", "-C", asked.root, "ls-files", *KINDS], capture_output=True, text=True,
                            check=False)
    files = listed.stdout.splitlines()
    if not files:
        print(f"Skipped: {asked.root} is no checkout")
        return SKIP
    found = misplaced(asked.program, asked.root, [f for f in files if (pathlib.Path(asked.root) / f).exists()])
    for line in found:
        print(line)
    if found:
        print(f"{len(found)} of {len(files)} files: clang-format-14 -i {' '.join(line.partition(':')[0] for line in found)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
