"""torch.utils.weak: keys by identity, which do not keep their tensors alive."""

import copy
import gc

import monograph as torch
import pytest
from monograph.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakIdRef, WeakTensorKeyDictionary


def test_keys_are_told_apart_by_identity() -> None:
    x, y = torch.ones(2), torch.ones(2)
    notes = WeakIdKeyDictionary({x: 1})
    notes[y] = 2
    assert (notes[x], notes[y], len(notes)) == (1, 2, 2)
    assert x in notes and torch.ones(2) not in notes and 3 not in notes
    assert notes.get(torch.ones(2), "none") == "none" and notes.setdefault(x, 5) == 1
    assert [k is v for k, v in zip(notes, (x, y), strict=True)] == [True, True]
    assert notes.pop(x) == 1 and list(notes.values()) == [2]
    with pytest.raises(KeyError):
        notes[x]
    with pytest.raises(KeyError):
        del notes[x]
    assert WeakTensorKeyDictionary is WeakIdKeyDictionary


def test_entries_go_with_their_keys() -> None:
    x, y = torch.ones(2), torch.ones(3)
    notes, reference = WeakIdKeyDictionary({x: "x", y: "y"}), TensorWeakRef(x)
    assert reference() is x and len(notes.keyrefs()) == 2
    del x
    gc.collect()
    assert reference() is None and list(notes.values()) == ["y"] and len(notes.keyrefs()) == 1


def test_an_entry_may_go_while_somebody_walks_through() -> None:
    keys = [torch.ones(1) for _ in range(4)]
    notes = WeakIdKeyDictionary({k: n for n, k in enumerate(keys)})
    seen = []
    for key, value in notes.items():
        seen.append(value)
        keys.clear()
        del key
        gc.collect()
    assert seen[0] == 0 and len(notes) <= 1


def test_copies_and_unions() -> None:
    x, y = torch.ones(2), torch.zeros(2)
    notes = WeakIdKeyDictionary({x: [1]})
    same, deep = notes.copy(), copy.deepcopy(notes)
    assert same[x] is notes[x] and deep[x] == [1] and deep[x] is not notes[x]
    assert notes == same and notes != {y: [1]}
    assert len(notes | {y: 2}) == 2 and len({y: 2} | notes) == 2 and len(notes) == 1
    notes |= {y: 3}
    assert notes[y] == 3
    assert hash(WeakIdRef(x)) == hash(WeakIdRef(x)) and WeakIdRef(x) != WeakIdRef(y)
