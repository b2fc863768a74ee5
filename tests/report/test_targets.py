"""Design targets: a promise is met, missed or open for the right reason."""

import needs  # noqa: F401  first: it skips

import pandas as pd
import pytest
from ndt_report.measured import Measured
from ndt_report.summary import summary_table
from ndt_report.targets import MET, MISSED, OPEN, PROMISES, counted, targets_table
from toy import CUDA, OWN, REFERENCE, failed, implementations, judged, row


def targets(rows, known=None):
    known = implementations() if known is None else known
    frame = judged(rows)
    return targets_table(Measured(frame, summary_table(frame, known), known)).set_index(["document", "what"])


def both(**cuda):
    return [
        row(REFERENCE, ms=[20.0], true_x=0),
        row(CUDA, ms=[2.0], true_x=0, upload_bytes=12000.0, download_bytes=344.0, launches=1.0) | cuda,
    ]


def test_every_document_and_erratum_number_is_there():
    table = targets(both()).reset_index()
    assert len(table) == len(PROMISES) and set(table.state) <= {MET, MISSED, OPEN}
    for document in ("00", "15", "16", "17", "18"):
        assert table.document.str.startswith(document).any()
    assert (table.ours != "").all() and sum(counted(table).values()) == len(table)


def test_without_a_gpu_row_gpu_promises_stay_open_with_the_reason_and_the_cpu_number_beside():
    known = implementations()
    known.loc[CUDA, "reason"] = "no CUDA device"
    answer = targets([row(REFERENCE, ms=[20.0], true_x=0), row(OWN, ms=[5.0], true_x=0)], known).loc[
        ("00 phase 5", "latency, typical workload")
    ]
    assert answer.state == OPEN and answer.ours == "needs a row on a GPU (no CUDA device)"
    assert answer.beside.startswith(f"{OWN}: p50 5 ms on toy")


@pytest.mark.parametrize("ms, state", [(19.0, MET), (21.0, MISSED)])
def test_a_latency_is_held_against_its_limit(ms, state):
    rows = [row(REFERENCE, ms=[40.0], true_x=0), row(CUDA, ms=[ms], true_x=0)]
    assert targets(rows).state[("00 phase 5", "latency, typical workload")] == state


@pytest.mark.parametrize(
    "points, ms, state",
    [
        (60_000, 4.0, MET),  # more points in less time
        (50_000, 6.0, MISSED),
        (20_000, 6.0, MISSED),  # too slow even with fewer points
        (20_000, 1.0, OPEN),
        (90_000, 6.0, OPEN),
    ],
)
def test_a_time_at_a_size_is_judged_only_where_the_size_allows(points, ms, state):
    rows = [row(REFERENCE, ms=[40.0], true_x=0), row(CUDA, ms=[6 * ms], evaluations=6.0, points=float(points), true_x=0)]
    assert targets(rows).state[("00 phase 2", "derivatives")] == state


def test_launches_and_bytes_are_those_counted():
    table = targets(both())
    assert table.state[("17", "launches of an alignment")] == MET
    assert (
        table.state[("17", "result transfer of an alignment")] == MISSED
        and "344 bytes" in table.ours[("17", "result transfer of an alignment")]
    )
    assert targets(both(launches=50.0)).state[("17", "launches of an alignment")] == MISSED


def test_bytes_per_iteration_are_the_slope_over_iterations():
    def rows(per_iteration):
        return both() + [
            row(
                CUDA,
                true_x=0,
                frame=f"f{i}",
                iterations=float(i),
                upload_bytes=100.0,
                download_bytes=344 + per_iteration * i,
            )
            for i in (3, 5, 9)
        ]

    name = ("17", "transfers in an iteration")
    assert targets(rows(0)[2:]).state[name] == MET
    steep = targets(rows(248)[2:])
    assert steep.state[name] == MISSED and "248 bytes more per iteration" in steep.ours[name]


def test_the_final_download_is_what_comes_down_besides_iterations():
    def rows(name, final):
        return [
            row(name, true_x=0, frame=f"f{i}", iterations=float(i), upload_bytes=1e5, download_bytes=final + 4.0 * i)
            for i in (3, 5, 90)
        ]

    known, name = implementations(REFERENCE, "multikernel_cuda"), ("15", "final download")
    assert targets(rows("multikernel_cuda", 200), known).state[name] == MET
    assert "344 bytes besides" in targets(rows("multikernel_cuda", 344), known).ours[name]
    assert targets(rows("multikernel_cuda", 344), known).state[name] == MISSED
    assert targets(rows("multikernel_cuda", 200), known).state[("15", "transfers in an iteration")] == MET
    one = targets(rows("multikernel_cuda", 200)[:1], known)
    assert one.state[name] == OPEN and "different iterations" in one.ours[name]
    assert targets(rows(REFERENCE, 344), known).ours[name] == "needs multikernel_cuda"


@pytest.mark.parametrize("peak, state", [(499e6, MET), (501e6, MISSED)])
def test_device_memory_is_that_of_rows_on_a_gpu(peak, state):
    name = ("00 phase 5", "GPU memory")
    table = targets(both(peak_device_bytes=peak))
    assert table.state[name] == state and f"{CUDA}: {peak / 1e6:g} MB of device memory on toy" in table.ours[name]
    assert targets(both()).state[name] == OPEN and "host" not in targets(both()).beside[name]


@pytest.mark.parametrize("more, state", [(160_000.0, MET), (161_000.0, MISSED)])
def test_the_memory_of_the_line_search_is_what_the_variant_holds_beyond_autoware(more, state):
    known, name = implementations(REFERENCE, "multikernel_cuda"), ("15", "memory of the line search")
    rows = [
        row("multikernel_cuda", variant=variant, points=1000.0, upload_bytes=1.0, peak_device_bytes=bytes_held)
        for variant, bytes_held in (("autoware", 5e6), ("batched_design15", 5e6 + more))
    ]
    table = targets(rows, known)
    assert table.state[name] == state and f"multikernel_cuda: {more / 1000:g} bytes a point" in table.ours[name]
    assert "preset transfers" in targets(rows[:1], known).ours[name]


def test_scaled_bytes_do_not_count_as_bytes_per_iteration():
    def rows(per_iteration):
        return [
            row(
                CUDA,
                true_x=0,
                frame=f"{n}{i}",
                points=float(n),
                iterations=float(i),
                upload_bytes=12.0 * n,
                download_bytes=344 + per_iteration * i,
            )
            for n, i in ((1000, 4), (1000, 6), (9000, 5), (9000, 8), (9000, 20))
        ]

    name = ("17", "transfers in an iteration")
    assert targets(rows(0)).state[name] == MET
    assert targets(rows(4)).ours[name] == f"{CUDA}: 4 bytes more per iteration"


def test_time_against_autoware_is_a_ratio_of_the_same_alignments():
    table = targets(both())
    assert (
        table.state[("17", "time against Autoware's OpenMP")] == MET
        and "0.1 times" in table.ours[("17", "time against Autoware's OpenMP")]
    )
    assert targets(both(align_us=row(ms=[40.0])["align_us"])).state[("17", "time against Autoware's OpenMP")] == MISSED


def test_the_pose_promise_asks_gpu_rows():
    assert targets(both()).state[("00 phase 3, 6", "final pose against pclomp")] == MET
    assert targets([row(REFERENCE), row(CUDA, 0.02)]).state[("00 phase 3, 6", "final pose against pclomp")] == MISSED
    alone = targets([row(CUDA)])
    assert alone.state[("00 phase 3, 6", "final pose against pclomp")] == OPEN
    assert alone.ours[("00 phase 3, 6", "final pose against pclomp")] == "needs cpu_pclomp_ref"
    without_gpu = targets([row(REFERENCE), row(OWN, 0.0)])
    assert without_gpu.state[("00 phase 3, 6", "final pose against pclomp")] == OPEN
    assert "needs a row on a GPU" in without_gpu.ours[("00 phase 3, 6", "final pose against pclomp")]


def test_a_crash_misses_continuous_operation():
    assert targets(both()).state[("00 success criteria", "continuous operation")] == MET
    assert targets(both() + [failed(OWN)]).state[("00 success criteria", "continuous operation")] == MISSED


@pytest.mark.parametrize("ms, state", [(4.0, MET), (8.0, MISSED)])
def test_a_line_search_is_priced_per_iteration_against_the_same_alignments(ms, state):
    rows = both() + [row(CUDA, ms=[ms], true_x=0, variant="more_thuente")]
    assert targets(rows).state[("18.1", "line search, per iteration")] == state


def test_nothing_measured_is_nothing_met():
    table = targets([failed(REFERENCE), failed(CUDA)])
    assert set(table.state[table.state == MET].index.get_level_values("what")) == set()
    assert isinstance(table, pd.DataFrame)
