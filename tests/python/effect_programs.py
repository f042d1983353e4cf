# ruff: noqa: B028, UP031  (programs as people write them)
"""Small programs that print, warn, log and make texts, for test_effect_programs.py. Each takes a matrix; most go other ways for other sizes and values."""

import contextlib
import io
import json
import logging
import sys
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import monograph as torch
from monograph import nn

LOG = logging.getLogger("effects.programs")
CHILD = logging.getLogger("effects.programs.child")


class Careful(UserWarning):
    """A category of a program's own."""


# Prints ------------------------------------------------------------------------------------------------------------------------------------


def prints_sizes(x):
    print("n", x.shape[0], "of", x.numel(), x.shape, x.dim())
    return x + 1


def prints_f_string(x):
    print(f"{x.shape[0]} rows and {x.shape[1]:>4}|{x.shape[0]:<5}|{x.shape[1]:^7}|{x.shape[0]:05d}")
    return x * 2


def prints_values(x):
    print(f"sum {x.sum():.3f} mean {x.mean().item():+.2e} {x.sum().item()}")
    return x


def prints_tensor(x):
    print(x, [x.shape[0], "a"], {"n": x.shape[0]})
    return x - 1


def prints_with_separator_and_end(x):
    print("a", x.shape[0], x.shape[1], sep="-", end=";")
    print("b", end="\n\n")
    print(sep=", ")
    print(*[x.shape[0], 2, None], sep="|")
    return x


def prints_to_stderr(x):
    print("error", x.shape[0], file=sys.stderr)
    print("out", file=sys.stdout, flush=True)
    return x


def prints_to_a_file(x):
    out = io.StringIO()
    print("kept", x.shape[0], file=out)
    return x * len(out.getvalue())


def prints_where_it_goes_elsewhere(x):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print("hidden", x.shape[0])
    return x + len(out.getvalue())


def prints_in_branch(x):
    if x.sum() > 0:
        print(f"positive: {x.sum():.1f}")
        y = x * 2
    else:
        print("not positive", x.shape[0])
        y = x - 1
    return y


def prints_in_loop(x):
    total = x.sum() * 0
    for row in x:
        if row.sum() > 0:
            print(f"row of {row.shape[0]}: {row.sum():g}")
        total = total + row.sum()
    return total


def prints_in_while(x):
    while x.sum() < 20 and x.sum() > 0:
        print("doubling", x.sum())
        x = x * 2
    return x


def prints_nested_f_strings(x):
    n = x.shape[0]
    print(f"<{f'[{n}]':>{8}}> {n!r} {n!s:>3}")
    return x


def prints_a_width_of_the_graph(x):
    print(f"{x.shape[1]:{x.shape[0]}d}|")
    return x


def prints_percent(x):
    print("%d of %5d, %-4d| %s %r %%" % (x.shape[0], x.shape[1], x.shape[0], x.shape, x.shape[1]))
    print("%(n)03d %(m)s" % {"n": x.shape[0], "m": x.shape[1]})
    return x


def prints_percent_of_values(x):
    print("loss %.4f %8.2f %e" % (x.sum().item(), x.mean().item(), x.sum().item()))
    return x


def prints_format(x):
    print("{} {:>4} {!r} {0}".replace(" {0}", "").format(x.shape[0], x.shape[1], x.shape[0]))
    print(f"{x.shape[1]} {x.shape[0]} {x.shape[0]:04d} {x.shape[0]}")
    return x


def prints_joined(x):
    print(" x ".join([str(n) for n in x.shape]), "x".join(["a", f"{x.shape[0]}"]))
    return x


def prints_an_object(x):
    class Config:
        def __init__(self, n):
            self.n = n

        def __str__(self):
            return f"Config({self.n})"

    print(Config(x.shape[0]))
    return x


# Texts that the program computes from -----------------------------------------------------------------------------------------------------


def text_as_key(x):
    return x * {"2": 10, "3": 20}.get(f"{x.shape[0]}", 1)


def text_as_new_key(x):
    counts: dict[str, Any] = {}
    counts[f"size{x.shape[0]}"] = 5
    counts[str(x.shape[1])] = 7
    return x * sum(len(k) * v for k, v in counts.items())


def text_compared(x):
    return x + 1 if f"{x.shape[0]}" == "3" else x - 1


def text_compared_in_order(x):
    return x + 1 if str(x.shape[0]) < "3" else x - 1


def text_counted(x):
    return x * len(f"{x.shape[0]}") + len("n=%d" % x.shape[1])


def text_of_shape_counted(x):
    return x * len(str(x.shape)) + len(repr(x.shape[0]))


def text_searched(x):
    name = f"layer_{x.shape[0]}_end"
    return x * name.index("_end") if name.endswith("end") and "3" in name else x


def text_in_a_set(x):
    seen = {"1", f"{x.shape[0]}"}
    return x * len(seen)


def text_read_as_number(x):
    return x * int(f"{x.shape[0]}0")


def text_to_json(x):
    return x + len(json.dumps({"n": f"{x.shape[0]}"}))


def text_of_values_compared(x):
    return x * 2 if f"{x.sum():.0f}" == "6" else x * 3


def text_as_attribute_name(x):
    class Holder:
        a1, a2, a3 = 10, 20, 30

    return x * getattr(Holder, f"a{min(int(x.shape[0]), 3)}")


class Named(NamedTuple):
    n: Any
    text: str


def text_in_a_named_tuple(x):
    named = Named(x.shape[0], f"n{x.shape[0]}")
    print(named.text, named.n)
    return x + len(named.text)


# Warnings ----------------------------------------------------------------------------------------------------------------------------------


def warns(x):
    warnings.warn("plain")
    warnings.warn(f"size {x.shape[0]}", stacklevel=1)
    return x


def warns_with_category(x):
    if x.shape[0] > 2:
        warnings.warn("old %d" % x.shape[0], DeprecationWarning)
    warnings.warn("mine", Careful)
    warnings.warn(RuntimeWarning("an instance"))
    return x + 1


def warns_of_the_caller(x):
    def inner(y):
        warnings.warn(f"of the caller {y.shape[1]}", category=FutureWarning, stacklevel=2)
        return y

    return inner(x) + inner(x * 2)


def warns_in_branch_and_loop(x):
    if x.sum() > 0:
        warnings.warn("positive")
    for row in x:
        if row.sum() < 0:
            warnings.warn(f"row {row.shape[0]}", RuntimeWarning)
    return x


# Logging -----------------------------------------------------------------------------------------------------------------------------------


def logs(x):
    LOG.info("rows %d of %s", x.shape[0], x.shape)
    CHILD.warning(f"f-string {x.shape[1]:03d}")
    LOG.debug("not shown %s", x.shape[0])
    return x


def logs_levels(x):
    LOG.log(logging.ERROR, "level %s %s", "text", x.shape[0])
    LOG.error("error")
    LOG.critical("critical %(n)s", {"n": x.shape[0]})
    logging.warning("of the root %d", x.shape[1])
    return x


def logs_in_branch_and_loop(x):
    if x.sum() > 0:
        LOG.warning("sum %.2f", x.sum().item())
    else:
        LOG.info("negative")
    for row in x:
        LOG.info("row %s", row.shape[0])
    return x


def logs_with_more(x):
    LOG.warning("extra", extra={"size": 3})
    return x


def logs_wrongly(x):
    LOG.warning("two %d %d", x.shape[0])
    return x


# Errors ------------------------------------------------------------------------------------------------------------------------------------


def raises_f_string(x):
    if x.shape[0] == 1:
        raise ValueError(f"one row of {x.shape[1]}: {x.shape}")
    if x.sum() < 0:
        raise RuntimeError("sum is %.1f" % x.sum().item())
    return x


def asserts(x):
    assert x.shape[0] != 1, f"bad size {x.shape[0]} x {x.shape[1]}"
    torch._assert(x.shape[1] == 2, f"bad width {x.shape[1]}")
    return x


def catches(x):
    try:
        if x.shape[0] == 1:
            raise ValueError(f"size {x.shape[0]}")
    except ValueError as error:
        print("caught", error)
        return x * len(str(error))
    return x


# More than one ------------------------------------------------------------------------------------------------------------------------------


def all_in_order(x):
    print("first", x.shape[0])
    LOG.warning("second %d", x.shape[0])
    warnings.warn("third")
    y = x.clone()
    y.add_(1)
    print("fourth", y.sum().item(), file=sys.stderr)
    print(f"fifth {y.sum():.1f}")
    y.add_(1)
    return y


def prints_around_writes(x):
    y = x.clone()
    print(y)
    text = f"{y[0, 0]:.2f} {y}"
    y.mul_(10)
    print(y)
    y[0] = 7
    print(text, y, str(y) == text, f"{y[0, 0]}")
    return y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.layer.weight.data.fill_(0.5)
        self.layer.bias.data.fill_(0.25)

    def forward(self, x):
        print(f"in {tuple(x.shape)}")
        y = self.layer(x)
        if y.mean() > 1:
            LOG.warning("large: %.3f", y.mean())
        return y


@dataclass
class Point:
    x: Any
    y: Any


def prints_a_dataclass(x):
    print(Point(x.shape[0], x.shape[1]))
    return x


def helper(text, values):
    for k, value in enumerate(values):
        print(f"{text}[{k}] = {value}")


def prints_in_function(x):
    helper(f"of {x.shape[0]}", [x.shape[0], x.shape[1] * 2, 7])
    return x


PROGRAMS = [
    prints_sizes, prints_f_string, prints_values, prints_tensor, prints_with_separator_and_end, prints_to_stderr, prints_to_a_file,
    prints_where_it_goes_elsewhere, prints_in_branch, prints_in_loop, prints_in_while, prints_nested_f_strings, prints_a_width_of_the_graph, prints_percent,
    prints_percent_of_values, prints_format, prints_joined, prints_an_object, text_as_key, text_as_new_key, text_compared, text_compared_in_order, text_counted,
    text_of_shape_counted, text_searched, text_in_a_set, text_read_as_number, text_to_json, text_of_values_compared, text_as_attribute_name,
    text_in_a_named_tuple, warns, warns_with_category, warns_of_the_caller, warns_in_branch_and_loop, logs, logs_levels, logs_in_branch_and_loop,
    logs_with_more, logs_wrongly, raises_f_string, asserts, catches, all_in_order, prints_around_writes, Net, prints_a_dataclass, prints_in_function,
]  # fmt: skip
