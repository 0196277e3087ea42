"""Where a figure stands in a report: what was found, or what is missing, and which other report has it."""

import kept_reports
from machine import PROGRAMS


def not_given(missing):
    """Whether nothing but programs was missing: the machine might have measured it."""
    return all(part in PROGRAMS.values() for part in missing.split("; "))


def why_missing(figure, about):
    """In words; of what has no command what is said today, whatever the report was made by."""
    return figure.lacks or figure.not_built or about["missing"].get(figure.id, "")


def state_of(figure, about, results, elsewhere):
    """In a few words, for the overview."""
    if figure.id in results:
        return "measured" if figure.id not in about["unfinished"] else "in part"
    if figure.id in about["failed"]:
        return "failed"
    if figure.not_built:
        return "not built"
    if figure.part and figure.part(results):
        return "in part"
    missing = why_missing(figure, about)
    if missing and not not_given(missing):
        return "missing hardware"
    if elsewhere:
        return "in another report"
    if missing:
        return "program not given"
    return "shown elsewhere" if figure.shown_in else "on request" if figure.on_request else "not measured yet"


def found(figure, about, results, elsewhere):
    """What was found, or why nothing was."""
    words = []
    if figure.id in results and figure.finding:
        words.append(figure.finding(results[figure.id]))
    if figure.part:
        words.append(figure.part(results))
    missing = why_missing(figure, about)
    if missing and figure.id not in results:
        words.append(f"{'Not given' if not_given(missing) else 'Missing'}: {missing}.")
    elif figure.shown_in:
        words.append(f"See {figure.shown_in}.")
    elif figure.id in about["failed"]:
        words.append(f"{len(about['failed'][figure.id])} commands failed.")
    elif figure.id not in results:
        words.append("Not measured here." if elsewhere else f"Measured if --only {figure.id} asks for it."
                     if figure.on_request else "Not measured yet.")
    elif figure.id in about["unfinished"]:
        words.append(f"{about['unfinished'][figure.id]} commands are left.")
    return " ".join(word for word in words if word)


def others(out):
    """The reports beside `out`: (file name, about, figures that are in it)."""
    return [(path.name, data["about"], set(data)) for path, data in kept_reports.kept(out.parent)
            if path.name != out.name]


def elsewhere_of(figure, about, results, reports):
    """(file name, machine) of those that have a figure which this one lacks; of the same kind of workers
    where there are such."""
    if figure.id in results:
        return []
    having = [(name, other) for name, other, figures in reports if figure.id in figures]
    alike = [(name, other) for name, other in having if other["place"] == about["place"]]
    return [(name, kept_reports.machine(other)) for name, other in alike or having]
