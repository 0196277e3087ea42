"""Plots as SVG that stands inside a page: matplotlib draws, text stays text."""

import io
import re

import matplotlib

from finding import of_a_device, series_of
from metrics import METRICS, middle_of, workers_of

matplotlib.use("svg")
matplotlib.rcParams["svg.fonttype"] = "none"
matplotlib.rcParams["font.family"] = "sans-serif"
matplotlib.rcParams["font.size"] = 8

# After the backend is chosen.
from matplotlib.figure import Figure as Canvas  # noqa: E402
from matplotlib.ticker import MaxNLocator  # noqa: E402

WIDE = 3  # panels side by side
NOTHING = float("nan")  # of which no bar is drawn


def grid(n):
    """A canvas with n axes, and the axes."""
    columns = min(n, WIDE)
    rows = -(-n // columns)
    canvas = Canvas(figsize=(max(3.4 * columns, 4.6), 2.5 * rows + 0.4), layout="constrained")
    axes = canvas.subplots(rows, columns, squeeze=False).flatten()
    for unused in axes[n:]:
        unused.set_visible(False)
    return canvas, axes[:n]


def legend(canvas, axes):
    """One for all axes, below them."""
    labels = {}
    for each in axes:
        for handle, label in zip(*each.get_legend_handles_labels()):
            labels.setdefault(label, handle)
    if len(labels) > 1:
        part = (0.17 * -(-len(labels) // WIDE) + 0.1) / canvas.get_figheight()
        canvas.get_layout_engine().set(rect=(0, part, 1, 1 - part))
        canvas.legend(labels.values(), labels.keys(), loc="lower center", ncols=min(len(labels), WIDE),
                      fontsize=7)


def panels_of(figure, results):
    """Each pair of panel and metric that has anything to show, in order."""
    panels = list(dict.fromkeys(result["point"]["panel"] for result in results))
    for panel in panels:
        for metric in figure.metrics:
            of = {series: runs for (p, series), runs in series_of(results).items() if p == panel}
            if any(METRICS[metric].of(run, runs[0]) is not None for runs in of.values() for run in runs):
                yield panel, metric, of


def errors(values):
    """Least and most of each, as distances from the middle; none where there is only one number."""
    if not any(isinstance(value, tuple) for value in values):
        return None
    return [[abs(value[0] - value[k]) for value in values] for k in (1, 2)]


def plain_numbers(axes):
    """Of a logarithmic axis; less than a decade has numbers between its powers of ten."""
    low, high = axes.get_ylim()
    axes.yaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.yaxis.set_minor_formatter(lambda x, _: f"{x:g}" if high < 10 * low else "")


def bar_each(axes, names, values):
    axes.barh(range(len(names)), [NOTHING if value is None else middle_of(value) for value in values],
              xerr=errors([(NOTHING,) * 3 if value is None else value if isinstance(value, tuple) else
                           (value,) * 3 for value in values]))
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()


def lines(figure, results):
    """The metric by number of workers, a line a series; a bar a series where that number is one for
    all."""
    chosen = list(panels_of(figure, results))
    canvas, axes = grid(len(chosen))
    for each, (panel, metric, of) in zip(axes, chosen):
        each.set_title(panel, fontsize=8)
        if len({of_a_device(run) for runs in of.values() for run in runs}) == 1:
            bar_each(each, list(of), [METRICS[metric].of(runs[0], runs[0]) for runs in of.values()])
            each.set_xlabel(METRICS[metric].label)
            continue
        ticks = set()
        for series, runs in of.items():
            points = [(workers_of(run), METRICS[metric].of(run, runs[0])) for run in runs]
            points = [(n, value) for n, value in points if value is not None]
            values = [value for _, value in points]
            each.errorbar([n for n, _ in points], [middle_of(value) for value in values],
                          errors(values), label=series, marker="o", markersize=3, linewidth=1, capsize=2)
            ticks.update(n for n, _ in points)
        each.set_xscale("log", base=2)
        apart = []  # numbers that have room beside each other
        for n in sorted(ticks):
            if not apart or n >= 1.5 * apart[-1]:
                apart.append(n)
        each.set_xticks(apart, [f"{n:,}" for n in apart], rotation=45)
        each.minorticks_off()
        each.set_yscale(METRICS[metric].scale)
        if METRICS[metric].scale == "log":
            plain_numbers(each)
        if METRICS[metric].scale == "linear":
            each.set_ylim(bottom=0)
        each.set_xlabel("workers")
        each.set_ylabel(METRICS[metric].label)
    legend(canvas, axes)
    return canvas


def bars(figure, results):
    """The metric with the most workers: a group of bars a panel, a bar a series."""
    canvas, axes = grid(len(figure.metrics))
    by_key = series_of(results)
    panels = list(dict.fromkeys(panel for panel, _ in by_key))
    names = list(dict.fromkeys(series for _, series in by_key))
    width = 0.8 / len(names)
    for each, metric in zip(axes, figure.metrics):
        for i, series in enumerate(names):
            runs = [by_key.get((panel, series)) for panel in panels]
            values = [METRICS[metric].of(of[-1], of[0]) if of else None for of in runs]
            values = [NOTHING if value is None else value for value in values]
            each.bar([x + i * width for x in range(len(panels))], [middle_of(v) for v in values], width,
                     label=series, yerr=errors([v if isinstance(v, tuple) else (v, v, v) for v in values]))
        each.set_xticks([x + 0.4 - width / 2 for x in range(len(panels))], panels, rotation=30, ha="right")
        each.set_ylabel(METRICS[metric].label)
    legend(canvas, axes)
    return canvas


def workloads(figure, results):
    """A bar a panel, of one series."""
    canvas, axes = grid(len(figure.metrics))
    names = [result["point"]["panel"] for result in results]
    for each, metric in zip(axes, figure.metrics):
        bar_each(each, names, [METRICS[metric].of(result, result) for result in results])
        each.set_xlabel(METRICS[metric].label)
    canvas.set_size_inches(7.5, 0.22 * len(names) + 1)
    return canvas


def workers(_, results):
    """Tasks by worker."""
    canvas, axes = grid(len(results))
    for each, result in zip(axes, results):
        tasks = result["statistics"].get("tasks_by_worker", [])
        each.stairs(tasks, [i - 0.5 for i in range(len(tasks) + 1)], fill=True)  # one shape for thousands
        each.xaxis.set_major_locator(MaxNLocator(integer=True))
        each.set_xlabel("worker")
        each.set_ylabel("tasks, last run")
        each.set_title(result["point"]["panel"], fontsize=8)
    return canvas


def peers(_, results):
    """How many times mgws is as fast as the other, by problem."""
    comparisons = results[0]["comparisons"]
    names = list(dict.fromkeys(c["peer"]["program"] for c in comparisons))
    counts = sorted({c["workers"] for c in comparisons})
    problems = list(dict.fromkeys(c["problem"] for c in comparisons))
    canvas, axes = grid(len(counts))
    width = 0.8 / len(names)
    for each, n in zip(axes, counts):
        for i, name in enumerate(names):
            ratios = {}
            for c in comparisons:
                if c["workers"] == n and c["peer"]["program"] == name:
                    ratios[c["problem"]] = max(side["ratio"] for side in c["mgws"])
            each.bar([x + i * width for x in range(len(problems))],
                     [ratios.get(problem, 0) for problem in problems], width, label=name)
        each.axhline(1, color="grey", linewidth=0.8)
        each.set_yscale("log")
        each.set_xticks([x + 0.4 - width / 2 for x in range(len(problems))], problems, rotation=30,
                        ha="right")
        each.set_ylabel("times as fast as the other")
        each.set_title(f"{n} worker{'s'[:n > 1]}", fontsize=8)
    legend(canvas, axes)
    return canvas


def volumes(_, results):
    """What a steal takes by the number of slots: a panel a size of tasks, a line a queue and memory."""
    data = results[0]
    sizes = sorted({case["task_bytes"] for case in data["rows"]})
    canvas, axes = grid(len(sizes))
    for each, size in zip(axes, sizes):
        for memory, name in (("own", "its own memory"), ("peer", "a peer's")):
            cases = [case for case in data["rows"] if case["task_bytes"] == size and case["from"] == memory]
            for queue in ("sws", "sdc") if cases else ():
                values = [sorted(ns - data["clock_ns"] for ns in case[queue]) for case in cases]
                values = [(of[len(of) // 2], of[0], of[-1]) for of in values]
                each.errorbar([case["slots"] for case in cases], [value[0] for value in values], errors(values),
                              label=f"{queue.upper()}, {name}", marker="o", markersize=3, linewidth=1, capsize=2)
        each.set_xscale("log", base=2)
        each.set_yscale("log")
        plain_numbers(each)
        each.set_xlabel("slots")
        each.set_ylabel("ns")
        each.set_title(f"tasks of {size} bytes", fontsize=8)
    legend(canvas, axes)
    return canvas


PLOTS = {"volumes": volumes, "lines": lines, "bars": bars, "workloads": workloads, "workers": workers, "peers": peers}


def svg_of(figure, results):
    """The figure's plot as an <svg> element whose ids no other one has; "" where it has none."""
    if figure.plot not in PLOTS:
        return ""
    # The same results give the same bytes.
    matplotlib.rcParams["svg.hashsalt"] = figure.id
    canvas = PLOTS[figure.plot](figure, results)
    text = io.StringIO()
    canvas.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Type": None, "Format": None})
    svg = text.getvalue()[text.getvalue().index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r'\bid="', f'id="{figure.id}-', svg)
    svg = re.sub(r'(xlink:href="#|url\(#)', rf"\1{figure.id}-", svg)
    svg = re.sub(r"(\d\.\d\d)\d+", r"\1", svg)  # a hundredth of a point is fine enough
    return re.sub(r"\n\s*", "\n", svg)
