"""tests/gpu/kernel_utilisation with programs that stand for ndt-bench and Nsight Compute."""

import csv
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import nsight
import pytest
from stand_ins import write_program

TOOL = Path(__file__).parent / "kernel_utilisation"

BENCH = """#!{python}
import json
print(json.dumps({{"iterations": 4, "stop": "{stop}", "align_us": [90, 100, 250]}}))
"""

# Writes as Nsight Compute 2025 does. A map's kernel comes first, then a kernel of the first alignment alone. Each alignment has three
# launches, and another kernel comes last. Names and numbers hold commas, and a metric has no value.
PROFILER = """#!{python}
import csv, sys
words = dict(zip(sys.argv, sys.argv[1:]))
metrics, repeat = words["--metrics"].split(","), int(words["--repeat"])
if "{refused}" in metrics:
    print("==ERROR== Failed to find metric {refused}")
    sys.exit(1)
step = "void ndt::gpu_multikernel::step_kernel<ndt::gpu_multikernel::{{}}>(int, T1)"
sums = ("void cub::CUB_300000_SM_900::DeviceSegmentedReduceKernel<cub::CUB_300000_SM_900::policy_hub<double, int, "
        "ndt::gpu_multikernel::AsDouble>::Policy600, T2>(T1, T2, (int)2)")
def kernel(name, ns, share, blocks):
    values = dict.fromkeys(metrics, share) | {{
        "gpu__time_duration.sum": f"{{ns:,}}", "launch__registers_per_thread": "40", "launch__grid_size": str(blocks),
        "launch__block_size": "256", "dram__throughput.avg.pct_of_peak_sustained_elapsed": "n/a"}}
    return [name, "(256, 1, 1)", "(1, 1, 1)", *(values[metric] for metric in metrics)]
jacobian = step.format("JacobianStep")
alignment = [kernel(jacobian, 4000, "10.5", 20), kernel(sums, 1000, "30", 28), kernel(jacobian, 2000, "40.5", 24)]
rows = [kernel("build_kernel(int)", 1_000_000, "90", 1320), kernel(step.format("BeginStep<TrustRegion>"), 500, "1", 1)]
rows += repeat * alignment + [kernel("point_kernel(VoxelMapView)", 7000, "5", 12)]
with open(words["--log-file"], "w") as log:
    log.write("==PROF== Connected to process 4711 (/build/bin/ndt-bench)\\n==PROF== Profiling: 0%....50%....100% - 8 passes\\n")
    out = csv.writer(log, quoting=csv.QUOTE_ALL, lineterminator="\\n")
    units = ["ns" if "time" in metric else "%" if "pct" in metric else "" for metric in metrics]
    out.writerow(["ID", "Kernel Name", "Block Size", "Grid Size", *metrics])
    out.writerow(["", "", "", "", *units])
    out.writerows([str(k), *row] for k, row in enumerate(rows))
"""

CLOSED = """#!{python}
import sys
print("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters")
sys.exit(1)
"""


def run(*words, path):
    return subprocess.run([sys.executable, TOOL, *map(str, words)], capture_output=True, text=True, env={"PATH": str(path)})


@pytest.fixture
def tool():
    loader = SourceFileLoader("kernel_utilisation", str(TOOL))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def asked(tmp_path):
    def ask(profiler=PROFILER, stop="max_iterations", refused="nothing"):
        write_program(tmp_path / "build/bin/ndt-bench", BENCH, stop=stop)
        write_program(tmp_path / "tools/ncu", profiler, refused=refused)
        words = ("--map", "map.pcd", "--scan", "scan.pcd", "--implementation", "multikernel_cuda", "--out", tmp_path / "out")
        return run(tmp_path / "build", *words, path=tmp_path / "tools")

    return ask


def test_the_table_has_the_kernels_of_an_alignment_alone(asked, tmp_path):
    done = asked()
    assert done.returncode == 0, done.stderr
    assert "4 iterations; kernels take 7.0 us one after the other, and an alignment without the profiler 100.0 us" in done.stdout
    with open(tmp_path / "out/utilisation.csv", newline="") as file:
        jacobian, sums, whole = csv.DictReader(file)
    assert [row["kernel"] for row in (jacobian, sums, whole)] == ["step_kernel<JacobianStep>", "DeviceSegmentedReduceKernel", "all"]
    assert [float(row["launches"]) for row in (jacobian, sums, whole)] == [2, 1, 3]
    assert [float(row["mean us"]) for row in (jacobian, sums, whole)] == pytest.approx([3, 1, 7 / 3])
    assert [float(row["time %"]) for row in (jacobian, sums, whole)] == pytest.approx([600 / 7, 100 / 7, 100])
    # Long launches count more.
    assert float(jacobian["SM busy %"]) == pytest.approx((4 * 10.5 + 2 * 40.5) / 6)
    assert (jacobian["blocks"], sums["blocks"], sums["threads"], jacobian["registers"]) == ("20-24", "28", "256", "40")
    assert jacobian["DRAM %"] == whole["blocks"] == ""
    page = (tmp_path / "out/utilisation.md").read_text()
    assert page in done.stdout and "| `step_kernel<JacobianStep>` | 2 | 3 | 85.71 | 20.5 |" in page


def test_a_metric_that_the_gpu_does_not_have_leaves_the_others(asked, tmp_path):
    done = asked(refused="sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active")
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "out/utilisation.csv", newline="") as file:
        row = next(csv.DictReader(file))
    assert row["FP64 %"] == "" and float(row["FP32 %"]) == pytest.approx(20.5)


def test_closed_counters_lead_to_the_stage_clock(asked):
    done = asked(profiler=CLOSED)
    assert done.returncode != 0 and "ERR_NVGPUCTRPERM" in done.stderr
    assert "`ndt-bench profile`" in done.stderr and "-DNDT_STAGE_CLOCK=ON" in done.stderr


def test_an_alignment_with_a_second_look_is_refused(asked):
    assert "ends as converged after 4 iterations; expected max_iterations" in asked(stop="converged").stderr


def test_times_are_microseconds_in_any_unit():
    report = '"ID","Kernel Name","t","p"\n"","","msecond","%"\n"0","a_kernel(int, float)","1,250.5","N/A"\n'
    assert nsight.launches(report, ("t", "p", "missing")) == [{"kernel": "a_kernel(int, float)", "t": 1250500, "p": None, "missing": None}]


@pytest.mark.parametrize("name, own", [
    ("ndt::gpu_multikernel::(anonymous namespace)::choose_kernel(ndt::gpu_multikernel::GraphArguments)", "choose_kernel"),
    ("void ndt::gpu_multikernel::<unnamed>::pass_kernel<ndt::ClampedSteps>(ndt::GraphArguments, unsigned long)", "pass_kernel<ClampedSteps>"),
    ("void ndt::gpu_multikernel::step_kernel<ndt::gpu_multikernel::BeginStep<ndt::TrustRegion>>(int, T1)", "step_kernel<BeginStep>"),
    ("void potrs_batch_kernel<double, (int)6, true>(int, T1 **)", "potrs_batch_kernel"),
    ("step_kernel", "step_kernel"),
])
def test_a_name_is_short(tool, name, own):
    assert tool.short(name) == own


def test_alignments_that_differ_are_refused(tool):
    def launches(names):
        return [{"kernel": name} for name in names]

    with pytest.raises(SystemExit, match="different kernels"):
        tool.repeated(launches("mab"), launches("mabcdef"), 2)
    with pytest.raises(SystemExit, match="expected a multiple of 2 more"):
        tool.repeated(launches("mab"), launches("mabab"[:4]), 2)
    assert tool.repeated(launches("mabz"), launches("mabababz"), 2) == launches("abab")
