"""Finds the sentences of a page that have a measured number and do not say of which file.

A number is taken for measured if a unit of time, rate or share follows it, or if it is how many times as
much something is. It is founded if it stands

- in a generated table, or in a part of a sentence that tools/claims.toml lists;
- in a paragraph, or under a heading whose first paragraph does it, that names a kept file or says that
  there is none ("not in a kept file", "not kept");
- in a block of code, or in a table row whose paragraph before does as above.

What a paper, a datasheet or the code itself says is listed as given."""

import re

UNIT = (r"(?:\s?(?:%|ns\b|us\b|µs\b|ms\b|s\b|[GM]B/s|[GM]/s)| seconds\b| (?:micro|milli|nano)seconds?\b"
        r"| (?:million|billion) \w+ (?:a|per) second| M tasks/s| times (?:as|that|longer|the time)\b| of the time\b)")
MEASURED = re.compile(r"(?<![\w.^/-])(?:\d[\d,]*(?:\.\d+)?" + UNIT + r"|\d+\.\d+(?![\w.]))")
FOUNDED = re.compile(r"bench/results/[\w/-]+\.json|kept files?\b|\bnot kept")
GENERATED = re.compile(r"(<!-- table [^\n]* -->\n).*?<!-- end -->", re.S)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`|<!-- cpp\n.*?-->", re.S | re.M)


def blank(match):
    """As many characters that say nothing, in the same lines."""
    return re.sub(r"[^\n]", " ", match[0])


def without_tables(text):
    return GENERATED.sub(blank, text)


def paragraphs(text):
    """(first character, text, the first paragraph under the same heading) of each, table or item of a list."""
    lead = None
    for match in re.finditer(r"[^\n]+(?:\n(?![\n#]|\s*- |\d+\. )[^\n]+)*", text):
        if match[0].startswith("#"):
            lead = None
            continue
        if not match[0].strip():
            continue
        if lead is None:
            lead = match[0]
        yield match.start(), match[0], lead


def unfounded(text, spans, given):
    """Line and sentence of each; `spans` are where claims stand."""
    found = []
    plain = CODE.sub(blank, without_tables(text))
    allowed = [*spans]
    for one in given:
        matches = [match.span() for match in re.finditer(one["text"], without_tables(text))]
        if not matches:
            found.append(f" nothing is like \"{one['text']}\", which is listed as given")
        allowed += matches
    before = ""
    for start, paragraph, lead in paragraphs(plain):
        whole = text[start:start + len(paragraph)]
        # A table belongs to the paragraph above it.
        context = (whole, lead, before)
        if not paragraph.startswith("|"):
            before = whole
            context = (whole, lead)
        if any(map(FOUNDED.search, context)):
            continue
        for match in MEASURED.finditer(paragraph):
            at = start + match.start()
            if not any(first <= at < last for first, last in allowed):
                begin = max([end.end() for end in re.finditer(r"\. |\n|^- ", paragraph[:match.start()])], default=0)
                said = whole[begin:].partition("\n")[0][:110]
                found.append(f"{text.count(chr(10), 0, at) + 1}: of no kept file: {said}")
                break
    return found
