"""What a figure of the evaluation is made of; the figures themselves are in figures.py."""

import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Point:
    """One command of a figure, and where its result stands in the plot."""
    panel: str
    series: str
    words: list  # of the program's command line
    program: str = "mgws-bench"

    def key(self):
        return " ".join([self.program, *map(str, self.words)])


@dataclasses.dataclass(frozen=True)
class Figure:
    """One figure or table of a paper, or of this repository.

    points(place, quick) yields its commands. `needs` names what the machine must have (machine.py's
    NEEDS). Where there is no command at all, `lacks` says which hardware is missing, `not_built` what of
    mgws is, and `shown_in` names the page that answers it. `part` says of all results where a part of it
    is shown. `stand_in` says where what is measured differs from what the paper measured; it may be a
    function of the place. What takes as long as all others is measured `on_request`: if --only names it."""
    id: str
    paper: str
    name: str
    title: str
    claim: str
    points: typing.Callable = None
    needs: tuple = ()
    lacks: str = ""
    not_built: str = ""
    shown_in: str = ""
    stand_in: typing.Any = ""
    metrics: tuple = ("rate",)
    plot: str = "lines"  # of plotting.py
    table: str = ""  # of tools/tables.py, instead of the points' own
    finding: typing.Callable = None  # finding.py
    part: typing.Callable = None  # finding.py
    on_request: bool = False

    def remark(self, place):
        return self.stand_in(place) if callable(self.stand_in) else self.stand_in


PAPERS = {
    "mgws": "Kittner, Fully GPU-Orchestrated Multi-GPU Work Stealing (2026)",
    "sws": "Cartier, Dinan, Larkins, Optimizing Work Stealing Communication with Structured Atomic "
           "Operations (ICPP 2021)",
    "john": "John, Milthorpe, Herault, Bosilca, Multi-GPU Work Sharing in a Task-Based Dataflow "
            "Programming Model",
    "chatterjee": "Chatterjee, Grossman, Sbirlea, Sarkar, Dynamic Task Parallelism with a GPU "
                  "Work-Stealing Runtime System (2013)",
    "chen": "Chen, Villa, Krishnamoorthy, Gao, Dynamic Load Balancing on Single- and Multi-GPU Systems "
            "(IPDPS 2010)",
    "own": "This repository",
}
