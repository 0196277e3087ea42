#!/usr/bin/env python3
"""Compares the numbers in the pages' sentences with the result files that they are of.

usage: claims.py              corrects the numbers, and says what it cannot
       claims.py --check      writes nothing; exit code 1, with page and line, what stands there and what
                              the file gives, for each number that is wrong or of nothing
       claims.py --self-test  checks that the check fails where it must

tools/claims.toml is the list. A [[claim]] has

  page    the page
  text    a part of a sentence, as it stands, with {} for each number
  file    what it is of, below bench/results; or a list
  values  for each {} an expression: `a` is the first file, `b` the second, what they are asked is in
          tools/kept.py. The page says how it is rounded: to as many digits behind the point as stand there
  holds   expressions that must be true, for what a sentence says in words

and a [[given]], of what nobody measured here, page, text, a regular expression, and `of`: whose number it
is. tools/sentences.py finds the sentences with a measured number that have neither."""

import math
import pathlib
import re
import statistics
import sys
import tempfile

try:
    import tomllib
except ModuleNotFoundError:
    print('skipped: the list needs Python 3.11 or newer')
    sys.exit(77)

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from ages import Ages  # noqa: E402
from kept import Kept  # noqa: E402
from sentences import unfounded, without_tables  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = "tools/claims.toml"
NUMBER = r"(-?\d(?:[\d,.]*\d)?)"
MAY_CALL = {"min": min, "max": max, "sum": sum, "len": len, "all": all, "any": any, "abs": abs, "round": round,
            "ceil": math.ceil, "median": statistics.median, "mean": statistics.geometric_mean}


def written(value, like):
    """A value as a page writes it that has `like` there."""
    digits = len(like.partition(".")[2])
    plain = f"{value:,.{digits}f}"
    return plain if "," in like or len(like.partition(".")[0]) < 4 else plain.replace(",", "")


class Claims:
    """Of the pages of a checkout."""

    def __init__(self, root=ROOT):
        self.root = pathlib.Path(root)
        with open(self.root / LIST, "rb") as file:
            listed = tomllib.load(file)
        self.claims = listed.get("claim", [])
        self.given = listed.get("given", [])
        self.kept = {}
        self.found = []
        # Where claims stand, by page: spans of characters.
        self.spans = {}

    def files(self):
        return sorted({name for claim in self.claims for name in self.names(claim)})

    @staticmethod
    def names(claim):
        return [claim["file"]] if isinstance(claim["file"], str) else claim["file"]

    def asked(self, claim, expression):
        names = {"__builtins__": MAY_CALL}
        for letter, name in zip("abcd", self.names(claim)):
            if name not in self.kept:
                self.kept[name] = Kept(self.root / "bench" / "results" / name)
            names[letter] = self.kept[name]
        return eval(expression, names)  # The list is as trusted as this program.

    def look(self, claim, text):
        """What is wrong with one claim, and the page's text with its numbers corrected."""
        page, values = claim["page"], claim.get("values", [])
        begin = claim["text"][:60]
        parts = claim["text"].split("{}")
        if len(parts) - 1 != len(values) or not (values or claim.get("holds")):
            self.found.append(f"{LIST}: \"{begin}\" of {page} has {len(parts) - 1} places and {len(values)} values")
            return text
        matches = list(re.finditer(NUMBER.join(map(re.escape, parts)), without_tables(text)))
        if len(matches) != 1:
            self.found.append(f"{page}: \"{begin}\" stands there {len(matches)} times, once is asked ({LIST})")
            return text
        match = matches[0]
        where = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
        self.spans.setdefault(page, []).append(match.span())
        corrected = []
        try:
            for there, expression in zip(match.groups(), values):
                value = self.asked(claim, expression)
                if isinstance(value, bool) or not math.isfinite(value):
                    raise ValueError(f"{expression} is no number")
                corrected.append(written(value, there))
                if corrected[-1] != there:
                    self.found.append(f"{where}: {there} stands in \"{begin}\", and "
                                      f"{' and '.join(self.names(claim))} gives {value:.6g} ({expression})")
            for expression in claim.get("holds", []):
                if self.asked(claim, expression) is not True:
                    self.found.append(f"{where}: \"{begin}\" does not hold by {' and '.join(self.names(claim))}: "
                                      f"{expression}")
        except (OSError, LookupError, ValueError, TypeError, AttributeError, NameError, SyntaxError) as error:
            self.found.append(f"{where}: \"{begin}\": {type(error).__name__}: {error}")
            return text
        for i in range(len(corrected), 0, -1):
            text = text[:match.start(i)] + corrected[i - 1] + text[match.end(i):]
        return text

    def pages(self):
        return [path for path in (self.root / "README.md", self.root / "CHANGELOG.md",
                                  *sorted((self.root / "docs").glob("*.md"))) if path.exists()]

    def run(self, write=False):
        """All that is wrong, one line each."""
        for path in self.pages():
            page = str(path.relative_to(self.root))
            text = before = path.read_text(encoding="utf-8")
            for claim in self.claims:
                if claim["page"] == page:
                    corrected = self.look(claim, text)
                    text = corrected if write else text
            if write and text != before:
                path.write_text(text, encoding="utf-8")
            given = [one for one in self.given if one["page"] == page]
            self.found += [f"{page}:{problem}" for problem in unfounded(text, self.spans.get(page, []), given)]
        there = {str(path.relative_to(self.root)) for path in self.pages()}
        self.found += [f"{LIST}: there is no {page}"
                       for page in sorted({one["page"] for one in self.claims + self.given} - there)]
        return self.found

    def ages(self):
        """Files must be of a known commit, as those of tables."""
        ages = Ages(self.root)
        if ages.no_history:
            print(f"Commits are not looked at: {ages.no_history}")
            return []
        return [f"bench/results/{problem}" for problem in ages.problems(
            [name for name in self.files() if (self.root / "bench" / "results" / name).exists()])]


def self_test():
    """Plants each fault."""
    page = ("# A page\n\nIt takes 1.6 ns, with all 2,112 workers 0.5 (a third less).\n\nTrees took 12 ms by "
            "the paper.\n\n## Seen\n\nNot in a kept file.\n\n- Loops take 3 ms.\n\n<!-- table runs x -->\n"
            "| 99 ms |\n<!-- end -->\n")
    claims = ('[[claim]]\npage = "docs/p.md"\ntext = "It takes {} ns, with all {} workers {} (a third less)"\n'
              'file = "m/x.json"\nvalues = ["a.data[\'t\']", "a.data[\'w\']", "a.data[\'t\'] / 3"]\n'
              'holds = ["0.3 < a.data[\'r\'] < 0.4"]\n'
              '[[given]]\npage = "docs/p.md"\ntext = "Trees took 12 ms by"\nof = "the paper"\n')
    data = '{"t": 1.6, "w": 2112, "r": 0.35}'
    cases = [
        (page, claims, data, None),
        (page.replace("1.6", "1.7"), claims, data, 'docs/p.md:3: 1.7 stands in "It takes'),
        (page.replace("1.6 ns", "1.60 ns"), claims, data.replace("1.6", "1.61"), "docs/p.md:3: 1.60 stands in"),
        (page.replace("2,112", "2112"), claims, data, None),
        (page.replace("It takes", "It took"), claims, data, "docs/p.md: \"It takes"),
        (page + "\nIt takes 1.6 ns, with all 2,112 workers 0.5 (a third less).\n", claims, data,
         "docs/p.md: \"It takes {} ns"),
        (page, claims, data.replace("0.35", "0.45"), 'docs/p.md:3: "It takes {} ns, with all {} workers {} (a third less)" '
         'does not hold'),
        (page, claims, None, 'docs/p.md:3: "It takes {} ns, with all {} workers {} (a third less)": FileNotFoundError'),
        (page, claims, data.replace('"t"', '"u"'), "docs/p.md:3: \"It takes {} ns, with all {} workers {} (a third "
         "less)\": KeyError"),
        (page, claims.replace(", \"a.data['w']\"", ""), data, "tools/claims.toml: \"It takes"),
        (page, claims.replace("docs/p.md", "docs/q.md", 1), data, "docs/p.md:3: of no kept file: It takes 1.6 ns"),
        (page.replace("Trees took", "Trees take"), claims, data, "docs/p.md:5: of no kept file: Trees take 12 ms"),
        (page.replace("Not in a kept file.", "Seen."), claims, data, "docs/p.md:11: of no kept file: Loops take 3 ms"),
        (page.replace("Not in a kept file.", "Of [x](../bench/results/m/x.json)."), claims, data, None),
    ]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (text, listed, file, wanted) in enumerate(cases):
            root = pathlib.Path(folder) / str(number)
            for name, content in (("docs/p.md", text), (LIST, listed), ("bench/results/m/x.json", file)):
                if content is not None:
                    (root / name).parent.mkdir(parents=True, exist_ok=True)
                    (root / name).write_text(content, encoding="utf-8")
            found = Claims(root).run()
            if bool(found) != (wanted is not None) or (wanted and not any(f.startswith(wanted) for f in found)):
                failed.append(f"case {number}: {wanted}: {found}")
        # What it writes is what it checks.
        root = pathlib.Path(folder) / "1"
        Claims(root).run(write=True)
        if (root / "docs/p.md").read_text(encoding="utf-8") != page or Claims(root).run():
            failed.append("a wrong number was not corrected")
        (root / "bench/results/m/x.json").write_text('{"commit": "1-dirty"}', encoding="utf-8")
        if Ages(root).no_history == "" and not Claims(root).ages():
            failed.append("a file of changes in no commit was not seen")
    return failed


def main():
    if "--self-test" in sys.argv[1:]:
        found = self_test()
    else:
        claims = Claims()
        check = "--check" in sys.argv[1:]
        found = claims.run(write=not check) + claims.ages()
        if not check:
            claims = Claims()
            found = claims.run()
    print("".join(f"{line}\n" for line in found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
