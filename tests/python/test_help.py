"""help(), editors and tab completion: what they show of operators, layers and modules."""

from __future__ import annotations

import doctest
import inspect
import pydoc
import re
import subprocess
import sys
import types
from html.parser import HTMLParser
from pathlib import Path

import monograph as torch
import pytest
from monograph import _help
from monograph._signatures import Form, python_default

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import examples as example_tool  # noqa: E402

FUNCTIONS = list(example_tool.functions())
BLOCKS = (ROOT / "python" / "monograph" / "_examples.txt").read_text().split("\n\n")[1:]
# How many there are of each; these may only fall.
WITHOUT_EXAMPLE, WITHOUT_WORDS, LAYERS_WITHOUT_EXAMPLE, FUNCTIONS_WITHOUT_TEXT = 47, 0, 5, 0


# --- operators ------------------------------------------------------------------------------------------------------------------------


def test_help_of_a_function():
    text = pydoc.plain(pydoc.render_doc(torch.sum))
    assert "sum(input: Tensor, *, dtype: dtype | None = None, out: Tensor | None = None)" not in text  # no such overload
    assert "sum(input: Tensor, *, dtype: dtype | None = None) -> Tensor" in text
    assert "sum(input: Tensor, dim: int | Sequence[int] | None, keepdim: bool = False, *, dtype: dtype | None = None, out: Tensor | None = None) -> Tensor" in text
    assert "The sum of all elements" in text and "    keepdim: Whether the dims that were worked along stay, with size 1." in text
    assert "Example:" in text and ">>> torch.sum(" in text
    assert "add.int(" not in pydoc.plain(pydoc.render_doc(torch.add))  # overloads of numbers are TorchScript's


def test_help_of_a_method():
    text = torch.Tensor.add_.__doc__
    assert text.startswith("add_(self, other: Tensor, *, alpha: Number = 1) -> Tensor\n")
    assert "Returns: The tensor itself, changed." in text and ">>> x.add_(" in text
    assert "input" not in text.split("Example:")[0]  # a method's tensor is self
    assert "add(other: 'Tensor | Number', alpha: 'Number' = 1) -> 'Tensor'" in pydoc.plain(pydoc.render_doc(torch.ones(1).add))


def test_words_of_a_record():
    words = _help.words_of("The sum.\nOf all.\n\ndim: The dims.\nout: A place: here.\n\n>>> x = 1\n>>> torch.sum(x)")
    assert words == _help.RecordWords("The sum.\nOf all.", {"dim": "The dims.", "out": "A place: here."}, ["x = 1", "torch.sum(x)"])
    assert _help.words_of("Out: nothing.").arguments == {"Out": "nothing."}


def test_help_of_a_function_in_python():
    text = torch.nn.functional.grid_sample.__doc__
    assert text.startswith("grid_sample(input: Tensor, grid: Tensor, mode: str = 'bilinear'")
    assert (
        "The input read at the places of `grid`" in text and '    padding_mode: What is read outside: "zeros"' in text
    )  # the function's own words
    assert "    grid: Where to read, of shape (batch, rows, columns, 2)" in text and ">>> torch.nn.functional.grid_sample(" in text
    assert (
        '    reduction: "mean" of the losses' in (text := torch.nn.functional.ctc_loss.__doc__)
        and "    blank: The class that stands for no class." in text
    )
    assert "reduction: 0 returns" in torch.ctc_loss.__doc__  # the record's words


def test_words_of_functions_in_python_are_theirs():
    for name, text in _help.function_words().items():
        function = getattr(torch.nn.functional, name)
        assert _help.is_written_in_python(function) and function.__wrapped__.__doc__ is None, f"{name}: help() shows its docstring"
        words, parameters = _help.words_of(text), {p.name for form in _help.forms_of(function) for p in form.parameters}
        assert not (unknown := set(words.arguments) - parameters), f"{name}: {unknown}"
        assert all(said[0].isupper() or not said[0].isalpha() for said in words.arguments.values()) and all(
            said.endswith(".") for said in words.arguments.values()
        ), name
        assert not words.text or words.text.endswith("."), name


def test_examples_of_records_by_other_names():
    assert ">>> torch.lgamma(x)" in torch.lgamma.__doc__ and ">>> torch.special.gammaln(x)" in torch.special.gammaln.__doc__
    assert ">>> x.quantile(0.5)\n    tensor(2.5000)" in torch.Tensor.quantile.__doc__ and ">>> x.gcd_(" in torch.Tensor.gcd_.__doc__
    assert ">>> torch.addmv_(x, " in torch.addmv_.__doc__
    lines = ["x = torch.ones(2)", "torch.addmv(x, torch.eye(2), x)", "torch.addmv(torch.ones(2), torch.eye(2), x)"]
    assert example_tool.as_method(lines[:2], torch.Tensor.addmv_) == ["x = torch.ones(2)", "x.addmv_(torch.eye(2), x)"]
    assert example_tool.as_method([lines[0], lines[2]], torch.Tensor.addmv_) == []  # its first argument has no name
    assert example_tool.under_its_name(["torch.lgamma(x)"], torch.special.gammaln, "torch.special.gammaln") == ["torch.special.gammaln(x)"]


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (torch.relu, "(input: 'Tensor') -> 'Tensor'"),
        (torch.softmax, "(input: 'Tensor', dim: 'int', dtype: 'dtype | None' = None, *, out: 'Tensor | None' = None) -> 'Tensor'"),
        (torch.sum, "(input: 'Tensor', dim: 'int | Sequence[int] | None' = ..., keepdim: 'bool' = ..., *, dtype: 'dtype | None' = None, out: 'Tensor | None' = ...) -> 'Tensor'"),
        (torch.Tensor.relu, "(self: 'Tensor', /) -> 'Tensor'"),
        (torch.ones(1).softmax, "(dim: 'int', dtype: 'dtype | None' = None) -> 'Tensor'"),
        (torch.max, "(*args, **kwargs) -> 'Tensor | tuple[Tensor, Tensor]'"),  # its second argument is a dim or a tensor
        (torch.ops.aten.relu.default, "(self: 'Tensor') -> 'Tensor'"),
    ],
)  # fmt: skip
def test_signature(function, text):
    assert str(inspect.signature(function)) == text


@pytest.mark.parametrize("path, function", FUNCTIONS, ids=[path for path, _ in FUNCTIONS])
def test_every_signature_takes_every_overload(path, function):
    signature = inspect.signature(function)
    for form in _help.forms_of(function):
        own = ["self"] if form.method else []
        positional = [p.name for p in form.positional]
        signature.bind(*own, *positional, **{p.name: 0 for p in form.parameters if p.keyword_only})
        signature.bind(*own, *(p.name for p in form.positional if not p.default), **{p.name: 0 for p in form.parameters if p.keyword_only and not p.default})


def test_builtins_are_routines_that_take_no_self():
    class Layer:
        activation = torch.relu

    assert inspect.isroutine(torch.relu) and inspect.isroutine(torch.Tensor.relu)
    assert Layer().activation(torch.tensor([-1.0, 2.0])).tolist() == [0, 2]


def test_defaults_are_those_of_python():
    given = ["None", "True", "1", "1e-05", "'none'", '"mean"', "[]", "[0]", "[1, 2]", "Mean", "contiguous_format", "-1"]
    assert [python_default(text) for text in given] == ["None", "True", "1", "1e-05", "'none'", '"mean"', "()", "(0,)", "(1, 2)", "1", "...", "-1"]
    form = Form("aten::f.x(Tensor(a) self, int[2] a=1, *, ScalarType? dtype=None) -> (Tensor(a) values, Tensor indices)")
    assert list(form.texts()) == ["(input: Tensor, a: int | Sequence[int] = 1, *, dtype: dtype | None = None) -> tuple[Tensor, Tensor]"]
    assert list(Form("aten::view(Tensor self, SymInt[] size) -> Tensor", method=True).texts()) == ["(self, size: Sequence[int]) -> Tensor", "(self, *size: int) -> Tensor"]


def test_examples_give_what_they_show():
    assert len(BLOCKS) > 800
    checker, failures = doctest.DocTestRunner(verbose=False), []
    for block in BLOCKS:
        name, _, text = block.partition(":\n")
        example = doctest.DocTestParser().get_doctest(text, {"torch": torch}, name, None, None)
        assert example.examples, name
        output: list[str] = []
        if checker.run(example, out=output.append).failed:
            failures.append("".join(output))
    assert not failures, "\n".join(failures)


def test_every_operator_has_an_example():
    named = {block.partition(":\n")[0] for block in BLOCKS}
    bare = sorted(path for path, function in FUNCTIONS if _help.key_of(function) not in named)
    assert len(bare) <= WITHOUT_EXAMPLE, f"{len(bare)} have no example; their records may state one (`>>> ` lines of .doc): {bare}"
    stale = named - {_help.key_of(function) for _, function in FUNCTIONS}
    assert not stale, f"run python tools/examples.py: {sorted(stale)} are no operators"


def test_every_argument_is_explained():
    bare = sorted(f"{path}: {name}" for path, function in FUNCTIONS for name, words in _help.argument_words(function).items() if not words)
    assert len(bare) <= WITHOUT_WORDS, (
        f"{len(bare)} arguments have no words: python/monograph/_argument_words.txt has those that many operators share, and a record may have its own "
        f"(`name: words` lines of .doc): {bare}"
    )


def test_shared_words_are_used_and_are_sentences():
    used = set()
    for _, function in FUNCTIONS:
        for form in _help.forms_of(function):
            for p in form.parameters:
                kind = re.sub(r"\[\d+\]", "[]", p.schema_type).replace("SymInt", "int")
                used.update((f"{p.name} ({kind})", f"{p.name} ({kind.removesuffix('?')})", p.name))
    words = _help._shared_words()
    assert not (unused := [key for key in words if key not in used | {"requires_grad", "self (Tensor)"}]), unused
    assert all(text[0].isupper() or not text[0].isalpha() for text in words.values()) and all(text.endswith(".") for text in words.values())


def test_examples_and_stubs_are_current():
    for tool in ("examples.py", "stubs.py"):
        run = subprocess.run([sys.executable, ROOT / "tools" / tool, "--check"], capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr[-2000:]


# --- what Python says -----------------------------------------------------------------------------------------------------------------


def public(module):
    for name in dir(module):
        value = getattr(module, name)
        if not name.startswith("_") and str(getattr(value, "__module__", "")).startswith(("monograph", "torch")):
            yield name, value


def test_layers_have_a_text_and_an_example():
    layers = {name: value for name, value in public(torch.nn) if isinstance(value, type) and issubclass(value, torch.nn.Module)}
    assert len(layers) > 120
    assert not (bare := [name for name, layer in layers.items() if not vars(layer).get("__doc__")]), bare
    bare = [name for name, layer in layers.items() if ">>>" not in (layer.__doc__ or "")]
    assert len(bare) <= LAYERS_WITHOUT_EXAMPLE, f"{len(bare)}: {bare}"


def test_functions_of_layers_say_what_they_do():
    functions = [(name, f) for name, f in vars(torch.nn.functional).items() if _help.is_written_in_python(f) and not name.startswith("_")]
    assert len(functions) > 85
    assert not (bare := [name for name, f in functions if not _help.sentences_of(f) and not f.__wrapped__.__doc__]), bare


# Of these classes, every method and attribute that a program may use says what it does.
CLASSES = (
    torch.Tensor, torch.nn.Module, torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler,
    torch.distributions.Distribution, torch.utils.data.Dataset, torch.profiler.profile, torch.amp.GradScaler, torch.Size, torch.finfo, torch.iinfo,
)  # fmt: skip


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__qualname__)
def test_methods_have_a_text(kind):
    bare = []
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        member = getattr(member, "__func__", member)
        if not name.startswith("_") and (callable(member) or hasattr(member, "__get__")) and not member.__doc__:
            bare.append(name)
    assert not bare


@pytest.mark.parametrize("path, function", FUNCTIONS, ids=[path for path, _ in FUNCTIONS])
def test_help_shows_the_text(path, function):
    shown = pydoc.plain(pydoc.render_doc(function))
    assert all(line.strip() in shown for line in function.__doc__.splitlines()[:8]), shown


def test_help_of_calls_that_do_different_things():
    text = torch.max.__doc__
    assert "max(input, other): The larger of two elements" in text and "max(input, dim, keepdim): The largest elements along `dim`" in text
    assert "Returns: A view" not in torch.Tensor.to.__doc__ and "Returns: A view" in torch.Tensor.view.__doc__ and "No gradient" not in torch.where.__doc__


def test_functions_in_python_are_functions_for_inspect():
    assert inspect.isroutine(torch.nn.functional.cross_entropy)

    class Layer:
        both = torch.nn.functional.l1_loss

        def size(self):
            return self

    assert Layer.both is torch.nn.functional.l1_loss and Layer().both.__self__.__class__ is Layer  # bound, as every function of a class


def test_functions_have_a_text():
    modules = (torch, torch.nn.functional, torch.nn.init, torch.autograd, torch.linalg, torch.special, torch.optim, torch.distributions, torch.utils.data)
    bare = [f"{module.__name__}.{name}" for module in modules for name, value in public(module) if callable(value) and not value.__doc__]
    assert len(bare) <= FUNCTIONS_WITHOUT_TEXT, f"{len(bare)}: {bare}"


# --- prompts and notebooks ------------------------------------------------------------------------------------------------------------

MODULES = ["", "nn", "nn.functional", "nn.init", "autograd", "fx", "jit", "func", "library", "linalg", "optim", "distributions", "cuda", "random", "special"]


@pytest.mark.parametrize("name", MODULES)
def test_tab_completion_shows_names_for_programs(name):
    module = torch
    for part in filter(None, name.split(".")):
        module = getattr(module, part)
    names = dir(module)
    assert names == sorted(names)
    private = [n for n in names if n.startswith("_") and not n.startswith("__")]
    left_over = {n for n in ("annotations", "Any", "math", "sys", "warnings", "Callable", "functools") if not isinstance(getattr(module, n, None), types.ModuleType) or n in ("math", "sys", "warnings", "functools")}
    assert not private and not left_over & set(names)  # torch.jit.annotations is a module
    assert all(hasattr(module, n) for n in names)


def test_an_import_leaves_out_what_stands_on_fx() -> None:
    """torch.fx takes a third of the time that an import with it takes. A capture, a file or a freeze imports it."""
    program = "import monograph as torch, sys\nassert 'monograph.fx' not in sys.modules\nprint(torch.jit.freeze.__name__, torch.import_ir_module.__name__)"
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert printed == "freeze import_ir_module\n"


def test_tab_completion_finds_what_is_not_imported_yet():
    program = "import monograph as torch, sys\nassert 'monograph.optim' not in sys.modules\nprint({'optim', 'utils', 'distributions', 'sum', 'nn'} <= set(dir(torch)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "True\n"


def test_a_star_import_has_functions_and_no_modules():
    scope: dict[str, object] = {}
    exec("from monograph import *", scope)
    assert scope["relu"] is torch.relu and scope["float32"] is torch.float32 and "nn" not in scope and "annotations" not in scope and "Any" not in scope


def test_tab_completion_of_a_tensor():
    names = dir(torch.ones(1))
    assert {"sum", "shape", "T", "grad_fn", "add_"} <= set(names) and "sum_of_all" not in names
    assert {"weight", "bias", "forward"} <= set(dir(torch.nn.Linear(1, 1)))


class Text(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.words = [], []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read(html: str) -> list[str]:
    parser = Text()
    parser.feed(html)
    parser.close()
    assert not parser.open
    return parser.words


def test_a_notebook_shows_a_graph_as_a_table():
    traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    words = read(traced.graph._repr_html_())
    assert {"graph", ": 4 nodes", "relu", "call_function", "add", "x, 1".replace("x", "relu"), "placeholder"} <= set(words)
    assert read(traced._repr_html_())[0] == "<lambda>"
    assert read(torch.jit.trace(torch.nn.Linear(2, 2), torch.ones(1, 2)).graph._repr_html_())


def test_html_of_a_graph_is_escaped_and_bounded():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    for _ in range(5000):
        x = graph.call_method("<script>alert(1)</script>", (x, "<b>" * 1000))
    graph.output(x)
    html = graph._repr_html_()
    assert len(html) < 200_000 and "<script>" not in html and "<b><b>" not in html and "4902 more nodes" in html
    read(html)


def test_a_notebook_shows_the_blocks_of_branches_and_loops():
    def f(x):
        if x.sum() > 0:
            for _ in range(x.shape[0]):
                x = x * 2
            x = torch.relu(x)
        else:
            x = x - 1
        return torch.exp(x)

    for graph in (torch.jit.trace(f, torch.ones(3)).graph, torch.fx.symbolic_trace(f).graph):
        rows = graph._repr_html_().split("<tr>")
        indented = {name: float(at) for name in ("mul_1", "relu", "sub", "exp") for row in rows if f"<code>{name}</code>" in row.split("</td>")[0]
                    for at in [row.partition("padding-left: ")[2].partition("em")[0] or 0]}  # fmt: skip
        assert indented == {"mul_1": 4.5, "relu": 2.5, "sub": 2.5, "exp": 0}
