#!/usr/bin/env python3
"""Checks tools/evaluate: the report of kept results, the same in a browser, the reports of
docs/evaluation, and, where a build is given, that a figure is measured in parts.

usage: check.py report | opened | docs | measure BUILD

Exit code 77, with a reason: Matplotlib is not there, or for `opened` Chromium. The kept results are of
no machine to quote: they are there to be drawn."""

import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EVALUATE = ROOT / "tools" / "evaluation" / "evaluate.py"
SKIP = 77
sys.path += [str(ROOT / "tools"), str(ROOT / "tools" / "evaluation")]
sys.dont_write_bytecode = True
from ages import told  # noqa: E402
from figures import FIGURES  # noqa: E402

# Written behind a copy of the page: what a browser made of it, as the title.
LOOK = """<script>
const found = {};
for (const section of document.querySelectorAll("section")) {
  const plot = section.querySelector("svg");
  const box = (plot || section).getBoundingClientRect();
  found[section.id] = {plot: !!plot, width: box.width, height: box.height,
                       texts: plot ? plot.querySelectorAll("text").length : 0};
}
// What the page asks for is known when it has come, or has not.
addEventListener("load", () => {
  const loaded = performance.getEntriesByType("resource").map(e => e.name);
  document.title = JSON.stringify({sections: found, loaded: loaded});
});
</script>"""


def python():
    """One that has Matplotlib: this one, or the system's; None if neither has."""
    for path in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([path, "-c", "import matplotlib"], capture_output=True, check=False)
        if done.returncode == 0:
            return path
    return None


class Page(html.parser.HTMLParser):
    """What a report holds: its sections, the plots in them, all ids, and what it refers to."""

    def __init__(self, text):
        super().__init__()
        self.section = None
        self.plots = {}
        self.ids = []
        self.outside = []
        self.reports = {}  # that a section leads to
        self.meta = {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "meta" and "name" in attributes:
            self.meta[attributes["name"]] = attributes["content"]
        if tag == "section":
            self.section = attributes["id"]
            self.plots[self.section] = 0
        self.plots[self.section] = self.plots.get(self.section, 0) + (tag == "svg")
        if tag == "a" and self.section and re.fullmatch(r"[\w-]+\.html", attributes["href"]):
            self.reports.setdefault(self.section, set()).add(attributes["href"])
        if tag == "a" and re.fullmatch(r"[\w-]+\.html", attributes["href"]):
            return
        for name in ("src", "href", "xlink:href", "data", "action", "srcset"):
            if not attributes.get(name, "#").startswith("#"):
                self.outside.append(attributes[name])
        if tag in ("link", "script", "iframe", "object", "embed"):
            self.outside.append(tag)

    def handle_endtag(self, tag):
        if tag == "section":
            self.section = None


def other_commits(figure, results):
    """Of a figure's runs, those that are not the report's."""
    path = results / f"{figure.id}.json"
    if not path.exists():
        return []
    of_report = json.loads((results / "about.json").read_text(encoding="utf-8"))["commit"]
    commits = told(json.loads(path.read_text(encoding="utf-8")), "commit")
    return [clean for clean in (c.removesuffix("-dirty") for c in commits) if clean != of_report]


def problems(text, results, reports=()):
    """What is wrong with a report of a folder of results; `reports` are those beside it."""
    import report
    page = Page(text)
    about, found_here = report.load_results(results)
    found = [f"there is no {f.id}" for f in FIGURES if f.id not in page.plots]
    for figure in FIGURES:
        wanted = (results / f"{figure.id}.json").exists() and figure.plot != "none"
        if figure.id in page.plots and page.plots[figure.id] != wanted:
            found.append(f"{figure.id} has {page.plots[figure.id]} plots")
        if f'href="#{figure.id}"' not in text:
            found.append(f"the overview does not lead to {figure.id}")
        if html.escape(figure.claim) not in text:
            found.append(f"the claim of {figure.id} is missing")
        section = re.search(f'<section id="{figure.id}">.*?</section>', text, re.S)
        said = re.search("<p>Measured at [^<]*", section[0]) if section else None
        wanted = {name for name, _ in report.elsewhere_of(figure, about, found_here, reports)}
        if page.reports.get(figure.id, set()) != wanted:
            found.append(f"{figure.id} leads to {page.reports.get(figure.id)}, not {wanted}")
        found += [f"{figure.id} does not say that it is of {commit}" for commit in other_commits(figure, results)
                  if commit not in (said[0] if said else "")]
    found += [f"it wants {name} from elsewhere" for name in page.outside]
    found += [f"it wants {url} from elsewhere" for url in re.findall(r"url\((?!#)[^)]*\)|@import", text)]
    found += [f"the id {name} is there twice" for name in {n for n in page.ids if page.ids.count(n) > 1}]
    return found


def chromium():
    """The browser, or None: what has the name may be a script that only asks for a snap."""
    for path in filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        if subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
            return path
    return None


def in_browser(browser, text, results, folder):
    """What is wrong with a report as Chromium shows it, without a network."""
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder / 'profile'}",
               "--window-size=1200,2000"]
    path, looked, shot = (folder / name for name in ("report.html", "looked.html", "shot.png"))
    path.write_text(text, encoding="utf-8")
    looked.write_text(text.replace("</body>", LOOK + "</body>"), encoding="utf-8")
    dump = subprocess.run([*command, "--dump-dom", looked.as_uri()], capture_output=True, text=True,
                          timeout=110, check=True).stdout
    subprocess.run([*command, f"--screenshot={shot}", path.as_uri()], capture_output=True, timeout=110,
                   check=True)
    seen = json.loads(html.unescape(re.search(r"<title>(\{.*?)</title>", dump, re.S)[1]))
    found = []
    for figure in FIGURES:
        box = seen["sections"].get(figure.id)
        drawn = (results / f"{figure.id}.json").exists() and figure.plot != "none"
        if box is None or box["plot"] != drawn or min(box["width"], box["height"]) < 30 \
                or (drawn and box["texts"] < 4):
            found.append(f"in Chromium {figure.id} is {box}")
    if seen["loaded"]:
        found.append(f"Chromium wanted {seen['loaded']}")
    image = shot.read_bytes()
    size = struct.unpack(">II", image[16:24])
    if image[:4] != b"\x89PNG" or size != (1200, 2000) or len(image) < 50000:
        found.append(f"the screenshot is {size}, {len(image)} bytes")
    return found


def made_report(interpreter, results, folder):
    path = folder / "report.html"
    subprocess.run([interpreter, EVALUATE, "--report", results, path], check=True)
    return path.read_text(encoding="utf-8")


def check_opened(interpreter, browser):
    results = HERE / "kept"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = made_report(interpreter, results, folder)
        found = in_browser(browser, text, results, folder)
        # The check itself: what only a browser sees is seen.
        fault = text.replace("</style>", "#sws-7 svg { display: none }</style>").replace(
            "</body>", '<img src="http://localhost/missing.png"></body>')
        faults = in_browser(browser, fault, results, folder)
        if not any("sws-7" in of for of in faults) or not any("missing.png" in of for of in faults):
            found.append(f"of two faults Chromium saw {faults}")
    return found


def check_report(interpreter):
    results = HERE / "kept"
    with tempfile.TemporaryDirectory() as name:
        text = made_report(interpreter, results, pathlib.Path(name))
        found = problems(text, results)
        # The check itself: each fault is seen.
        for fault in (re.sub(r'<section id="sws-7">.*?</section>', "", text, flags=re.S),
                      re.sub(r"<svg.*?</svg>", "", text, count=1, flags=re.S),
                      text.replace("</body>", '<img src="https://example.org/a.png"></body>'),
                      text.replace("<p>Measured at bb2da401f595.</p>", ""),
                      text.replace("</style>", "@import 'a.css';</style>"),
                      text.replace("</body>", '<p id="overview"></p></body>')):
            assert problems(fault, results), "a fault was not seen"
    return found


def check_docs():
    """Reports that are kept are of the results that are kept, and have all of today's figures; and each
    figure has its commands, or says why not, on every kind of machine."""
    import report
    from machine import NEEDS, Place
    found = []
    for place in (Place(True, 2), Place(True, 16), Place(False, 792), Place(False, 792, 2, True)):
        for figure in FIGURES:
            for quick in (False, True):
                points = list(figure.points(place, quick)) if figure.points else []
                if bool(points) == bool(figure.lacks or figure.not_built or figure.shown_in) or set(figure.needs) - set(NEEDS):
                    found.append(f"{figure.id} has {len(points)} commands on {place}")
    if len({figure.id for figure in FIGURES}) != len(FIGURES):
        found.append("two figures have one name")
    for path in sorted((ROOT / "docs" / "evaluation").glob("*.html")):
        text = path.read_text(encoding="utf-8")
        page = Page(text)
        results = ROOT / page.meta["results"]
        if page.meta["made-from"] != report.fingerprint(results):
            found.append(f"{path.name} is older than {page.meta['results']}: "
                         f"run tools/evaluate --report {page.meta['results']} docs/evaluation/{path.name}")
        reports = report.others(path)
        found += [f"{path.name}: {problem}" for problem in problems(text, results, reports)]
        # Each lacks something that another has.
        if not problems(re.sub(r" Measured by <a .*?</a>\.", "", text), results, reports):
            found.append(f"{path.name} leads to no other, or that is not seen")
    return found


def check_measure(interpreter, build):
    """A figure of one command: not at all in no time, then measured, then not again."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        def call(*words):
            done = subprocess.run([interpreter, EVALUATE, "--build", build, "--folder", name, "--quick",
                                   "--on", "cpu", *words], capture_output=True, text=True, timeout=120,
                                  check=False)
            return done.returncode, done.stdout

        one = ("--only", "chatterjee-3")
        code, out = call(*one, "--minutes", "0.001")
        if code != 75 or "1 of 1 commands are left" not in out:
            found.append(f"without time: exit code {code}: {out}")
        code, out = call(*one)
        if code != 0 or "[1/1] chatterjee-3: nqueens" not in out:
            found.append(f"with time: exit code {code}: {out}")
        runs = json.loads((pathlib.Path(name) / "results" / "chatterjee-3.json").read_text(encoding="utf-8"))
        measured = runs[0]["measured"]
        missing = {"commit", "dirty", "options", "compiler", "load_before", "load_after"} - set(measured)
        if len(runs) != 1 or not runs[0]["summary"]["verified"] or missing:
            found.append(f"the result is of {len(runs)} commands, without {missing}")
        if sum(runs[0]["statistics"]["tasks_by_worker"]) <= 0:
            found.append("no worker had a task")
        code, out = call(*one)
        if code != 0 or "nqueens" in out:
            found.append(f"again: exit code {code}: {out}")
        text = (pathlib.Path(name) / "report.html").read_text(encoding="utf-8")
        found += problems(text, pathlib.Path(name) / "results")
        if call("--only", "no-such-figure")[0] != 2:
            found.append("a figure that is not there is no bad usage")
    return found


def main():
    what = sys.argv[1]
    interpreter = python()
    if what == "docs":
        found = check_docs()
    elif interpreter is None:
        print("There is no Matplotlib (Debian: python3-matplotlib)")
        return SKIP
    elif what == "report":
        found = check_report(interpreter)
    elif what == "opened":
        browser = chromium()
        if browser is None:
            print("There is no Chromium (Debian: chromium)")
            return SKIP
        found = check_opened(interpreter, browser)
    else:
        found = check_measure(interpreter, os.path.abspath(sys.argv[2]))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
