"""All charts, found in the files of this package.

A file with charts has a dictionary CHARTS, with the names of their SVG files as keys. A bench of
queues gets a chart over n if no chart has the name of the bench.
"""

from __future__ import annotations

import pkgutil
from functools import cache, partial
from importlib import import_module

from timerbench import charts
from timerbench.benches import BENCHES, kind_of
from timerbench.charts import over_n
from timerbench.charts.chart import Chart


@cache
def all_charts() -> dict[str, Chart]:
    """Returns all charts, in the order of their first benches."""
    found: dict[str, Chart] = {}
    for module in pkgutil.iter_modules(charts.__path__, f"{charts.__name__}."):
        for name, chart in getattr(import_module(module.name), "CHARTS", {}).items():
            if name in found:
                raise ValueError(f"two files of {charts.__name__} have a chart '{name}'")
            found[name] = chart
    for bench in BENCHES:
        if kind_of(bench) == "queues" and bench not in found:
            found[bench] = Chart((bench,), partial(over_n.draw, bench=bench))
    order = list(BENCHES)
    return dict(sorted(found.items(), key=lambda item: order.index(item[1].benches[0])))
