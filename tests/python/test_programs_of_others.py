"""What programs that nobody here wrote did, as programs of our own: each was once wrong, refused or unclear."""

import functools

import monograph as torch
import pytest


def without_cache_where_the_key_has_no_hash(n):
    """A cache as einops writes it."""
    try:
        return cached(n)
    except TypeError:
        return n * 2


@functools.lru_cache
def cached(n):
    return n * 2


@pytest.fixture(autouse=True)
def empty_cache():
    cached.cache_clear()


def test_a_cache_that_takes_keys_without_a_hash_needs_no_guard():
    traced = torch.jit.trace(lambda x: x.reshape(without_cache_where_the_key_has_no_hash(x.shape[0]), -1), torch.ones(2, 4))
    assert not traced.graph.guards
    assert traced(torch.ones(3, 4)).shape == (6, 2)


def test_another_cache_guards_its_key():
    traced = torch.jit.trace(lambda x: x.reshape(cached(x.shape[0]), -1), torch.ones(2, 4))
    assert len(traced.graph.guards) == 1
    with pytest.raises(RuntimeError, match="the graph was captured where"):
        traced(torch.ones(3, 4))


def test_the_way_out_of_another_error_is_not_a_cache():
    def f(x):
        try:
            return x * cached(x.shape[0])
        except (KeyError, ValueError):
            raise TypeError from None

    assert len(torch.jit.trace(f, torch.ones(2)).graph.guards) == 1


def test_a_handler_of_several_errors_counts():
    def f(x):
        try:
            n = cached(x.shape[0])
        except ValueError:
            n = 0
        except (KeyError, TypeError):
            n = x.shape[0] * 2
        return x * n

    assert not torch.jit.trace(f, torch.ones(2)).graph.guards
