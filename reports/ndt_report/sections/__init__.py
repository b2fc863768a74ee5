"""The sections of the page, in its order. A new section is a module and a template in this folder, and a line here."""

from . import answers, basin, batches, convergence, density, equivalence, idle, iterations, latency, machine_load, method, pareto, picture
from . import results, scaling, scores, searches, trajectory, transfers

SECTIONS = [
    results.SECTION,
    density.SECTION,
    pareto.SECTION,
    latency.SECTION,
    machine_load.SECTION,
    convergence.SECTION,
    basin.SECTION,
    scaling.SECTION,
    idle.SECTION,
    iterations.SECTION,
    batches.SECTION,
    searches.SECTION,
    transfers.SECTION,
    trajectory.SECTION,
    scores.SECTION,
    picture.SECTION,
    answers.SECTION,
    equivalence.SECTION,
    method.SECTION,
]
