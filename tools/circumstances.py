"""Under which circumstances something was measured: what each result bears as "measured"."""

import functools
import json
import os
import pathlib
import platform
import shutil
import subprocess

# Of a build's options those that change what is measured.
OPTIONS = ("buildtype", "optimization", "debug", "b_ndebug", "b_lto", "b_sanitize", "backends",
           "transports", "queue", "statistics", "bench_together", "gpu_arch_nvidia", "gpu_arch_amd",
           "hip_platform", "gpu_fast_compile", "cpp_args")
GPU_QUERY = ("name", "driver_version", "clocks.sm", "clocks.mem", "clocks.max.sm", "clocks.max.mem",
             "temperature.gpu", "power.draw")


ROOT = pathlib.Path(__file__).resolve().parent.parent


def commit():
    """The one that is checked out here, with "-dirty" where a known file differs from it; "unknown"
    without git."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()
    try:
        changed = git("status", "--porcelain", "--untracked-files=no")
        return git("rev-parse", "--short=12", "HEAD") + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            for line in info:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def processors():
    return len(os.sched_getaffinity(0))


def gpus():
    """Name, driver, clocks (MHz), temperature (C) and power (W) of each NVIDIA GPU, as they are now."""
    if shutil.which("nvidia-smi") is None:
        return []
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=" + ",".join(GPU_QUERY),
                               "--format=csv,noheader,nounits"],
                              capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    if done.returncode != 0:
        return []
    return [dict(zip(GPU_QUERY, map(str.strip, line.split(","))))
            for line in done.stdout.splitlines() if line.strip()]


@functools.cache
def build_of(program):
    """Options and C++ compiler of the Meson build that a program lies in; nothing where it lies in
    none."""
    for folder in [pathlib.Path(program).resolve(), *pathlib.Path(program).resolve().parents]:
        info = folder / "meson-info"
        try:
            options = json.loads((info / "intro-buildoptions.json").read_text(encoding="utf-8"))
            targets = json.loads((info / "intro-targets.json").read_text(encoding="utf-8"))
        except OSError:
            continue
        return {"options": {o["name"]: o["value"] for o in options if o["name"] in OPTIONS},
                "compiler": version_of(targets)}
    return {}


def version_of(targets):
    """The first line that the compiler of a build's first C++ sources says of itself."""
    for target in targets:
        for source in target["target_sources"]:
            if source.get("language") != "cpp":
                continue
            try:
                done = subprocess.run([*source["compiler"], "--version"], capture_output=True, text=True,
                                      timeout=20, check=False)
            except (OSError, subprocess.TimeoutExpired):
                return source["compiler"][-1]
            return (done.stdout.splitlines() or source["compiler"])[0]
    return ""


class Circumstances:
    """Made before a measurement; `after(commit)` is what its result bears. `commit` is the one that
    the program names itself by, with "-dirty" where its sources had changes that are in no commit."""

    def __init__(self, program):
        self.measured = {"processor": processor(), "processors": processors(), **build_of(program)}
        self.load = os.getloadavg()[0]
        self.gpus = gpus()

    def after(self, commit):
        commit = commit or "unknown"
        measured = {"commit": commit.replace("-dirty", ""), "dirty": "-dirty" in commit,
                    **self.measured, "load_before": self.load, "load_after": os.getloadavg()[0]}
        if self.gpus:
            measured["gpus_before"] = self.gpus
            measured["gpus_after"] = gpus()
        return measured
