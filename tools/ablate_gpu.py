#!/usr/bin/env python3
"""Measures on a GPU what each constant of policy is worth: loops and trees (bench/ablation) with it
halved and doubled, or so; and without some rules.

usage: ablate_gpu.py build FOLDER [--program main|bridge|live|pieces] [--nvcc NVCC] [--arch sm_90] [--jobs N] [--only REGEX]
       ablate_gpu.py run FOLDER OUTPUT.json [--device gpu:0] [--rounds N] [--runs N]
       ablate_gpu.py check

`build` compiles one program for each variant, against copies of the headers in which that constant is
another, and needs no GPU. `run` runs them in turn, round after round, and needs neither a compiler nor
the repository: FOLDER may be carried to where the GPU is."""

import argparse
import concurrent.futures
import datetime
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from circumstances import Circumstances

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ("include", "core", "backends", "transports", "runtime")
POLICY = "core/policy.hpp"
IDLE = "backends/gpu/backend.hpp"
# Constant: where it stands, as it is, and other values.
CONSTANTS = {
    "k_delta_ns": (POLICY, 20000, (10000, 40000)),
    "k_coarse": (POLICY, 16, (8, 32)),
    "k_sure_steps": (POLICY, 3, (1, 6)),
    "k_claims_of_share": (POLICY, 2, (1, 4)),
    "k_pieces": (POLICY, 8, (4, 16)),
    "k_shown_steps": (POLICY, 2, (1, 8)),
    "k_part": (IDLE, 16, (4, 64)),
    "k_longest": (IDLE, 16384, (4096, 65536)),
    "longest_burst": (IDLE, 64, (16, 256)),
    "looks_at_once": (IDLE, 4, (1, 8)),
    "k_apart_ns": ("backends/gpu/kernel.hpp", 1600, (0, 400, 6400)),
    "k_resident_warps": ("backends/gpu/kernel.hpp", 24, (16, 20, 28, 32)),
    "k_block_lanes": ("runtime/make.hpp", 128, (32, 64, 256)),
    "k_gpu_queue": ("include/mgws/options.hpp", 8, (2, 4, 16)),
}
# Rules: where each stands, and what is there with it and without it.
RULES = {
    "burst-ends-after-long-step": ("core/lanes.hpp", "k_delta_looks * h.look_ticks", "k_coarse_looks * h.look_ticks"),
    "sure-steps-within-delta": (POLICY, "return full_ <= k_sure_steps ? full_ - 1 : k_sure_steps;", "return k_sure_steps;"),
    "rounds-of-one-slot": ("core/lanes_rounds.hpp", "if (rest < units || rounds == h.left) break;", "break;"),
    "much-of-one-slot-shared-before-it-begins": ("core/lanes.hpp", "keeps_much<T>(dealt, h)", "false"),
    "widths-told-apart": ("core/widths.hpp", "bool k_several =", "bool k_several = false &&"),
    "cache-gets-what-workers-leave": ("runtime/gpu_plan.hpp", "alone ? gpu::shared_percent(", "false ? gpu::shared_percent("),
    "releases-filled-from-next-levels": ("core/holdings.hpp", "sent.slots < sizes::units() && !later_.empty();", "false;"),
}
# Of the bridge, of which another program is the judge: bench/ablation/bridge.cpp.
BRIDGE_CONSTANTS = {
    "k_grant_ns": (POLICY, 1000000, (100000, 250000, 4000000)),
    "k_unknown_there": (POLICY, 8, (1, 2, 16)),
}
BRIDGE_RULES = {
    "slower-given-what-can-be-spared": ("core/search.hpp", "detector_.half_idle(0) ||", ""),
    "slower-given-nothing-that-may-be-late": (
        "core/giving.hpp", "if constexpr (B::hand_over_ns == 0) return false;", "if constexpr (true) return false;"),
    "slower-given-nothing-in-short-runs": ("core/giving.hpp", "return !spawns || short_so_far();", "return !spawns;"),
    "slower-given-nothing-near-the-end": (
        "core/giving.hpp", "return !spawns || short_so_far();", "return short_so_far();"),
    "slower-given-while-the-initial-set-lasts": (
        "core/giving.hpp", "const float lasts_ns = steps * mine.pace_.step_ns();", "const float lasts_ns = 0;"),
    "given-of-the-initial-set": (
        "core/giving.hpp", "if (const std::uint32_t n = give_initial(mine, most, room, put); n != 0) return n;", ""),
    "channels-looked-at-as-boards": ("core/search.hpp", "attempts == 0 || place_.id == 0;", "true;"),
    "asked-only-if-there-is-something": ("core/search.hpp", "&& !has_nothing_for_others()", ""),
    "idle-threads-awake-in-short-runs": (
        "core/search.hpp", "return run_.other_kind == 0 || B::now() - since >= policy::k_short_run_ns;", "return true;"),
    "crumbs-asked-for-seldom": (
        "core/bridge.hpp", "if (came != 0 && now - asked < k_between_questions_ns) return;", ""),
    "questions-looked-for-now-and-then": (
        "core/bridge.hpp", "now - looked_ns_ >= policy::k_grant_ns;", "true;"),
}
# Of the inboxes: bench/ablation/live.cpp.
LIVE_RULES = {
    "looks-behind-the-gate": ("core/inbox.hpp", "looks != Looks && left == 0", "looks != 1"),
    "producer-told-by-halves": ("core/inbox.hpp", "if (passes_half(taken, n, from.capacity()))", ""),
    "lone-slot-read-while-leaving-the-idle-count": ("core/inbox.hpp", "if (left == 1) {", "if (false) {"),
}
# Of resumable tasks: bench/ablation/pieces.cpp.
PIECES_RULES = {
    "free-lanes-dealt-while-others-go-on": ("core/lanes.hpp", "if (n.count() < free) return false;", "if (n.count() != 0) return false;"),
    "asked-before-lanes-run-empty": (
        "core/lanes.hpp", "h.size() + h.begun.rest < dealing::template k_units<T>;",
        "dealt.total < dealing::template k_units<T>;"),
    "free-lanes-steal": ("core/lanes_leader.hpp", "&& search_.steal_below()", "&& false"),
    "more-goes-below-what-has-begun": ("core/holdings.hpp", "local_.put_newest_below(local_.head() - head);", ""),
    "parts-of-steps-count": (
        "core/lanes.hpp", "static_cast<float>(h.begun.lanes) * (1.0f / team::k_lanes)",
        "static_cast<float>(h.begun.lanes / team::k_lanes)"),
}
# The look apart is half of delta: with delta alone it would change, too.
LOOKS = ("k_look_ns", "k_delta_ns / 2", ("k_delta_ns / 4", "k_delta_ns"))


def variants(program):
    """Name of the program: (constant or rule, value, file, what is there and what instead)."""
    yield "as-it-is", None
    if program in ("live", "pieces"):
        yield from without(LIVE_RULES if program == "live" else PIECES_RULES)
        return
    if program == "bridge":
        yield from with_others(BRIDGE_CONSTANTS)
        yield from without(BRIDGE_RULES)
        return
    yield from with_others(CONSTANTS)
    for value in LOOKS[2]:
        yield f"{LOOKS[0]}={value}".replace(" ", ""), (LOOKS[0], value, POLICY, *definitions(*LOOKS[:2], value))
    yield from without(RULES)


def with_others(constants):
    for name, (file, now, others) in constants.items():
        for value in others:
            yield f"{name}={value}", (name, value, file, *definitions(name, now, value))


def without(rules):
    for name, (file, with_it, instead) in rules.items():
        yield f"without-{name}", (name, "without", file, re.escape(with_it), instead)


def definitions(name, now, value):
    """Of a constant: as a regular expression, and another one."""
    written = f"{now:,}".replace(",", "'") if isinstance(now, int) else now
    return rf"\b{name} = ({re.escape(str(now))}|{re.escape(written)});", f"{name} = {value};"


def changed(folder, name, file, now, instead):
    """The file's text with it. Ends the program if that is not in one place."""
    text, n = re.subn(now, lambda _: instead, (folder / file).read_text(encoding="utf-8"))
    if n != 1:
        sys.exit(f"ablate_gpu: core has changed: {n} places of {file} are what {name} is")
    return text


def change(folder, name, file, *what):
    text = changed(folder, name, file, *what)
    (folder / file).write_text(text, encoding="utf-8")


def check(_):
    """Whether core still has all that is changed, where it is looked for."""
    found = [changed(ROOT, what[0], *what[2:])
             for program in ("main", "bridge", "live", "pieces") for _, what in variants(program) if what is not None]
    print(f"{len(found)} variants")
    return 0


def compile_variant(asked, name, what):
    program = asked.folder / name.replace("/", ":")
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch)
        for room in HEADERS:
            shutil.copytree(ROOT / room, copy / room, symlinks=True)
        if what is not None:
            change(copy, what[0], *what[2:])
        words = [asked.nvcc, "-x", "cu", f"-arch={asked.arch}", "-std=c++20", "-O3", "--expt-relaxed-constexpr",
                 "-Wno-deprecated-gpu-targets", "-diag-suppress=20011,20012,20014", "-cudart", "static",
                 f"-I{copy}/include", f"-I{ROOT}/bench", f"-I{copy}/backends/cuda/port",
                 str(ROOT / f"bench/ablation/{asked.program}.cpp"), "-o", str(program), "-Xlinker", "-s"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    return program, done


def build(asked):
    asked.folder.mkdir(parents=True, exist_ok=True)
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], capture_output=True,
                            text=True, cwd=ROOT, check=True).stdout.strip()
    chosen = [v for v in variants(asked.program) if re.search(asked.only, v[0]) or v[1] is None]
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        for program, done in pool.map(lambda v: compile_variant(asked, *v), chosen):
            print(program.name, "failed" if done.returncode else "", flush=True)
            if done.returncode:
                sys.exit(done.stderr)
    about = {"commit": commit, "variants": [
        {"program": n.replace("/", ":"), "constant": w[0] if w else None, "value": w[1] if w else None} for n, w in chosen]}
    (asked.folder / "about.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return 0


def run_round(asked, variants_of, times, failed):
    """Each program once: its medians go to `times`, why it has none to `failed`."""
    for variant in variants_of:
        name = variant["program"]
        try:
            done = subprocess.run([asked.folder / name, asked.device, str(asked.runs)], capture_output=True,
                                  text=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            failed[name] = "not done in 60 s"
            continue
        if done.returncode != 0:
            failed[name] = done.stderr.strip() or "wrong result"
            continue
        for problem, seconds in json.loads(done.stdout).items():
            times.setdefault(problem, {}).setdefault(name, []).append(statistics.median(seconds))


def rows_of(variants_of, times, failed):
    rows = []
    for variant in variants_of:
        name = variant["program"]
        row = {"constant": variant["constant"], "value": variant["value"]}
        if name in failed:
            row["failed"] = failed[name]
        else:
            medians = {p: statistics.median(of[name]) for p, of in times.items()}
            row["ms"] = {p: round(m * 1e3, 5) for p, m in medians.items()}
            row["ratio"] = {p: round(m / statistics.median(times[p]["as-it-is"]), 4) for p, m in medians.items()}
        rows.append(row)
    return rows


def run(asked):
    asked.folder = asked.folder.resolve()
    about = json.loads((asked.folder / "about.json").read_text(encoding="utf-8"))
    circumstances = Circumstances(asked.folder / "as-it-is")
    times = {}
    failed = {}
    # Written after each round: what ends the program loses that round alone.
    for done in range(1, asked.rounds + 1):
        run_round(asked, about["variants"], times, failed)
        if "as-it-is" in failed:
            sys.exit("as it is: " + failed["as-it-is"])
        rows = rows_of(about["variants"], times, failed)
        out = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
               "commit": about["commit"], "measured": circumstances.after(about["commit"]),
               "command": f"ablate_gpu.py run --device {asked.device} --rounds {done} --runs {asked.runs}",
               "rows": rows}
        asked.output.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")
    for variant, row in zip(about["variants"], rows, strict=True):
        shown = " ".join(f"{r:.3f}" for r in row.get("ratio", {}).values())
        print(f"{variant['program']:24} {row.get('failed', shown)}", flush=True)
    print(" | ".join(times))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("build")
    one.add_argument("folder", type=pathlib.Path)
    one.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    one.add_argument("--arch", default="sm_90")
    one.add_argument("--jobs", type=int, default=2)
    one.add_argument("--program", choices=("main", "bridge", "live", "pieces"), default="main",
                     help="bridge: rules of the bridge, by CPU workers beside the GPU; live: of the inboxes; pieces: of "
                     "resumable tasks")
    one.add_argument("--only", default="", metavar="REGEX", help="variants, as 'k_part|k_longest'")
    one.set_defaults(does=build)
    two = commands.add_parser("run")
    two.add_argument("folder", type=pathlib.Path)
    two.add_argument("output", type=pathlib.Path)
    two.add_argument("--device", default="gpu:0")
    two.add_argument("--rounds", type=int, default=5)
    two.add_argument("--runs", type=int, default=5)
    two.set_defaults(does=run)
    commands.add_parser("check").set_defaults(does=check)
    asked = parser.parse_args()
    return asked.does(asked)


if __name__ == "__main__":
    sys.exit(main())
