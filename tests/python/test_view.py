"""The page of `monograph view` and torch.view: its data, names that try to break out of it, the changes of a pass, and that its script parses."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import esprima
import monograph as torch
import monograph.nn as nn
import pytest
from monograph.fx.passes.shape_prop import ShapeProp
from test_cli import PROGRAM, ROOT, error, folder, program  # noqa: F401

PARTS = ROOT / "src" / "passes" / "page"
SMALL = """\
symbol s0 hint 2
graph forward[level=operator](%x : Float(s0, 3)): # net.py:1:0
  %weight : Float(3, 3) = get_attr["fc.weight"]() # net.py:2:4, scope: __module.fc
  %linear : Float(s0, 3) = aten::linear(%x, %weight, None) # net.py:2:4, scope: __module.fc
  %sum_1 : Float() = aten::sum(%linear) # net.py:3:0
  %bool_1 : bool = aten::Bool.Tensor(%sum_1) # net.py:3:0
  %if_1(%a, %b) : (Float(s0, 3), int) = prim::If(%bool_1) # net.py:3:0
    block0():
      %relu : Float(s0, 3) = aten::relu(%linear) # net.py:4:0
      -> (%relu, 1)
    block1():
      -> (%linear, 2)
  %cat : Float(2*s0, 3) = aten::cat([%a, %x], 0) # net.py:5:0
  return ((%cat, %b))
class __torch__.net.Net(Module):
  module "fc"
class __torch__.torch.nn.modules.linear.___torch_mangle_2.Linear(Module):
  parameter "weight" : Float(3, 3)
module m0 : __torch__.net.Net:
  "fc" = m1
module m1 : __torch__.torch.nn.modules.linear.___torch_mangle_2.Linear:
  "weight" = tensor(Float(3, 3), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
root m0
"""


class Page(HTMLParser):
    """The scripts of a page, and every element that is not the template's."""

    def __init__(self, text: str):
        super().__init__()
        self.scripts: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self._in_script = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href", "action", "data")]
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data

    @property
    def data(self) -> Any:
        return json.loads(self.scripts[0])


def page_of(*arguments: object, folder: Path) -> Page:  # noqa: F811
    program("view", *arguments, "-o", "page.html", folder=folder)
    return Page((folder / "page.html").read_text(encoding="utf-8"))


def test_the_data_of_a_small_graph(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text(
        SMALL.replace("graph forward", "monograph 1\ngraph forward").replace(
            "symbol s0 hint 2\nmonograph 1\n", "monograph 1\nsymbol s0 hint 2\n"
        )
    )
    found = page_of("small.txt", folder=tmp_path).scripts[0]
    assert found.strip() == (ROOT / "tests" / "data" / "view" / "small.json").read_text().strip()


def template_tags() -> list[str]:
    return Page(torch.view(torch.fx.Graph()).html).tags


HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    '"};alert(1);//',
    "\\",
    "]]>",
    "&lt;b&gt;",
    "\u2028",
    "\u202e",
    "'",
    "${x}",
    "{{data}}",
    "\x7f",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_stay_data(tmp_path: Path, name: str) -> None:
    quoted = json.dumps(name)
    (tmp_path / "hostile.txt").write_text(
        f'graph {quoted}[level=module](%x[target={quoted}]):  # "x.py":1:0\n  %y = call_module[{quoted}](%x, {quoted}) # {quoted}:1:0-1:1, scope: {quoted}\n'
        f"  %z = call_method[{quoted}](%y)\n  return (%z)\n",
        encoding="utf-8",
    )
    page = page_of("hostile.txt", folder=tmp_path)
    assert page.tags == template_tags()
    function = page.data["functions"][0]
    nodes = function["after"]["nodes"]
    assert [node["target"] for node in nodes] == [name, name, name, "output"]
    assert function["name"] == name and function["after"]["files"][-1] == name and nodes[1]["module"] == name
    assert name in nodes[1]["args"][1][1] or json.loads(nodes[1]["args"][1][1]) == name
    assert not re.search(r"[<>&]", page.scripts[0])


def test_what_is_not_utf8_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "bytes.txt").write_bytes(b'graph(%x):\n  %y = call_method["\xff\xc0\xaf\xed\xa0\x80ok"](%x)\n  return (%y)\n')
    text = page_of("bytes.txt", folder=tmp_path).scripts[0]
    assert "\ufffd" in json.loads(text)["functions"][0]["after"]["nodes"][1]["target"] and "ok" in text


def test_a_page_needs_nothing_else() -> None:
    page = torch.view(torch.fx.symbolic_trace(lambda x: x + 1)).html
    assert Page(page).addresses == []
    assert "default-src 'none'" in page
    for part in PARTS.iterdir():
        text = part.read_text()
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|\bFunction\(|fetch\(|import\(|url\(|@import", text
        ), part
        assert set(re.findall(r"https?://[^\"\s]*", text)) <= {"http://www.w3.org/2000/svg"}, part  # a name, which nothing loads


def test_the_script_parses() -> None:
    """Whatever machine this is: by a parser in Python. It reads ECMAScript 2017, to which the page keeps."""
    scripts = Page(torch.view(torch.fx.symbolic_trace(lambda x: x + 1)).html).scripts
    assert len(scripts) == 2
    assert len(esprima.parseScript(scripts[1]).body) > 60
    with pytest.raises(esprima.Error):
        esprima.parseScript(scripts[1] + "\nfunction (")


def model_of(page: Page, expression: str) -> Any:
    """What an expression over the model of the page's first function is, by the page's own functions."""
    if shutil.which("node") is None:
        pytest.skip("node, which runs the page's functions, is not installed")
    code = (PARTS / "model.js").read_text() + "\nconst data = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
    code += "const model = makeModel(data.functions[0]); const tree = makeTree(model, false); unfoldAtFirst(tree); const view = visibleLines(tree);\n"
    code += f"console.log(JSON.stringify({expression}));"
    done = subprocess.run(["node", "-e", code], input=page.scripts[0], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc, self.norm = nn.Linear(4, 4), nn.LayerNorm(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.fc(x).relu()) + x


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.Sequential(Block(), Block())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.blocks(x)
        return torch.cond(y.sum() > 0, lambda a: a * 2, lambda a: a.relu() + 1, (y,))


def shown_by(html: str) -> Any:
    """The rows and details that the page shows, without a browser (tests/data/view/without_browser.js)."""
    if shutil.which("node") is None:
        pytest.skip("node, which runs the page's script, is not installed")
    done = subprocess.run(
        ["node", ROOT / "tests" / "data" / "view" / "without_browser.js"], input=html, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def looping(x: torch.Tensor, n: torch.Tensor) -> Any:
    def body(i: torch.Tensor, y: torch.Tensor) -> Any:
        return i + 1, torch.cond(y.sum() > 0, lambda a: a * 2, lambda a: a + 1, (y,))

    return torch.while_loop(lambda i, y: i < n, body, (torch.tensor(0), x))


def test_every_row_can_be_looked_at() -> None:
    traced = torch.jit.trace(Net().eval(), torch.ones(2, 4)).inlined_graph
    loop = torch.fx.symbolic_trace(looping).graph
    changed = torch.fx.symbolic_trace(looping).graph
    next(n for n in changed.nodes(recursive=True) if n.name.startswith("mul")).args = (3, 3)
    for page in (
        torch.view(traced),
        torch.view(torch.fx.symbolic_trace(Net())),
        torch.view(loop),
        torch.view(traced, loop),
        torch.view(loop, changed),
    ):
        seen = shown_by(page.html)
        assert len(seen["rows"]) >= len(seen["start"]) > 3 and all(seen["details"])
    assert any(text.startswith("mul") and "Changed: arguments." in text for text in seen["details"])
    text = " ".join(shown_by(torch.view(traced).html)["details"])
    assert (
        "call_function" in text
        and "moduleblocks.0.fctorch.nn.modules.linear.Linear" in text
        and "size64 bytes" in text
        and "Users (2)" in text
    )


LINES = "view.lines.filter((line) => line.kind !== 'end').map(({item}) => '  '.repeat(item.depth) + (item.label || (item.module || item.kind === 'module' ? (item.module || item.path) + ' ' : '') + (item.row ? callText(item.row.node.graph, item.row.node) : '')))"


def test_the_tree_of_a_trace() -> None:
    page = Page(torch.view(torch.jit.trace(Net().eval(), torch.ones(2, 4))).html)
    assert [line.rstrip() for line in model_of(page, LINES)] == [
        "input()",
        "blocks",
        "  blocks.0",
        "    blocks.0.fc linear(x, weight, bias)",
        "    relu(linear)",
        "    blocks.0.norm layer_norm(relu, [4], weight, bias)",
        "    add(layer_norm, x)",
        "  blocks.1",
        "    blocks.1.fc linear(add, weight, bias)",
        "    relu(linear_1)",
        "    blocks.1.norm layer_norm(relu_1, [4], weight, bias)",
        "    add(layer_norm_1, add)",
        "sum(add_1)",
        "gt(sum_1, 0)",
        "Bool(gt)",
        "If(bool_1)",
        "  then",
        "    mul(add_1, 2)",
        "    result(mul)",
        "  else",
        "    relu(add_1)",
        "    add(relu_2, 1)",
        "    result(add_2)",
        "return(if_1)",
    ]
    assert page.data["functions"][0]["after"]["modules"]["blocks.0.fc"] == {
        "class": "torch.nn.modules.linear.Linear",
        "parameters": 20,
        "bytes": 80,
    }
    found = model_of(page, "search(tree, 'blocks.1 linear').map((f) => f.row ? f.row.node.name : f.item.path)")
    assert found == ["linear_1", "relu_1"]


def test_a_loop_is_a_box() -> None:
    def f(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        return torch.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2), (torch.tensor(0), x))[1]

    page = Page(torch.view(torch.fx.symbolic_trace(f)).html)
    lines = [line.strip() for line in model_of(page, LINES)]
    assert "loop body" in lines and "mul(carried_1, 2)" in lines and not any("getitem(" in line for line in lines)


def test_a_graph_of_modules_shows_classes_and_shapes() -> None:
    net = Net().eval()
    gm = torch.fx.symbolic_trace(net)
    ShapeProp(gm).propagate(torch.ones(2, 4))
    side = Page(gm.graph.view().html).data["functions"][0]["after"]
    assert side["modules"]["blocks.0.fc"] == {
        "class": "monograph.nn.modules.linear.Linear", "arguments": "in_features=4, out_features=4, bias=True", "parameters": 20, "bytes": 80,
    }  # fmt: skip
    assert next(node for node in side["nodes"] if node["target"] == "blocks.0.fc")["value"] == "float32[2, 4]"


def changes(page: Page) -> dict[str, str]:
    """State of each row that is not the same, by its name."""
    function = page.data["functions"][0]
    found = {}
    for before, after, *what in function["rows"]:
        name = (function["after"]["nodes"][after] if after is not None else function["before"]["nodes"][before])["name"]
        if before is None or after is None or what:
            found[name] = "added" if before is None else "removed" if after is None else " ".join(what)
    return found


def test_a_replaced_call_is_a_change_and_nothing_else_is() -> None:
    before = torch.fx.symbolic_trace(lambda x, y: torch.relu(x + y).sum() * 2)
    after = torch.fx.symbolic_trace(lambda x, y: torch.relu(x + y).sum() * 2)
    node = next(n for n in after.graph.nodes if n.name == "relu")
    node.target = torch.tanh
    assert changes(Page(after.graph.view(before=before).html)) == {"relu": "target"}
    assert changes(Page(torch.view(before, before).html)) == {}


def test_what_a_pass_adds_and_removes_is_marked() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x)
        z = torch.exp(y)
        return torch.tanh(z) + y

    before, after = torch.fx.symbolic_trace(f), torch.fx.symbolic_trace(f)
    exp = next(n for n in after.graph.nodes if n.name == "exp")
    with after.graph.inserting_after(exp):
        made = after.graph.call_function(torch.sigmoid, (exp.args[0],))
    exp.replace_all_uses_with(made)
    after.graph.erase_node(exp)
    assert changes(Page(torch.view(before, after).html)) == {"exp": "removed", "sigmoid": "added", "tanh": "arguments"}


def test_names_do_not_make_a_change() -> None:
    before = torch.fx.symbolic_trace(lambda x: torch.relu(x).exp().sum())
    after = torch.fx.symbolic_trace(lambda z: torch.relu(z).exp().sum())
    for k, node in enumerate(after.graph.nodes):
        node.name = f"other_{k}"
    assert changes(Page(torch.view(before, after).html)) == {}


def test_a_moved_node_is_marked_and_stays_one_row() -> None:
    before = torch.fx.symbolic_trace(lambda x: (x + 1) * (x - 1))
    after = torch.fx.symbolic_trace(lambda x: (x + 1) * (x - 1))
    add, sub = (next(n for n in after.graph.nodes if n.name == name) for name in ("add", "sub"))
    sub.append(add)
    assert list(changes(Page(torch.view(before, after).html)).values()) == ["moved"]


def test_a_change_in_a_branch_is_found_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(SMALL.split("class ")[0])
    (tmp_path / "b.txt").write_text(SMALL.split("class ")[0].replace("aten::relu", "aten::tanh").replace("(%linear, 2)", "(%linear, 3)"))
    page = page_of("a.txt", "b.txt", folder=tmp_path)
    assert sorted(changes(page).values()) == ["arguments", "target"]
    states = model_of(
        page, "view.lines.filter(({item}) => item.row && item.row.state !== 'same').map(({item}) => [item.row.state, item.parent.label])"
    )
    assert [s for s in states if s[1]] == [["changed", "then"], ["changed", "else"]]


def test_changed_weights_of_files_are_marked(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("monograph 1\n" + SMALL)
    (tmp_path / "b.txt").write_text("monograph 1\n" + SMALL.replace("[1.0, 0.0", "[2.0, 0.0"))
    assert changes(page_of("a.txt", "b.txt", folder=tmp_path)) == {"weight": "values"}


def test_changes_of_random_edits_account_for_every_node() -> None:
    """Each node of both graphs stands in exactly one row, whatever was done between."""
    import random

    draw = random.Random(0)
    for _ in range(40):
        before = torch.fx.symbolic_trace(Net().eval())
        after = torch.fx.symbolic_trace(Net().eval())
        for _ in range(draw.randrange(6)):
            node = draw.choice(
                [n for n in after.graph.nodes if n.op.startswith("call") and n.all_input_nodes and not str(n).startswith("if")]
            )
            with after.graph.inserting_before(node):
                made = after.graph.call_function(draw.choice([torch.relu, torch.exp]), (node.all_input_nodes[0],))
            if draw.random() < 0.5:
                node.replace_all_uses_with(made)
        function = Page(torch.view(before, after).html).data["functions"][0]
        for k, side in enumerate(("before", "after")):
            steps = [i for i, node in enumerate(function[side]["nodes"]) if "result" not in node]
            assert sorted(row[k] for row in function["rows"] if row[k] is not None) == steps


def test_functions_are_paired_by_name(tmp_path: Path) -> None:
    one = "graph {}(%x : Tensor):\n  %y : Tensor = aten::{}(%x)\n  return (%y)\n"
    (tmp_path / "a.txt").write_text("monograph 1\n" + one.format("f", "relu") + one.format("g", "exp"))
    (tmp_path / "b.txt").write_text("monograph 1\n" + one.format("h", "relu") + one.format("g", "exp"))
    data = page_of("a.txt", "b.txt", folder=tmp_path).data
    assert [(f["name"], "before" in f, "after" in f) for f in data["functions"]] == [
        ("h", False, True),
        ("g", True, True),
        ("f", True, False),
    ]
    assert [f["name"] for f in page_of("a.txt", "--function", "g", folder=tmp_path).data["functions"]] == ["g"]


def test_large_and_deep_graphs(tmp_path: Path) -> None:
    lines = "".join(
        f"  %v{k} : Tensor = aten::relu(%v{k - 1}) # m.py:{k}:0, scope: __module.{'.'.join(['m'] * (k % 200))}\n" for k in range(1, 20_000)
    )
    (tmp_path / "long.txt").write_text(f"graph[level=operator](%v0 : Tensor):\n{lines}  return (%v19999)\n")
    page = page_of("long.txt", "long.txt", folder=tmp_path)
    assert len(page.data["functions"][0]["rows"]) == 20_001
    depth = 2000
    opened = "".join(f"  %i{k} : Tensor = prim::If(%c)\n block0():\n" for k in range(depth))
    closed = "".join(f"  -> (%{'x' if k == 0 else f'i{depth - k}'})\n block1():\n  -> (%x)\n" for k in range(depth))
    (tmp_path / "deep.txt").write_text(f"graph[level=operator](%x : Tensor, %c : bool):\n{opened}{closed}  return (%i0)\n")
    page = page_of("deep.txt", "deep.txt", folder=tmp_path)
    assert model_of(page, "tree.items.length") > 2 * depth


def test_a_graph_that_is_not_valid_is_shown() -> None:
    """In Python, where somebody looks for what is wrong. A file with such a graph is refused, as by every verb."""
    graph = torch.jit.trace(lambda x: x.relu() + 1, torch.ones(2, 3)).inlined_graph
    next(n for n in graph.nodes if n.name == "add").args = ("text", 1)
    with pytest.raises(Exception, match="add"):
        graph(torch.ones(2, 3))
    nodes = Page(graph.view().html).data["functions"][0]["after"]["nodes"]
    assert next(node for node in nodes if node["name"] == "add")["args"] == [["self", '"text"'], ["other", "1"]]


def test_types_are_inferred_for_a_look_and_the_graph_stays_as_it_is() -> None:
    graph = torch.jit.trace(lambda x: x.relu(), torch.ones(2, 3)).inlined_graph
    relu = next(n for n in graph.nodes if n.name == "relu")
    with graph.inserting_after(relu):
        made = graph.call_function("aten::exp", (relu,))
    version = graph._version
    shown = {node["name"]: node.get("value") for node in Page(graph.view().html).data["functions"][0]["after"]["nodes"]}
    assert shown["exp"] == shown["relu"] == "float32[s0_0, s0_1]"
    assert graph._version == version and made.value_type == relu.value_type


def test_wrong_calls_say_what_to_do(folder: Path) -> None:  # noqa: F811
    assert "--output is required" in error("view", "tour.txt", folder=folder, code=2)
    assert "FILE is required" in error("view", "-o", "page.html", folder=folder, code=2)
    assert "cannot open" in error("view", "missing.txt", "-o", "page.html", folder=folder)
    assert "NumPy array" in error("view", "x.npy", "-o", "page.html", folder=folder)
    assert "did you mean 'forward'?" in error("view", "tour.txt", "--function", "foward", "-o", "page.html", folder=folder)
    assert "no/such" in error("view", "tour.txt", "-o", "no/such/page.html", folder=folder)
    assert not (folder / "page.html").exists()
    with pytest.raises(TypeError, match="name the path: view\\(graph, path='page.html'\\)"):
        torch.view(torch.fx.Graph(), "page.html")
    with pytest.raises(TypeError, match="expects a Graph, or an object that has one, as graph, but got Linear"):
        torch.view(nn.Linear(1, 1))


def test_python_and_the_program_write_one_page(tmp_path: Path) -> None:
    graph = torch.jit.trace(Net().eval(), torch.ones(2, 4)).inlined_graph
    graph.view(tmp_path / "python.html")
    graph.save(tmp_path / "graph")
    program("view", "graph", "-o", "program.html", folder=tmp_path)
    here, there = (Page((tmp_path / name).read_text(encoding="utf-8")) for name in ("python.html", "program.html"))
    assert here.scripts[1] == there.scripts[1]
    for page in (here, there):
        for side in page.data["functions"]:
            assert [n["name"] for n in side["after"]["nodes"]] == [n["name"] for n in here.data["functions"][0]["after"]["nodes"]]
    assert os.stat(tmp_path / "python.html").st_mode & 0o777 == os.stat(tmp_path / "program.html").st_mode & 0o777


def test_a_notebook_shows_the_page_in_a_frame() -> None:
    page = torch.view(torch.fx.symbolic_trace(lambda x: x + 1))
    shown = page._repr_html_()
    frame = Page(shown)
    assert frame.tags == ["iframe"] and 'sandbox="allow-scripts"' in shown
