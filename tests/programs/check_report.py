"""Runs mgws-bench with --report and compares what the page says and draws with the JSON and the trace of
the same run.

usage: check_report.py MGWS_BENCH [--together]

--together: mgws-bench was built with -Dbench_together=true."""

import html.parser
import json
import math
import os
import re
import subprocess
import sys
import tempfile

BENCH = sys.argv[1]
TOGETHER = sys.argv[2:] == ["--together"]
VOID = {"meta", "br", "hr", "img", "link", "input", "wbr"}
# Of a plot, in its own units: bench/picture/chart.cpp.
LEFT, RIGHT, TOP, BOTTOM, WIDTH = 40, 22, 8, 34, 400
STACK = ("working", "stealing", "searching", "idle")


class Page(html.parser.HTMLParser):
    """Elements by id, tables by id, and whatever is not as it should be."""

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.ids, self.words = [], [], [], {}
        self.tables, self.paths, self.bars, self.tips = {}, {}, {}, {}
        self.title, self.text, self.viewbox = "", "", {}
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag, _ in self.open]
        self.faults += [f"the id {name} is there twice" for name in set(self.ids) if self.ids.count(name) > 1]
        if not text.startswith("<!DOCTYPE html>"):
            self.faults.append("no doctype")
        self.faults += [f"it wants {what}" for what in re.findall(r"https?://\S*|@import|url\(|<script|<link", text)]

    def within(self, tag):
        """The id of the innermost open element of that kind."""
        return next((i for t, i in reversed(self.open) if t == tag), None)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.ids.append(given["id"])
        self.faults += [f"<{tag} {name}>" for name in given if name in ("src", "href", "srcset") or name[:2] == "on"]
        figure = self.within("figure")
        if tag == "svg":
            self.viewbox[figure] = given["viewbox"]
        if tag == "path":
            self.paths.setdefault(figure, []).append((given.get("class"), given["d"]))
        if tag == "rect":
            self.bars.setdefault(figure, []).append(
                (given["class"], *(float(given[k]) for k in ("x", "y", "width", "height"))))
        if tag not in VOID:
            self.open.append((tag, given.get("id")))
        if tag == "tr":
            self.tables.setdefault(self.within("table"), []).append([])
        if tag in ("td", "th"):
            self.tables[self.within("table")][-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]}")
            return
        self.open.pop()

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if "style" in tags:
            return
        self.text += data
        if tags[-1:] == ["title"]:
            if "svg" in tags:
                self.tips.setdefault(self.within("figure"), []).append(data)
            else:
                self.title += data
        elif "td" in tags or "th" in tags:
            self.tables[self.within("table")][-1][-1] += data


def seconds_of(text):
    """What a cell says."""
    if text == "0":
        return 0.0
    number, unit = text.split()
    return float(number) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]


def areas(page, figure):
    """Of a chart of steps, each area as a part of the whole plot."""
    height = float(page.viewbox[figure].split()[3])
    found = {}
    for colour, d in page.paths[figure]:
        if not d.endswith("Z") or colour == "shade":
            continue
        x, base = map(float, re.match(r"M([\d.]+) ([\d.]+)", d).groups())
        area = 0
        for top, right in re.findall(r"V([\d.]+)H([\d.]+)", d):
            area += (float(right) - x) * (base - float(top))
            x = float(right)
        found[colour] = area / ((WIDTH - LEFT - RIGHT) * (height - TOP - BOTTOM))
    return found


def close(a, b, part=1e-3, least=1e-9):
    return abs(a - b) <= max(part * abs(b), least)


def events_of(trace):
    """Working, searching and so on of each worker, in seconds since the launch."""
    found = {}
    for e in trace["traceEvents"]:
        if e["name"] == "thread_name":
            found.setdefault(e["tid"], [])
        if e["ph"] == "X":
            found.setdefault(e["tid"], []).append((e["name"], e["ts"] * 1e-6, (e["ts"] + e["dur"]) * 1e-6, e))
    return found


def about_times(page, result, found):
    """The sums of the workers' clocks, as a table and as areas of the charts."""
    statistics = result["statistics"]
    seconds = result["runs"][-1]["seconds"]
    for d, device in enumerate(result["devices"]):
        workers = [w for w in statistics["workers"] if w["device"] == d]
        told = dict(zip(page.tables["time-table"][0], page.tables["time-table"][1 + d]))
        room = seconds * len(workers)
        drawn = areas(page, f"utilisation-{d}")
        below = 0
        rest = room
        if (int(told["workers"]), int(told["tasks"])) != (device["workers"], statistics["tasks_by_device"][d]):
            found.append(f"workers and tasks of device {d}: {told}")
        for what in STACK:
            counted = sum(w[f"{what}_seconds"] for w in workers)
            rest -= counted
            if not close(seconds_of(told[what]), counted):
                found.append(f"device {d} was {what} for {counted}, not {told[what]}")
            # Two decimals of a unit of the drawing, and steals that a search of nanoseconds hides.
            if abs((drawn[what] - below) * room - counted) > 2e-3 * room:
                found.append(f"device {d} is drawn {what} for {(drawn[what] - below) * room} of {counted}")
            below = drawn[what]
        if not close(seconds_of(told["rest"]), rest, 2e-3, 1e-3 * room):
            found.append(f"the rest of device {d} is {rest}, not {told['rest']}")
        busy = sum(w["working_seconds"] for w in workers) / room
        if abs(float(told["busy"].split()[0]) / 100 - busy) > 6e-4:
            found.append(f"device {d} was busy {busy}, not {told['busy']}")


def about_steals(page, result, found):
    """The matrices' sums are the statistics', by device and by worker."""
    matrix = result["statistics"]["steal_matrix"]
    won = sum(s["won"] for row in result["statistics"]["steals"] for s in row)
    if f"{won} of " not in page.text:
        found.append(f"no word of {won} steals that won")
    if won == 0:
        if "Nothing was stolen." not in page.text or "steal-matrix" in page.tables:
            found.append("steals that were not")
        return
    if [list(map(int, row[1:])) for row in page.tables["steal-matrix"][1:]] != matrix:
        found.append(f"the matrix is {matrix}")
    told = {row[0]: row[1:] for row in page.tables["steal-times"][1:]}
    names = [row[0] for row in page.tables["steal-matrix"][1:]]
    for thief, row in zip(names, result["statistics"]["steals"]):
        for owner, steals in zip(names, row):
            if steals["won"] == 0:
                continue
            cells = told[f"{thief} from {owner}"]
            if int(cells[0]) != steals["won"] or not close(float(cells[1]), steals["slots"] / steals["won"], 0, 0.051):
                found.append(f"{thief} from {owner}: {cells} of {steals}")
            for cell, what in zip(cells[2:], ("look", "take", "settle")):
                if not close(seconds_of(cell), steals[f"{what}_seconds"] / steals["won"]):
                    found.append(f"{thief} from {owner}, {what}: {cell}")
    cells = [list(map(int, row[1:])) for row in page.tables["steals-of-workers-table"][1:]]
    if sum(map(sum, cells)) != sum(map(sum, matrix)):
        found.append(f"by worker {sum(map(sum, cells))} slots, not {sum(map(sum, matrix))}")
    workers = result["statistics"]["workers"]
    if len(cells) == len(workers):
        devices = [w["device"] for w in workers]
        for thief, row in enumerate(matrix):
            for owner, slots in enumerate(row):
                if slots != sum(cells[a][b] for a, x in enumerate(devices) for b, y in enumerate(devices)
                                if (x, y) == (thief, owner)):
                    found.append(f"workers of device {thief} from those of {owner}")
    # As many cells are drawn as there are numbers.
    shades = [d for colour, d in page.paths["steals-of-workers"] if colour == "shade"]
    if sum(d.count("Z") for d in shades) != sum(n != 0 for row in cells for n in row):
        found.append("cells of the matrix are not drawn")


def about_end(page, result, trace, found):
    """When the workers ended their last work."""
    seconds = result["runs"][-1]["seconds"]
    work = [[(a, b) for what, a, b, _ in events if what == "working"] for events in events_of(trace).values()]
    last = sorted(max(b for _, b in of) for of in work if of)
    for row, part in zip(page.tables["end-table"][1:], (0.5, 0.95, 1)):
        at = min(last[math.ceil(part * len(last)) - 1], seconds)
        # Microseconds with three digits in the trace.
        if not close(seconds_of(row[1]), at, 1e-3, 2e-9) or \
                not close(seconds_of(row[2]), seconds - at, 1e-3, 2e-9):
            found.append(f"{row} had ended at {at} of {seconds}")
    lost = [seconds_of(row[1]) for row in page.tables["lost"][1:]]
    working = sum(w["working_seconds"] for w in result["statistics"]["workers"])
    room = seconds * len(result["statistics"]["workers"])
    if not close(sum(lost) + working, room, 2e-3):
        found.append(f"{lost} lost and {working} worked of {room}")
    if not close(lost[2], sum(max(0, seconds - at) for at in last), 2e-3, 1e-7):
        found.append(f"{lost[2]} lost in the end")
    # The curve begins with those that had not ended, and ends with none.
    line = next(d for colour, d in page.paths["end-of-run"] if colour == "left")
    heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", line)]
    height = float(page.viewbox["end-of-run"].split()[3])
    if heights != sorted(heights) or heights[-1] != height - BOTTOM:
        found.append("workers that come back to work after their last")


def about_lengths(page, trace, found):
    """Every event is in its histogram."""
    names = {"working": "working", "steal": "stealing", "searching": "searching", "idle": "idle"}
    events = [e for of in events_of(trace).values() for e in of]
    for name, figure in names.items():
        n = sum(what == name for what, *_ in events)
        tips = page.tips.get(f"lengths-{figure}", [])
        # A bar of the number, and one of the time.
        counts = [int(re.search(r": (\d+) of (\d+)", tip)[1]) for tip in tips]
        if sum(counts[::2]) != n or counts[::2] != counts[1::2] or \
                any(f"of {n} " not in tip for tip in tips):
            found.append(f"{sum(counts[::2])} of {n} lengths of {name}")
        bars = [b for b in page.bars.get(f"lengths-{figure}", []) if b[0] in ("count", "part")]
        if bars:
            height = {colour: sum(b[4] for b in bars if b[0] == colour) for colour in ("count", "part")}
            if not close(height["count"], height["part"], 1e-2, 0.3) and name != "steal":
                found.append(f"the bars of {name} are parts of one each: {height}")


def imbalance_of(result):
    """John et al., equation 1."""
    statistics = result["statistics"]
    n = statistics["tasks_by_device"] if len(result["devices"]) > 1 else [w["tasks"] for w in statistics["workers"]]
    mean = sum(n) / len(n)
    return math.sqrt(sum((x - mean) ** 2 for x in n) / len(n)) / mean


def problems(text, result, trace):
    page = Page(text)
    found = page.faults
    facts = {row[0]: row[1] for row in page.tables["facts"] if row}
    if facts["command"] != result["command"] or not facts["version"].startswith(result["version"]):
        found.append(f"another command: {facts['command']}")
    if facts["result"].split(" (")[0] != str(result["summary"]["result"]) or "(right)" not in facts["result"]:
        found.append(f"another result: {facts['result']}")
    if not close(float(facts["imbalance"].split(":")[0]), imbalance_of(result), 0, 6e-5) or \
            not close(result["statistics"]["imbalance"], imbalance_of(result)):
        found.append(f"the imbalance is {imbalance_of(result)}, not {facts['imbalance']}")
    if not close(seconds_of(facts["time"].split(" in ")[0]), result["runs"][-1]["seconds"]):
        found.append(f"the time is {facts['time']}")
    about_times(page, result, found)
    about_steals(page, result, found)
    about_end(page, result, trace, found)
    about_lengths(page, trace, found)
    return found


def planted(text, result, trace):
    """The check itself: each fault is seen."""
    def other(pattern):
        """The digit behind the pattern is another one."""
        return re.sub(f"({pattern})(\\d)", lambda m: m[1] + str((int(m[2]) + 1) % 10), text, count=1, flags=re.S)
    number = re.search(r'id="steals-of-workers-table".*?<td>([1-9]\d*)</td>', text, re.S)
    for fault in (text.replace("</body>", '<img src="a.png"></body>'),
                  text.replace("</body>", "<p></body>"),
                  text.replace("</body>", '<p id="steals"></p></body>'),
                  other('id="steal-matrix".*?<td>'),
                  text[:number.start(1)] + "9" + text[number.start(1):],
                  re.sub(r'(class="working" d="M[\d.]+ )([\d.]+)[^"]*', r"\1\2V\2H378Z", text, count=1),
                  other("half</th><td>"),
                  other("after its last work</th><td>"),
                  re.sub(r'<rect class="count".*?</rect>', "", text, count=1),
                  re.sub(r"<th>imbalance</th><td>", r"\g<0>1", text, count=1)):
        assert fault != text, "a fault was not planted"
        assert problems(fault, result, trace), "a fault was not seen"


def made(folder, *arguments, code=0):
    """Page, JSON and trace of one run; None in a build without statistics."""
    names = [os.path.join(folder, name) for name in ("run.html", "run.json", "run.trace")]
    done = subprocess.run([BENCH, *arguments, "--report", names[0], "--json", names[1], "--trace", names[2]],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          check=False)
    if done.returncode == 3 and b"statistics" in done.stderr:
        print("This build has no statistics: --report is refused with a sentence")
        sys.exit(77)
    assert done.returncode == code, f"{arguments}: {done.returncode}, {done.stderr.decode(errors='replace')}"
    texts = []
    for name in names:
        with open(name, encoding="utf-8") as file:
            texts.append(file.read())
        os.remove(name)
    return texts[0], json.loads(texts[1]), json.loads(texts[2])


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        runs = [("uts", "--tree", "T1", "--devices", "cpu:2,cpu:3", "--domains", "each")] if TOGETHER else []
        for arguments in (*runs,
                          ("uts", "--tree", "T1", "--devices", "cpu:2,cpu:1,cpu:1"),
                          ("uts", "--tree", "T1", "--devices", "cpu:4", "--owners", "2"),
                          ("nqueens", "--n", "10", "--devices", "cpu:2", "--repeat", "3", "--warmup", "1"),
                          ("bpc", "--depth", "20", "--consumers", "50", "--devices", "cpu:100,cpu:20"),
                          ("crypt", "--size", "400000", "--devices", "cpu:2", "--direct"),
                          ("memset", "--tasks", "1", "--devices", "cpu:3"),
                          ("contains", "--synthetic", "500", "--mean-bytes", "300", "--devices", "cpu:2",
                           "--word", "<b id='x'>&amp;\"</b>")):
            text, result, trace = made(folder, *arguments)
            failures += [f"{' '.join(arguments)}: {what}" for what in problems(text, result, trace)]
            if "cpu:2,cpu:1,cpu:1" in arguments:
                while not sum(map(sum, result["statistics"]["steal_matrix"])):
                    text, result, trace = made(folder, *arguments)
                planted(text, result, trace)
            if len(text) > 1_000_000:
                failures.append(f"{' '.join(arguments)}: a page of {len(text)} bytes")
        # Bytes that no page can have.
        text, *_ = made(folder, "contains", "--synthetic", "10", "--devices", "cpu:1", "--word", b"f\xfcr<b>")
        if Page(text).faults or "f\\xfcr&lt;b&gt;" not in text:
            failures.append(f"a word that is not UTF-8: {Page(text).faults}")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
