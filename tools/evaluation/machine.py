"""What this machine and its build allow, and the place, a processor or GPUs, where figures are
measured."""

import dataclasses
import json
import os
import pathlib
import platform
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from circumstances import build_of, gpus, processor, processors

# The need of a figure, and what is missing where it is not met: hardware, or programs of the build.
HARDWARE = {
    "gpu": "a GPU, and programs that were built for it",
    "gpus": "two GPUs that reach each other",
    "remote": "a second GPU whose memory the first one reaches",
    "mixed": "a GPU, and programs with CPU workers beside it (-Dbench_together=true)",
    "pair": "two GPUs, or a processor with two cores",
    "workers": "a second worker",
}
PROGRAMS = {
    "peers": "the programs of bench/peers (-Dpeers=enabled) and two processors",
    "sim": "mgws-sim",
    "probe": "mgws-probe",
    "steals": "mgws-steals",
}
NEEDS = {**HARDWARE, **PROGRAMS}

# What points call the mgws-bench of a build with -Dqueue=sdc.
SDC_BENCH = "mgws-bench (-Dqueue=sdc)"


def doubled(most, least=1):
    """least, twice that, ... and the most."""
    counts = []
    n = least
    while n < most:
        counts.append(n)
        n *= 2
    return [*counts, most] if most >= least else []


@dataclasses.dataclass(frozen=True)
class Place:
    """Where the figures of a report are measured."""
    cpu: bool
    most_workers: int
    devices: int = 1  # GPUs
    remote: bool = False
    sdc: bool = False  # programs with the queue with a lock are there

    @property
    def pair_says(self):
        if self.cpu:
            return "Two groups of one processor's workers stand for the two GPUs."
        return "" if self.devices > 1 else "One GPU as two devices stands for two GPUs."

    def counts(self, quick):
        if self.cpu:
            return doubled(self.most_workers)
        # Of 132 multiprocessors; six workers of four warps fit on each, whatever the tasks.
        counts = [1, 16, 132, 264, 528, 792]
        return [n for n in (counts[2::3] if quick else counts) if n <= self.most_workers]

    def pair_counts(self, quick):
        if self.cpu:
            return doubled(self.most_workers // 2)
        return [n for n in self.counts(quick) if self.devices > 1 or 2 * n <= self.most_workers]

    def one(self, workers, index=0):
        if self.cpu:
            return ["--devices", f"cpu:{workers}"]
        index = index if self.devices > 1 else 0
        return ["--devices", f"gpu:{index}", "--workers", workers]

    def two(self, workers):
        if self.cpu:
            return ["--devices", f"cpu:{workers},cpu:{workers}"]
        return ["--devices", f"gpu:0,gpu:{min(1, self.devices - 1)}", "--workers", workers]

    def beside(self, workers):
        """CPU workers beside a GPU's, as far as there are processors."""
        return ["--devices", f"cpu:{min(workers, processors())},gpu:0", "--workers", workers]

    def most(self):
        return ["--devices", f"cpu:{self.most_workers}"] if self.cpu else ["--devices", "gpu:0"]

    def first_and_most(self):
        """Of the processor: the other runtimes have no GPU."""
        return sorted({1, processors()})


class Machine:
    """The programs of a build folder, mgws-bench of one with the queue with a lock, if given, and what
    mgws-probe finds with them."""

    def __init__(self, build, root, sdc=None):
        self.build = pathlib.Path(build)
        self.root = pathlib.Path(root)
        bench = self.build / "bench"
        self.programs = {name: path for name, path in {
            "mgws-bench": self.either(bench / "mgws-bench"),
            "mgws-probe": self.either(bench / "mgws-probe"),
            "mgws-sim": bench / "sim" / "mgws-sim",
            "mgws-steals": self.either(bench / "steals" / "mgws-steals"),
            SDC_BENCH: self.either(pathlib.Path(sdc or "none") / "bench" / "mgws-bench"),
            "compare.py": self.root / "bench" / "peers" / "compare.py",
        }.items() if os.access(path, os.X_OK)}
        self.peers = [name for name in ("tbb", "openmp", "openmp-clang")
                      if os.access(bench / "peers" / f"mgws-peer-{name}", os.X_OK)]
        self.probe = self.probed()

    @staticmethod
    def either(path):
        """The program, or, where a build has no CUDA but HIP, the one of HIP."""
        hip = path.with_name(path.name + "-hip")
        return hip if not path.exists() and hip.exists() else path

    def probed(self):
        if "mgws-probe" not in self.programs:
            return {}
        try:
            done = subprocess.run([self.programs["mgws-probe"], "--quick", "--devices", "all", "--json", "-"],
                                  capture_output=True, text=True, timeout=120, check=False)
            return json.loads(done.stdout)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return {}

    def gpu_count(self):
        return sum(device["kind"] == "gpu" for device in self.probe.get("devices", []))

    def joined_gpus(self):
        """How many GPUs share one domain, in which they may steal from each other."""
        return max((len(domain) for domain in self.probe.get("domains", {}).get("p2p", [])), default=0)

    def place(self, kind):
        """Of `kind` cpu or gpu."""
        if kind == "cpu":
            return Place(True, processors(), sdc=SDC_BENCH in self.programs)
        joined = self.joined_gpus()
        return Place(False, 792, max(1, joined), joined > 1, SDC_BENCH in self.programs)

    def missing(self, figure, place):
        """What a figure needs and is not here, in words; nothing if it can be measured."""
        if figure.lacks or figure.not_built:
            return figure.lacks or figure.not_built
        has = {
            "gpu": not place.cpu,
            "gpus": not place.cpu and place.devices > 1,
            "remote": not place.cpu and place.remote,
            "mixed": not place.cpu and build_of(self.build).get("options", {}).get("bench_together", False),
            "pair": not place.cpu or processors() > 1,
            "workers": not place.cpu or processors() > 1,
            "peers": bool(self.peers) and processors() > 1,
            "sim": "mgws-sim" in self.programs,
            "probe": "mgws-probe" in self.programs,
            "steals": "mgws-steals" in self.programs,
        }
        return "; ".join(NEEDS[need] for need in figure.needs if not has[need])

    def described(self):
        """What stands on top of the report."""
        return {"processor": processor(), "processors": processors(), "system": f"{platform.system()} {platform.release().split('-')[0]}",
                "gpus": gpus(), "no_gpu": self.probe.get("no_gpu"),
                "domains": self.probe.get("domains", {}), "peers": self.peers, **build_of(self.build)}
