#!/usr/bin/env python3
"""How old the result files are that pages quote: from which commit each is, and whether what it
measured has changed since.

usage: ages.py              lists the quoted files
       ages.py --check      exit code 1 if one is of an unknown commit or of changes in no commit, and
                            is not in EXCEPTIONS, or if a result file is quoted nowhere, or the page of
                            the results miscounts those without `measured`; 77 where there is no history
                            to look into
       ages.py --self-test  checks that the check fails where it must

tools/tables.py writes the sentence of `Ages.sentence` on the pages, below what it is of."""

import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from kept_reports import folder_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What is measured. Prose beside it is not, nor are comments and white space in it (code_of).
MEASURED = ("core", "backends", "transports", ":(exclude)*.md")
CHANGED = " Core, backends or transports have changed since."
UNKNOWN = ", which is not in this repository"
DIRTY = ", with changes that are in no commit"
SKIP = 77
# Quoted all the same, with a sentence on the page: nobody can measure them again as they were.
EXCEPTIONS = {
    "h200-x4/gpus-scaling.json": "four GPUs, by a policy that is gone",
    "h200-x4/gpus-start.json": "four GPUs, by a policy that is gone",
}


def told(data, key):
    """All texts that stand as `key` in a result, in its order; a commit can also be one of each side."""
    found = []
    if isinstance(data, dict):
        value = data.get(key)
        found += [value] if isinstance(value, str) else list(value.values()) if isinstance(value, dict) else []
        for name, inner in data.items():
            if name not in ("measured", key):
                found += told(inner, key)
    elif isinstance(data, list):
        for inner in data:
            found += told(inner, key)
    return list(dict.fromkeys(found))


def listed(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def code_of(text):
    """A C++ file without comments and white space."""
    without = re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', lambda m: m[1] or " ", text, flags=re.S)
    return "".join(without.split())


class Ages:
    """Of the result files of a checkout."""

    def __init__(self, root=ROOT):
        self.root = pathlib.Path(root)

    def git(self, *words):
        return subprocess.run(["git", "-C", self.root, *words], capture_output=True, text=True, check=False)

    @functools.cached_property
    def no_history(self):
        """Why nothing can be said of commits; "" if it can."""
        try:
            done = self.git("rev-parse", "--is-shallow-repository", "--show-prefix")
        except OSError:
            return "there is no git"
        said = done.stdout.splitlines()
        if done.returncode != 0 or (len(said) > 1 and said[1]):
            return "this is not a checkout"
        return "the history is cut" if said[0] == "true" else ""

    @functools.cache
    def known(self, commit):
        return self.git("cat-file", "-e", commit + "^{commit}").returncode == 0

    @functools.cache
    def changed(self, commit):
        """Whether the code as it is, committed or not, differs from that commit's."""
        names = self.git("diff", "--name-only", commit, "--", *MEASURED).stdout.splitlines()
        return any(code_of(self.git("show", f"{commit}:{name}").stdout) != self.code_here(name) for name in names)

    @functools.cache
    def code_here(self, name):
        path = self.root / name
        return code_of(path.read_text(encoding="utf-8")) if path.exists() else ""

    @functools.cache
    def since(self, commit):
        """How many commits changed them."""
        return len(self.git("rev-list", f"{commit}..HEAD", "--", *MEASURED).stdout.split())

    @staticmethod
    def commits(data):
        return told(data, "commit") or ["unknown"]

    def sentence(self, data):
        """When and at which commit, and whether that is still what there is."""
        parts = []
        for commit in self.commits(data):
            clean = commit.replace("-dirty", "")
            parts.append(f"`{clean}`" + (DIRTY if clean != commit else "")
                         + ("" if self.no_history or self.known(clean) else UNKNOWN))
        days = sorted({date[:10] for date in told(data, "date")})
        when = "" if not days else f", {days[0]}" if len(days) == 1 else f", {days[0]} to {days[-1]}"
        return f"Measured at {listed(parts)}{when}.{self.change(data)}"

    def change(self, data):
        if self.no_history:
            return ""
        known = [c for c in (c.replace("-dirty", "") for c in self.commits(data)) if self.known(c)]
        # What is of an unknown commit is of another state, as far as anybody can say.
        return CHANGED if not known or any(map(self.changed, known)) else ""

    def problems(self, files):
        """What is wrong with files that pages quote."""
        found = []
        for name in files:
            data = json.loads((self.root / "bench" / "results" / name).read_text(encoding="utf-8"))
            wrong = [f"of changes in no commit ({c})" for c in self.commits(data) if c.endswith("-dirty")]
            wrong += [f"of the unknown commit {c}" for c in self.commits(data)
                      if not c.endswith("-dirty") and not self.known(c)]
            if wrong and name not in EXCEPTIONS:
                found.append(f"{name} is {'; '.join(wrong)}")
            elif not wrong and name in EXCEPTIONS:
                found.append(f"{name} needs no exception: take it out of tools/ages.py")
        return found

    def quoted(self):
        """The files that tables, plots and reports of the pages are made of, and those that pages link."""
        docs = self.root / "docs"
        results = self.root / "bench" / "results"
        files = set()
        for page in (*docs.glob("*.md"), *self.root.glob("*.md")):
            text = page.read_text(encoding="utf-8")
            for names in re.findall(r"<!-- table \w+ (\S+\.json) -->", text):
                files.update(names.split("+"))
            files.update(re.findall(r"\]\((?:\.\./)?bench/results/([^)\s]+\.json)\)", text))
        for plot in docs.glob("plots/*.svg"):
            files.update(re.findall(r"([\w-]+/[\w-]+\.json) [0-9a-f]{16}", plot.read_text(encoding="utf-8")))
        for report in docs.glob("evaluation/*.html"):
            folder = folder_of(report, self.root)
            files.update(str(path.relative_to(results)) for path in folder.glob("*.json"))
        return sorted(files)

    def forgotten(self):
        """Result files that no page quotes: nobody would see that they are old."""
        results = self.root / "bench" / "results"
        there = {str(path.relative_to(results)) for path in results.rglob("*.json")}
        return sorted(there - set(self.quoted()))

    def without_circumstances(self):
        """Quoted files that do not say under which circumstances they were measured."""
        results = self.root / "bench" / "results"
        return [name for name in self.quoted() if not name.endswith("/about.json")
                and '"measured"' not in (results / name).read_text(encoding="utf-8")]

    def miscounted(self):
        """Whether the page of the results gives another number of those."""
        page = self.root / "bench" / "results" / "README.md"
        said = re.search(r"(\d+) quoted files lack `measured`", page.read_text(encoding="utf-8"))
        there = len(self.without_circumstances())
        return [] if said and int(said[1]) == there else [f"README.md: {there} quoted files lack `measured`"]


def without_ages(text):
    """A page without what only the history tells."""
    return text.replace(CHANGED, "").replace(UNKNOWN, "")


def show(ages):
    bare = set(ages.without_circumstances())
    for name in ages.quoted():
        data = json.loads((ages.root / "bench" / "results" / name).read_text(encoding="utf-8"))
        for commit in ages.commits(data):
            clean = commit.replace("-dirty", "")
            age = f"{ages.since(clean)} commits to core, backends and transports since" \
                if ages.known(clean) else "not in this repository"
            print(f"{name:34} {commit:20} {age}{', without `measured`' if name in bare else ''}")


def check(ages):
    if ages.no_history:
        print(f"Commits are not looked at: {ages.no_history}")
        return SKIP
    found = ages.problems(ages.quoted()) + [f"{name} is quoted by no page" for name in ages.forgotten()]
    found += ages.miscounted()
    for problem in found:
        print(f"bench/results/{problem}")
    return 1 if found else 0


def self_test():
    """Plants each fault in a repository of its own."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "full"
        results = root / "bench" / "results"
        for path in (root / "core", root / "docs", results):
            path.mkdir(parents=True)

        def git(*words, where=root):
            return subprocess.run(["git", "-C", where, "-c", "user.name=a", "-c", "user.email=a@b", *words],
                                  capture_output=True, text=True, check=True).stdout.strip()

        def commit(text):
            (root / "core" / "a.hpp").write_text(text, encoding="utf-8")
            git("add", "-A")
            git("commit", "-q", "-m", text)
            return git("rev-parse", "--short=12", "HEAD")

        git("init", "-q")
        first = commit("1")
        (root / "docs" / "page.md").write_text("<!-- table runs x.json -->\n<!-- end -->\n", encoding="utf-8")

        def outcome(of):
            (results / "x.json").write_text(json.dumps([{"commit": of, "date": "2026-01-02T03:04Z"}]),
                                            encoding="utf-8")
            ages = Ages(root)
            return len(ages.problems(ages.quoted())), ages.sentence([{"commit": of, "date": "2026-01-02"}])

        assert outcome(first) == (0, f"Measured at `{first}`, 2026-01-02.")
        assert outcome(first + "-dirty")[0] == 1
        assert outcome("0123456789ab")[0] == 1 and UNKNOWN in outcome("0123456789ab")[1]
        (root / "core" / "note.md").write_text("prose", encoding="utf-8")
        assert CHANGED not in outcome(first)[1]
        (root / "core" / "a.hpp").write_text(" 1 // a\n/* b\n*/\n", encoding="utf-8")
        assert CHANGED not in outcome(first)[1]
        (root / "core" / "a.hpp").write_text("not committed", encoding="utf-8")
        assert outcome(first)[1].endswith(CHANGED)
        for link in ("[x](../bench/results/y.json)", "[`y.json`](../bench/results/y.json), of two"):
            (results / "y.json").write_text(json.dumps({"commit": "0123456789ab"}), encoding="utf-8")
            assert outcome(first)[0] == 0 and Ages(root).forgotten() == ["y.json"]
            (root / "docs" / "other.md").write_text(link, encoding="utf-8")
            assert outcome(first)[0] == 1 and Ages(root).forgotten() == []
            (root / "docs" / "other.md").unlink()
        (results / "y.json").unlink()
        (results / "README.md").write_text("1 quoted files lack `measured`", encoding="utf-8")
        assert outcome(first)[0] == 0 and Ages(root).miscounted() == []
        (results / "x.json").write_text(json.dumps({"commit": first, "measured": {}}), encoding="utf-8")
        assert len(Ages(root).miscounted()) == 1
        second = commit("2")
        assert outcome(first)[1].endswith(CHANGED) and outcome(second)[1].endswith("2026-01-02.")
        assert without_ages(outcome(first)[1]) == f"Measured at `{first}`, 2026-01-02."
        cut = pathlib.Path(folder) / "cut"
        git("clone", "-q", "--depth", "1", f"file://{root}", cut)
        assert Ages(cut).no_history == "the history is cut"
        assert Ages(cut / "core").no_history == "this is not a checkout"
    return 0


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    ages = Ages()
    if "--check" in sys.argv[1:]:
        return check(ages)
    show(ages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
