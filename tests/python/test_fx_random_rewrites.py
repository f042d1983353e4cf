"""Random edits of random graphs, If and Loop bodies included: what must stay equal does, what must be refused names the node and leaves the graph as it was."""

from __future__ import annotations

import os
import random
import warnings
from typing import Any

import fx_rewrites
import monograph as torch
import pytest
from monograph import fx

EDITS_A_GRAPH = 10
SEED = int(os.environ.get("MONOGRAPH_SEED") or random.SystemRandom().randrange(2**31))


def flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [x for v in value.values() for x in flat(v)]
    return [x for v in value for x in flat(v)] if isinstance(value, (tuple, list)) else [value]


def same(a: Any, b: Any) -> bool:
    return len(flat(a)) == len(flat(b)) and all(torch.equal(x, y) for x, y in zip(flat(a), flat(b), strict=True))


def finite(value: Any) -> bool:
    return all(bool(torch.isfinite(x).all()) for x in flat(value))


def check_three_ways(gm: Any, inputs: tuple[Any, ...]) -> Any:
    """The generated code, the graph by itself and the Interpreter give the same."""
    gm.graph.lint()
    gm.recompile()
    result = gm(*inputs)
    if finite(result):
        assert same(gm.graph(*inputs), result), f"the graph by itself differs from its code\n{gm.code}"
        assert same(fx.Interpreter(gm).run(*inputs), result), f"the Interpreter differs from the code\n{gm.code}"
    return result


def check_refusals(edits: Any) -> None:
    for refusal in fx_rewrites.REFUSED:
        node, call = refusal(edits)  # which may add a node to work on
        text, code = str(edits.graph), edits.gm.code
        with pytest.raises((RuntimeError, AssertionError, ValueError)) as raised:
            call()
        assert str(edits.graph) == text and edits.gm.code == code, refusal.__name__
        if node is not None:
            assert node.name in str(raised.value) and (not node.span or node.span in str(raised.value)), (
                f"{refusal.__name__}: {raised.value}"
            )
    for broken in fx_rewrites.BROKEN:
        text = str(edits.graph)
        made = broken(edits)
        if made is None:
            continue
        node, mend = made
        with pytest.raises(RuntimeError) as raised:
            edits.graph.lint()
        assert node.name in str(raised.value) and (not node.span or node.span in str(raised.value)), f"{broken.__name__}: {raised.value}"
        mend()
        assert str(edits.graph) == text
        edits.graph.lint()


def rewrite(seed: int, done: dict[str, int]) -> None:
    """One random graph, and EDITS_A_GRAPH edits of it."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    root = fx_rewrites.Root(seed, rng.randrange(3, 10)).eval()
    inputs = torch.randn(3, 3), torch.randn(3, 3)
    edits = fx_rewrites.Edits(fx.symbolic_trace(root), rng)
    expected = check_three_ways(edits.gm, inputs)
    assert not finite(expected) or same(expected, root(*inputs)), "the trace differs from the program"
    for _ in range(EDITS_A_GRAPH):
        name = rng.choice(fx_rewrites.KEEP * 2 + fx_rewrites.CHANGE * 3)
        before = edits.gm.code
        try:
            getattr(edits, name)()
            result = check_three_ways(edits.gm, inputs)
            if name in fx_rewrites.KEEP and finite(expected):
                assert same(result, expected), f"another result\n{edits.gm.code}"
        except Exception as error:
            raise AssertionError(
                f"{name} of the graph of MONOGRAPH_SEED={seed}, whose code was:{before}\n{type(error).__name__}: {error}"
            ) from error
        expected = result
        done[name] = done.get(name, 0) + 1
    check_refusals(edits)


def rewrites(count: int) -> None:
    print(f"graphs from seed {SEED}: MONOGRAPH_SEED={SEED} repeats them")
    done: dict[str, int] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(count // EDITS_A_GRAPH):
            rewrite(SEED + k, done)
    assert sum(done.values()) == count and done.keys() == {*fx_rewrites.KEEP, *fx_rewrites.CHANGE}


def test_hundreds_of_random_rewrites():
    rewrites(400)


@pytest.mark.slow
def test_ten_thousand_random_rewrites():
    rewrites(10_000)
