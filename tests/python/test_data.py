"""torch.utils.data: PyTorch's orders for the same seeds, its batches and its errors."""

from __future__ import annotations

import collections
import pickle
from typing import NamedTuple

import monograph as torch
import numpy as np
import pytest
from live_oracle import OracleError
from monograph.utils import data

# What a program sees: the orders, and the draws that come after them.
ORDERS = [
    "[list(D.RandomSampler(range(7))), list(D.RandomSampler(range(7)))]", "list(D.RandomSampler(range(5), num_samples=13))",
    "list(D.RandomSampler(range(5), True, 70))", "list(D.RandomSampler(range(50), True))", "list(D.RandomSampler(range(9), generator=g))",
    "list(D.RandomSampler(range(9), True, 3, generator=g))", "list(D.SubsetRandomSampler([3, 5, 8, 9]))", "list(D.SubsetRandomSampler(range(9), g))",
    "list(D.WeightedRandomSampler([0.1, 0.5, 3.0, 0.0, 1.0], 20))", "list(D.WeightedRandomSampler([1, 2, 3, 4], 3, False, g))",
    "list(D.BatchSampler(D.SequentialSampler(range(10)), 3, False))", "list(D.BatchSampler(D.RandomSampler(range(10)), 3, True))",
    "[list(D.DistributedSampler(range(11), n, r, s, 5, d)) for n in (1, 2, 3, 14) for r in range(n) for s in (True, False) for d in (False, True) if n < 12 or not d]",
    "[[s.indices for s in D.random_split(range(n), parts)] for n, parts in [(9, [4, 5]), (10, [0.5, 0.3, 0.2]), (7, [0.33, 0.33, 0.34])]]",
    "[s.indices for s in D.random_split(range(9), [4, 5], generator=g)]", "[b.tolist() for e in range(3) for b in D.DataLoader(range(10), 3, shuffle=True)]",
    "[b.tolist() for e in range(3) for b in D.DataLoader(range(10), 3, shuffle=True, generator=g)]",
    "[b.tolist() for b in D.DataLoader(range(10), 4, drop_last=True)]", "[b for b in D.DataLoader(range(4), None, shuffle=True)]",
    "[b.tolist() for b in D.DataLoader(range(10), 4, sampler=D.RandomSampler(range(10), generator=g))]",
    "[b.tolist() for b in D.DataLoader(range(10), batch_sampler=[[1, 2], [3], [0, 9]])]",
    "[b.tolist() for b in D.DataLoader(D.Subset(range(10), [9, 8, 3]), 2, shuffle=True)]", "len(D.DataLoader(range(10), 3)) + len(D.DataLoader(range(10), 3, drop_last=True))",
    "[next(iter(D.DataLoader(range(10), 3, shuffle=True))).tolist() for _ in range(3)]", "list(D.ConcatDataset([range(3), range(5, 7)]))",
    "[b.tolist() for b in D.DataLoader(Stream(), 3)]", "[b.tolist() for b in D.DataLoader(Stream(), 3, drop_last=True)]", "list(D.DataLoader(Stream(), None))",
    "[b.tolist() for b in D.DataLoader(Stream() + Stream(), 4)]", "[[b.tolist() for b in D.DataLoader(Augmented(), 3, shuffle=True)] for _ in range(2)]",
]  # fmt: skip
PROGRAM = """
D = torch.utils.data
class Stream(D.IterableDataset):
    def __iter__(self):
        return iter(range(7))
class Augmented(D.Dataset):
    def __len__(self):
        return 7
    def __getitem__(self, index):
        return index + torch.rand(2)
torch.manual_seed(seed)
g = torch.Generator().manual_seed(seed + 1)

result = [eval(expression, {"D": D, "g": g, "Stream": Stream, "Augmented": Augmented}), torch.rand(3).tolist(), torch.rand(3, generator=g).tolist()]
"""
def here(expression, seed):
    scope = {"torch": torch, "expression": expression, "seed": seed}
    exec(PROGRAM, scope)
    return scope["result"]


@pytest.mark.oracle
@pytest.mark.parametrize("expression", ORDERS)
def test_orders_are_pytorchs_and_so_are_later_draws(oracle, sample_seed, expression):
    theirs = oracle.run(PROGRAM, expression=expression, seed=sample_seed % 1000)
    assert here(expression, sample_seed % 1000) == theirs


@pytest.mark.parametrize("expression", ORDERS)
def test_one_seed_gives_one_order(expression):
    assert here(expression, 3) == here(expression, 3)


def test_an_order_that_pytorch_gave():
    torch.manual_seed(0)
    data_set = data.TensorDataset(torch.arange(5.0), torch.arange(5))
    loader = data.DataLoader(data_set, batch_size=2, shuffle=True, generator=torch.Generator().manual_seed(0))
    assert [y.tolist() for _, y in loader] == [[3, 1], [0, 4], [2]]
    torch.manual_seed(7)
    assert [b.tolist() for b in data.DataLoader(range(6), 4, shuffle=True)] == [[5, 1, 3, 0], [4, 2]]
    assert torch.rand(1).item() == 0.23276156187057495


# --- batches --------------------------------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    x: object
    y: object


class Mapping(collections.abc.Mapping):
    def __init__(self, of):
        self.of = of

    def __getitem__(self, key):
        return self.of[key]

    def __len__(self):
        return len(self.of)

    def __iter__(self):
        return iter(self.of)


VALUES = [
    "[torch.ones(2), torch.zeros(2)]", "[1, 2]", "[1.5, 2.0]", "[True, False]", "['a', 'b']", "[b'a', b'b']", "[(1, 2.0), (3, 4.0)]", "[[1, 'x'], [2, 'y']]",
    "[{'a': 1, 'b': [torch.ones(1), 2]}, {'a': 3, 'b': [torch.zeros(1), 4]}]", "[np.ones(2), np.zeros(2)]", "[np.float32(1), np.float32(2)]",
    "[np.int64(1), np.int64(2)]", "[np.bool_(True), np.bool_(False)]", "[((1, 2), {'k': 3})] * 3", "[np.ones((2, 3), np.float32)] * 2", "[1 + 2j, 3j]",
    "[collections.OrderedDict(a=1), collections.OrderedDict(a=2)]", "[collections.deque([1, 2]), collections.deque([3, 4])]", "[range(2), range(2)]",
    "[None, 1]", "[torch.ones(2), torch.ones(3)]", "[[1], [1, 2]]", "[object(), object()]", "[np.array(['a']), np.array(['b'])]", "[torch.tensor(3)] * 2", "[1, 2.5]",
]  # fmt: skip
DESCRIBE = """
import collections
import numpy as np
def plain(x):
    if isinstance(x, torch.Tensor):
        return [str(x.dtype).removeprefix("torch."), list(x.shape), x.tolist()]
    if isinstance(x, dict):
        return [type(x).__name__, {k: plain(v) for k, v in x.items()}]
    if isinstance(x, (list, tuple, collections.deque)):
        return [type(x).__name__, [plain(v) for v in x]]
    return str(x)
result = plain(eval("torch.utils.data." + call, {"torch": torch, "np": np, "collections": collections}))
"""


@pytest.mark.oracle
@pytest.mark.parametrize("function", ["default_collate", "default_convert"])
@pytest.mark.parametrize("values", VALUES)
def test_batches_are_pytorchs(oracle, function, values):
    scope = {"torch": torch, "call": f"{function}({values})"}
    if values == "[object(), object()]" and function == "default_convert":
        pytest.skip("the text of an object holds its address")
    try:
        theirs = oracle.run(DESCRIBE, call=scope["call"])
    except OracleError as error:
        with pytest.raises(Exception) as ours:  # noqa: B017 - the kind is compared
            exec(DESCRIBE, scope)
        assert type(ours.value).__name__ == error.kind
        assert error.kind != "TypeError" or error.text[:40] in str(ours.value)
        return
    exec(DESCRIBE, scope)
    assert scope["result"] == theirs


def test_structures_keep_their_kind():
    assert data.default_collate([Pair(1, "a"), Pair(2, "b")]).y == ("a", "b")
    converted = data.default_convert(Pair(np.array([1]), "a"))
    assert type(converted) is Pair and converted.x.tolist() == [1]
    made = data.default_collate([Mapping({"a": 1}), Mapping({"a": 2})])
    assert type(made) is Mapping and made["a"].tolist() == [1, 2]
    assert type(data.default_convert(Mapping({"a": np.array(1)}))) is Mapping
    assert data.default_collate([np.ones(2), np.ones(2)]).dtype is torch.float64


def test_a_map_of_functions():
    from monograph.utils.data._utils.collate import collate, default_collate_fn_map

    class Text(str):
        pass

    functions = {Text: lambda batch, *, collate_fn_map: "+".join(batch), **default_collate_fn_map}
    assert collate([[Text("a"), 1], [Text("b"), 2]], collate_fn_map=functions)[0] == "a+b"


# --- datasets -------------------------------------------------------------------------------------------------------------------------


def test_datasets():
    x, y = torch.arange(4.0), torch.arange(4)
    pairs = data.TensorDataset(x, y)
    assert len(pairs) == 4 and pairs[2][1].item() == 2 and pairs[1:3][0].tolist() == [1.0, 2.0]
    assert len(pairs + pairs) == 8 and (pairs + pairs)[5][1].item() == 1 and (pairs + pairs)[-1][1].item() == 3
    stacked = data.StackDataset(a=x, b=pairs)
    assert stacked[1]["b"][1].item() == 1 and stacked.__getitems__([0, 3])[1]["a"].item() == 3.0
    assert data.StackDataset([1, 2], [3, 4])[1] == (2, 4) and len(stacked) == 4
    part = data.Subset(pairs, [3, 1])
    assert part[0][1].item() == 3 and len(part) == 2 and part[[0, 1]][1].tolist() == [3, 1]
    assert [b[1].tolist() for b in data.DataLoader(part, 2)] == [[3, 1]]
    assert data.Dataset[int] is not None and issubclass(data.IterableDataset, data.Dataset)
    assert data.get_worker_info() is None


def test_a_batch_is_loaded_at_once_where_the_dataset_can():
    asked = []

    class AtOnce(data.Dataset):
        def __len__(self):
            return 5

        def __getitems__(self, indices):
            asked.append(indices)
            return [i * 10 for i in indices]

    assert [b.tolist() for b in data.DataLoader(AtOnce(), 3)] == [[0, 10, 20], [30, 40]]
    assert asked == [[0, 1, 2], [3, 4]]
    assert data.Subset(AtOnce(), [4, 2]).__getitems__([0, 1]) == [40, 20]


def test_epochs_of_a_distributed_sampler():
    sampler = data.DistributedSampler(range(10), num_replicas=2, rank=0, seed=1)
    first = list(sampler)
    assert list(sampler) == first
    sampler.set_epoch(1)
    assert list(sampler) != first and len(sampler) == 5


def test_loaders_pickle_and_iterators_do_not():
    loader = data.DataLoader(data.TensorDataset(torch.arange(3)), 2)
    assert [b[0].tolist() for b in pickle.loads(pickle.dumps(loader))] == [[0, 1], [2]]
    with pytest.raises(NotImplementedError, match="cannot be pickled"):
        pickle.dumps(iter(loader))


def test_pin_memory_warns():
    with pytest.warns(UserWarning, match="no accelerator is found"):
        assert [b.tolist() for b in data.DataLoader(range(2), 2, pin_memory=True)] == [[0, 1]]


def test_a_stream_that_is_longer_than_it_says():
    class Stream(data.IterableDataset):
        def __iter__(self):
            return iter(range(3))

        def __len__(self):
            return 2

    loader = data.DataLoader(Stream(), None)
    assert len(loader) == 2
    with pytest.warns(UserWarning, match="was reported to be 2"):
        list(loader)


def test_worker_processes_are_refused():
    with pytest.raises(NotImplementedError, match="num_workers=2 needs worker processes.*Use num_workers=0"):
        data.DataLoader(range(3), num_workers=2)


WRONG = [
    "D.DataLoader(range(3), num_workers=-1)", "D.DataLoader(range(3), timeout=-1)", "D.DataLoader(range(3), prefetch_factor=2)",
    "D.DataLoader(range(3), persistent_workers=True)", "D.DataLoader(range(3), multiprocessing_context='fork')", "D.DataLoader(range(3), shuffle=True, sampler=[1])",
    "D.DataLoader(range(3), 2, batch_sampler=[[1]])", "D.DataLoader(range(3), None, drop_last=True)", "D.DataLoader(range(3), batch_size=0)",
    "D.DataLoader(range(3), batch_size=1.5)", "D.DataLoader(range(3), drop_last=3)", "D.DataLoader([], shuffle=True)", "D.DataLoader(Stream(), shuffle=True)",
    "D.DataLoader(Stream(), sampler=[1])", "D.DataLoader(Stream(), batch_sampler=[[1]])", "len(D.DataLoader(Stream()))", "D.RandomSampler(range(3), 1)",
    "D.RandomSampler(range(3), num_samples=0)", "D.WeightedRandomSampler([1.0], 0)", "D.WeightedRandomSampler([1.0], True)", "D.WeightedRandomSampler([[1.0]], 1)",
    "D.WeightedRandomSampler([1.0], 1, 3)", "D.BatchSampler([1], 0, False)", "D.BatchSampler([1], 1, 0)", "D.TensorDataset(torch.ones(2), torch.ones(3))",
    "D.ConcatDataset([])", "D.ConcatDataset([Stream()])", "D.ConcatDataset([[1]])[-2]", "list(D.ChainDataset([[1]]))", "D.StackDataset()",
    "D.StackDataset([1], a=[1])", "D.StackDataset([1], [1, 2])", "D.random_split(range(3), [1, 1])", "D.random_split(range(3), [1.5, -0.5])", "D.Dataset()[0]",
    "D.DistributedSampler(range(3), 2, 2)", "setattr(D.DataLoader(range(3)), 'batch_size', 2)", "list(D.DataLoader(range(3), timeout=3))",
    "type('S', (D.Subset,), {'__getitem__': lambda self, i: i})([1], [0])", "iter(D.Sampler())",
]  # fmt: skip
SETUP = """
D = torch.utils.data
class Stream(D.IterableDataset):
    def __iter__(self):
        return iter(range(7))
"""


@pytest.mark.oracle
@pytest.mark.parametrize("call", WRONG)
def test_errors_are_pytorchs(oracle, call):
    with pytest.raises(OracleError) as theirs:
        oracle.run(f"{SETUP}{call}\nresult = None")
    with pytest.raises(Exception) as ours:  # noqa: B017 - the kind is compared below
        exec(SETUP + call, {"torch": torch})
    assert type(ours.value).__name__ == theirs.value.kind
    assert theirs.value.text.split("\n")[0].rstrip(".:")[:60] in str(ours.value)


@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls_raise(call):
    with pytest.raises((ValueError, TypeError, AssertionError, NotImplementedError)):
        exec(SETUP + call, {"torch": torch})
