"""Runs the main job and prints a table: main_job.py MGWS_BENCH TEXT_FOLDER [--json FILE]."""

import argparse
import json
import os
import subprocess
import sys

REPEAT = ["--repeat", "7", "--warmup", "1"]


def run(bench, workload, how):
    """One verified measurement: the program's JSON, or None with its message shown."""
    done = subprocess.run([bench, *workload, *how, *REPEAT, "--json", "-"],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(done.returncode or 1)
    return json.loads(done.stdout)


def has_gpu(bench):
    """Whether the program runs on a GPU here."""
    done = subprocess.run([bench, "memset", "--tasks", "1", "--devices", "gpu:0", "--json", "-"],
                          capture_output=True, check=False)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench")
    parser.add_argument("text")
    parser.add_argument("--json", help="write all results to this file")
    options = parser.parse_args()

    workers = len(os.sched_getaffinity(0))
    devices = f"cpu:{workers}"
    workloads = [
        ("contains \"zwischen\"", ["contains", "--corpus", options.text, "--word", "zwischen"]),
        ("uts T1", ["uts", "--tree", "T1"]),
    ]
    ways = [
        (f"stealing, {workers} workers", ["--devices", devices]),
        (f"static, {workers} workers", ["--devices", devices, "--direct=bulk"]),
        ("one worker", ["--devices", "cpu:1"]),
    ]
    if has_gpu(options.bench):
        ways = [("stealing, one GPU", ["--devices", "gpu:0"]),
                ("static, one GPU", ["--devices", "gpu:0", "--direct=bulk"])] + ways

    results = []
    right = True
    print()
    print(f"{'workload':<20} {'how':<22} {'result':>12}  {'':<8} {'seconds':>10} "
          f"{'a second':>12} {'speed-up':>9}")
    for name, workload in workloads:
        measured = [(how, run(options.bench, workload, arguments)) for how, arguments in ways]
        alone = measured[-1][1]["summary"]["seconds"]["median"]
        for how, result in measured:
            summary = result["summary"]
            right = right and summary["verified"]
            seconds = summary["seconds"]["median"]
            rate = summary["tasks_per_second"]["median"]
            print(f"{name:<20} {how:<22} {summary['result']:>12,}  "
                  f"{'right' if summary['verified'] else 'WRONG':<8} {seconds:>10.4f} "
                  f"{rate / 1e6:>10.3f} M {alone / seconds:>8.2f}x")
            results.append(result)
    print()
    articles = results[0]["summary"]["details"]
    print(f"contains: {articles['articles']:,} manual pages, {articles['bytes'] / 1e6:.1f} MB of text; "
          f"uts: {results[-1]['summary']['tasks']:,} tree nodes; medians of {len(results[0]['runs'])} runs")
    print(f"Result of every run: {'right' if right else 'WRONG'}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)
            file.write("\n")
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
