"""The registry of graph breaks: what a capture cannot record, why, what that costs, and what to write instead. docs/graph_breaks.md shows it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Break(NamedTuple):
    cause: str
    cure: str


COST = "A graph ends before it, Python runs it, and another graph begins after it."
COST_OF_CALL = "The whole call runs as Python runs it, without a graph."
BREAKS = {
    "arguments": Break("A capture does not know arguments of this type.", "Pass tensors, numbers, and lists, tuples and dicts of them."),
    "asked": Break("torch._dynamo.graph_break() ends the graph where it is called.", "Remove the call."),
    "call": Break(
        "Monograph does not know what this C function does. A graph cannot record the call, and a capture cannot undo it.",
        "Call it outside of the compiled function, or write the computation with torch's functions.",
    ),
    "class_attribute": Break("All objects of a class share its attributes, and a graph cannot write them.", "Set the attribute on the object."),
    "data": Break(
        "Python needs a number that depends on the elements of a tensor, and the branch or loop on it cannot be kept in the graph.",
        'Use torch.where or torch.cond. The backend "monograph" keeps branches; one of your own does if you register it with control_flow=True.',
    ),
    "disabled": Break("The function is marked by torch.compiler.disable.", "Remove the mark, or compile the code before and after the call separately."),
    "elements": Break("Python takes the elements of a tensor out of it, and computes with them.", "Use functions of torch, or item() for a single number."),
    "error": Break("The capture of the function raised an error.", "The error says what to change. If your function raises it, correct the function."),
    "import": Break("The first import of a module runs the code of the module.", "Import it outside of the compiled function."),
    "lasting": Break("The call changes more than the elements of tensors: gradients, hooks, or the random generator's seed.", "Call it outside of the compiled function."),
    "mode": Break("The function changes grad mode, autocast or the default dtype, and does not change it back.", "Change the mode outside of the function, or use `with`."),
    "older_iterator": Break("The function takes elements from an iterator that was made before the call.", "Make the iterator inside of the function, or pass a list."),
    "older_object": Break("The function changes an object of a C type, and a capture cannot see such changes.", "Use a list, a dict, a set, or an object with attributes."),
    "print": Break(
        "A graph cannot record this print: it goes to another file than sys.stdout and sys.stderr, it shows an object whose text only Python can make, or the backend "
        "takes graphs without prints, as PyTorch's backends do.",
        "Print outside of the compiled function.",
    ),
    "result": Break("The function returns or stores an object that a graph cannot make.", "Return tensors, numbers, and lists, tuples and dicts of them."),
    "size": Break(
        "Python decides by the size of a tensor that depends on the elements of another one, and the branch or loop on it cannot be kept in the graph.",
        "Let both sides of the branch give tensors of the same dtype and number of dims, or use a mask of the full size.",
    ),
    "tensor": Break("A graph must know where a tensor comes from, so that it can read it at the next call.", "Pass the tensor as an argument, or make it an attribute of a module."),
    "tensor_state": Break("This is a property of the Python object, not of the elements of the tensor. It may differ at the next call.", "Read or set it outside of the compiled function."),
    "try": Break("If an operator raises an error here, the function goes on in its `except`. A graph has no `except`.", "Test the sizes or values before the call, instead of catching the error."),
}  # fmt: skip


def dict_iterator(table: dict[Any, Any], view: str, passed: int) -> Any:
    """The iterator of a loop over a dict, behind the entries that the graph before a break has passed."""
    iterator = iter(getattr(table, view)())
    for _ in range(passed):
        next(iterator)
    return iterator


def text(kind: str, detail: str, where: str, whole: bool = True) -> str:
    """What is said of one break. whole: no graph ends there; the whole call runs as Python runs it."""
    if kind == "disabled" and detail.startswith(asked := "calls torch._dynamo.graph_break()"):
        kind, detail = "asked", asked
    entry = BREAKS[kind]
    place = f"\n  at {where}" if where and where not in detail else ""
    return f"The function {_verb(kind, detail)}.{place}\n  Cause: {entry.cause}\n  Cost: {COST_OF_CALL if whole else COST}\n  Cure: {entry.cure}"


def _verb(kind: str, detail: str) -> str:
    return f"could not be captured: {detail}" if kind == "error" else detail


def page() -> str:
    """docs/graph_breaks.md."""
    lines = [
        "# What torch.compile cannot capture",
        "",
        "```python",
        "import monograph as torch",
        "",
        "@torch.compile",
        "def f(x):",
        "    y = x * 2",
        '    open("log.txt", "a").write("called")  # a graph cannot record this',
        "    return y + 1",
        "```",
        "",
        "This function becomes two graphs. The first one computes `y`. Then Python runs the line with `open`, once. The second graph computes `y + 1`.",
        "The place between two graphs is a *graph break*. Later calls run the same graphs.",
        "",
        "Breaks also work in loops, in `with` blocks, in called functions and in the modules of a model.",
        "",
        "A graph cannot end in these places: in a generator, in an `except` block, in a function that C code calls (such as the key of `sorted`), and where a",
        "variable holds an object that cannot be made again. There the calling function is left to Python. If the function has no caller in the capture, its",
        "writes are undone, and Python runs the whole call.",
        "",
        "With `fullgraph=True` a break is an error, `torch._dynamo.exc.Unsupported`, that names the line, the cause, the cost and the cure.",
        "`torch._dynamo.explain(f)(x)` lists breaks and graphs without an error.",
        "",
        "The texts of this page are those of the errors. They come from `python/monograph/_dynamo/breaks.py`.",
        "",
        "| kind | cause | cure |",
        "|---|---|---|",
    ]
    return "\n".join(lines + [f"| {kind} | {b.cause} | {b.cure} |" for kind, b in sorted(BREAKS.items())]) + "\n"
