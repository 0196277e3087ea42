"""The reports of docs/evaluation that are kept, and the result files that each is made of."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


def folder_of(report, root=ROOT):
    """Where the results of a report lie; None if it does not say."""
    said = re.search(r'<meta name="results" content="([^"]*)">', report.read_text(encoding="utf-8"))
    return root / said[1] if said else None


def kept(folder=ROOT / "docs" / "evaluation"):
    """Each report of a folder whose results are kept, and by name what their files hold."""
    for report in sorted(folder.glob("*.html")):
        results = folder_of(report)
        if results and (results / "about.json").exists():
            yield report, {path.stem: json.loads(path.read_text(encoding="utf-8"))
                           for path in sorted(results.glob("*.json"))}


def machine(about):
    """In words: who worked, and how many processors were there."""
    of = about["machine"]
    names = [gpu["name"] for gpu in of["gpus"]]
    gpus = "".join(f"{names.count(name)} × {name}, " for name in dict.fromkeys(names))
    return f"{gpus}{of['processors']} processors ({of['processor']})"


def left(about):
    """The commands that were not measured, by figure."""
    return ", ".join(f"{n} of {figure}" for figure, n in about["unfinished"].items()) or "none"
