"""torch.profiler and torch.autograd.profiler: which events they record, their tables and files."""

from __future__ import annotations

import gzip
import json
import threading

import monograph as torch
import pytest
from monograph.autograd import profiler as of_autograd
from monograph.profiler import (
    ProfilerAction,
    ProfilerActivity,
    profile,
    record_function,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)


def work():
    x = torch.ones(3, 4, requires_grad=True)
    (torch.nn.functional.linear(x, torch.ones(2, 4)) * 2).sum().backward()


def counts(events):
    return {e.key: e.count for e in events}


def test_operators_steps_of_backward_and_regions():
    with profile() as prof:
        with record_function("outer"):
            for _ in range(3):
                with record_function("inner"):
                    work()
        torch.ones(1)
    found = counts(prof.key_averages())
    assert found["outer"] == 1 and found["inner"] == found["aten::linear"] == found["MulBackward0"] == found["SumBackward0"] == 3
    outer = next(e for e in prof.events() if e.name == "outer")
    assert outer.cpu_parent is None and [e.name for e in outer.cpu_children] == ["inner"] * 3 and outer.is_user_annotation
    step = next(e for e in prof.events() if e.name == "MulBackward0")
    assert step.cpu_parent.name == "inner"
    for event in prof.events():
        assert event.self_cpu_time_total >= 0 and event.end_us >= event.start_us
        assert all(event.start_us <= c.start_us <= c.end_us <= event.end_us for c in event.cpu_children)
    whole = sum(e.cpu_time_total for e in prof.events() if e.cpu_parent is None)
    assert abs(prof.events().self_cpu_time_total - whole) < 1e-6 * whole + 1e-3
    assert prof.events()[-1].name == "aten::ones"


def test_nothing_is_recorded_outside():
    with profile() as prof:
        pass
    work()
    with record_function("alone"):
        work()
    assert list(prof.events()) == [] and prof.key_averages().table() == ""
    other = threading.Thread(target=work)
    with profile() as prof:  # the other thread's calls are its own
        other.start()
        other.join()
    assert list(prof.events()) == []


def test_results_are_those_without_a_profiler():
    def gradients():
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(4))
        net(torch.randn(5, 3)).prod().backward()
        return [p.grad for p in net.parameters()]

    plain = gradients()
    with profile():
        profiled = gradients()
    assert all(torch.equal(a, b) for a, b in zip(plain, profiled, strict=True))


def test_a_call_counts_once_in_a_region_of_autocast():
    x = torch.ones(2, 2)
    with profile() as prof, torch.autocast("cpu", dtype=torch.bfloat16):
        torch.nn.functional.linear(x, x)
    assert counts(prof.key_averages())["aten::linear"] == 1


def test_events_end_where_calls_raise():
    with profile() as prof:
        with pytest.raises(RuntimeError):
            torch.ones(2) @ torch.ones(3)
        torch.ones(2)
    assert all(e.cpu_parent is None for e in prof.events() if e.name == "aten::ones")


def test_shapes():
    with profile(record_shapes=True) as prof:
        for n in (2, 2, 5):
            torch.ones(n, 3).relu()
    assert [e.input_shapes for e in prof.events() if e.name == "aten::relu"] == [[[2, 3]], [[2, 3]], [[5, 3]]]
    groups = [(e.input_shapes, e.count) for e in prof.key_averages(group_by_input_shape=True) if e.key == "aten::relu"]
    assert groups == [([[2, 3]], 2), ([[5, 3]], 1)] and "[[5, 3]]" in prof.key_averages(group_by_input_shape=True).table()


def test_table():
    with profile() as prof:
        with record_function("a name that is longer than any column of the table may be, so it is cut"):
            torch.ones(4).exp()
    lines = prof.key_averages().table(sort_by="self_cuda_time_total", row_limit=2, header="words").splitlines()
    assert lines[0] == "words" and lines[2].split() == "Name Self CPU % Self CPU CPU total % CPU total CPU time avg # of Calls".split()
    assert len({len(line) for line in lines[1:-1]}) == 1 and len(lines) == 8 and lines[-1].startswith("Self CPU time total: ")
    assert "..." in prof.key_averages().table(sort_by="cpu_time_total", time_unit="ms") and "100.00%" in prof.key_averages().table()
    assert "aten::exp" not in prof.events().table(top_level_events_only=True)


def test_schedule():
    steps = schedule(skip_first=2, wait=1, warmup=1, active=2, repeat=2)
    names = [steps(k).name for k in range(11)]
    assert names == ["NONE", "NONE"] + ["NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE"] * 2 + ["NONE"]
    assert schedule(wait=3, warmup=1, active=1, skip_first_wait=1)(0) is ProfilerAction.WARMUP
    with pytest.warns(UserWarning, match="warmup"):
        schedule(wait=0, warmup=0, active=1)
    with pytest.raises(AssertionError, match="active > 0"):
        schedule(wait=0, warmup=1, active=0)


def test_steps(tmp_path):
    seen = []

    def ready(prof):
        seen.append((prof.step_num, [e.name for e in prof.events() if e.is_user_annotation], sum(e.name == "aten::exp" for e in prof.events())))

    with profile(schedule=schedule(wait=1, warmup=1, active=2), on_trace_ready=ready) as prof:
        for _ in range(9):
            torch.ones(1).exp()
            prof.step()
    assert seen == [(4, ["ProfilerStep#2", "ProfilerStep#3"], 2), (8, ["ProfilerStep#6", "ProfilerStep#7"], 2)]
    with profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path / "logs"), "me", use_gzip=True)) as prof:
        torch.ones(1)
    (file,) = (tmp_path / "logs").iterdir()
    assert file.name.startswith("me.") and file.name.endswith(".pt.trace.json.gz")


def test_chrome_trace(tmp_path):
    with profile(record_shapes=True) as prof, record_function("region"):
        torch.ones(2, 3).exp()
    prof.add_metadata("run", "one")
    prof.add_metadata_json("sizes", "[1, 2]")
    prof.export_chrome_trace(str(tmp_path / "t.json"))
    prof.export_chrome_trace(str(tmp_path / "t.json.gz"))
    written = json.loads((tmp_path / "t.json").read_text())
    assert json.loads(gzip.open(tmp_path / "t.json.gz").read()) == written and written["run"] == "one" and written["sizes"] == [1, 2]
    events = {e["name"]: e for e in written["traceEvents"]}
    assert events["region"]["cat"] == "user_annotation" and events["aten::exp"]["args"]["Input Dims"] == [[2, 3]]
    assert events["region"]["ts"] <= events["aten::exp"]["ts"] and events["aten::exp"]["ph"] == "X"


def test_wrong_calls():
    with profile(), pytest.raises(RuntimeError, match="a profiler runs in this thread already"):
        profile().start()
    with pytest.raises(AssertionError, match="no trace yet"):
        profile().events()
    with pytest.warns(UserWarning, match="CPU only, not CUDA"):
        profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
    with pytest.warns(UserWarning, match="does not record what with_stack=True asks for"), profile(with_stack=True) as prof:
        pass
    with pytest.raises(NotImplementedError, match="export_chrome_trace"):
        prof.export_stacks("x")
    assert supported_activities() == {ProfilerActivity.CPU}


def test_the_profiler_of_autograd(tmp_path):
    with of_autograd.profile(use_kineto=True, record_shapes=True) as prof:
        assert repr(prof) == "<unfinished torch.autograd.profile>"
        for _ in range(3):
            with of_autograd.record_function("outer"), of_autograd.record_function("inner"):
                torch.ones(2).sum()
    found = counts(prof.key_averages())
    assert found["outer"] == found["inner"] == found["aten::sum"] == 3 and len(prof.function_events) == 12
    text = prof.key_averages().table(sort_by="cpu_time_total", row_limit=1)
    assert "outer" in text and "inner" not in text
    assert prof.self_cpu_time_total == pytest.approx(prof.total_average().self_cpu_time_total)
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    assert len(json.loads((tmp_path / "trace.json").read_text())["traceEvents"]) == 13
    with of_autograd.profile(enabled=False) as off, of_autograd.record_function("x"):
        pass
    with pytest.raises(RuntimeError, match="didn't finish"):
        off.key_averages()
    with pytest.raises(RuntimeError, match="not reentrant"):
        prof.__enter__()


def test_a_region_that_outlives_its_profiler():
    region = record_function("long")
    first = profile()
    first.start()
    region.__enter__()
    first.stop()
    with profile() as second:
        with record_function("other"):
            region.__exit__(None, None, None)
            torch.ones(1)
    assert [e.name for e in first.events()] == ["long"]
    assert next(e for e in second.events() if e.name == "aten::ones").cpu_parent.name == "other"
