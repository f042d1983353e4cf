"""torch.fx.passes.splitter_base: cuts a graph into what an accelerator takes and what it does not. Derive from _SplitterBase.

    class Splitter(_SplitterBase):
        def _lower_model_to_backend(self, mod, inputs): ...

    split = Splitter(gm, (x,), support, _SplitterSettingBase())()
"""

from __future__ import annotations

import copy
import heapq
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...autograd.grad_mode import no_grad
from ...nn import Module
from ..graph_module import GraphModule
from ..node import Node
from ._nodes import CALLABLE_NODE_OPS, inputs_of, users_in
from .graph_drawer import FxGraphDrawer
from .graph_manipulation import get_size_of_node
from .operator_support import OperatorSupportBase, get_node_target
from .shape_prop import ShapeProp
from .split_utils import move_non_tensor_nodes_on_boundary, split_by_tags
from .tools_common import FxNetAccFusionsFinder, NodeList, NodeSet, is_node_output_tensor

__all__ = [
    "FxNetAccNodesFinder", "FxNetSplitterInternalError", "Subgraph", "SplitResult", "generate_inputs_for_submodules", "NodeEvent", "NodeEventTracker",
]  # fmt: skip

DEFAULT_MIN_ACC_MODULE_SIZE = 1
DEFAULT_SKIP_FUSION = False
DEFAULT_ALLOW_NON_TENSOR = False
# What of the events is written to files: 0 nothing, 1 all, 2 and with their causes those of the named nodes, 3 those of all nodes with several.
TRACKER_MODE = os.environ.get("FX_NET_ACC_SPLITTER_TRACKER_MODE", "0")
DUMP_PREFIX = os.environ.get("FX_NET_ACC_SPLITTER_TRACKER_DUMP_PATH", "_fx_net_tracker")


class _SplitterSettingBase:
    """How to cut. Unlike PyTorch's it does not read the arguments of the process.

    min_acc_module_size: a smaller part for the accelerator goes to the others. skip_fusion: nodes that pass non-tensors need not stay together.
    allow_non_tensor: non-tensors may pass between the parts. max_acc_splits: generate_split_results raises if there are more parts.
    """

    def __init__(
        self,
        min_acc_module_size: int = DEFAULT_MIN_ACC_MODULE_SIZE,
        skip_fusion: bool = DEFAULT_SKIP_FUSION,
        allow_non_tensor: bool = DEFAULT_ALLOW_NON_TENSOR,
        max_acc_splits: int = -1,
        move_non_tensor_nodes_on_boundary: bool = False,
    ):
        self.min_acc_module_size = min_acc_module_size
        self.skip_fusion = skip_fusion
        self.allow_non_tensor = allow_non_tensor
        self.max_acc_splits = max_acc_splits
        self.move_non_tensor_nodes_on_boundary = move_non_tensor_nodes_on_boundary


class NodeEvent:
    """Something that the splitter decided about a node, and the node that it was for, if there is one."""

    def __init__(self, source: Node, desc: str, dep: Node | None = None):
        self.source, self.desc, self.dep = source, desc, dep

    def to_str(self) -> str:
        return f"{self.source.name}: {self.desc} {self.dep.name if self.dep else '#'}"


class NodeEventTracker:
    """The events, in order and by node."""

    def __init__(self, tracker_mode: int, dump_prefix: str):
        self.tracker_mode, self.dump_prefix = tracker_mode, dump_prefix
        self.events: list[NodeEvent] = []
        self.node_events: dict[str, list[int]] = {}
        self.writer: Callable[[str], Any] = print

    def add(self, node: Node, desc: str, dep: Node | None = None) -> None:
        self.node_events.setdefault(node.name, []).append(len(self.events))
        self.events.append(NodeEvent(node, desc, dep))

    def print_node(self, node_name: str, recursive: bool = False, tab: str = "", writer: Callable[[str], Any] | None = None) -> None:
        """Writes the events of a node; recursive: and those of the nodes that caused them."""
        for event in (self.events[k] for k in self.node_events.get(node_name, ())):
            (writer or self.writer)(tab + event.to_str())
            if recursive and event.dep is not None:
                self.print_node(event.dep.name, True, "| " + tab, writer)

    def to_dict(self) -> dict[str, list[str]]:
        return {name: [self.events[k].to_str() for k in places] for name, places in self.node_events.items()}

    def print_all(self, writer: Callable[[str], Any] | None = None) -> None:
        for name in self.node_events:
            (writer or self.writer)(f"Node: {name}:")
            self.print_node(name, tab="  ", writer=writer)

    def dump(self) -> None:
        """Writes the files that the mode asks for."""
        lines: list[str] = []
        if self.tracker_mode >= 1:
            self.print_all(lines.append)
            self._write("_all.txt", lines)
        if self.tracker_mode in (2, 3):
            named = os.environ.get("FX_NET_ACC_SPLITTER_TRACKER_TRACKED_NODES", "").split(",")
            lines = []
            for name in named if self.tracker_mode == 2 else [n for n, places in self.node_events.items() if len(places) > 1]:
                lines.append(f"===== Tracking node {name} =====")
                self.print_node(name, recursive=True, tab="|-", writer=lines.append)
                lines.append(f"===== End of tracking node {name} =====")
            self._write("_nodes.txt", lines)

    def _write(self, suffix: str, lines: list[str]) -> None:
        with open(self.dump_prefix + suffix, "w") as file:
            file.writelines(line + "\n" for line in lines)


class FxNetAccNodesFinder:
    """Finds the nodes for the accelerator: those that are supported, and neither take a non-tensor from another node nor give it one.

    allow_non_tensor: whether they may.
    """

    def __init__(self, module: GraphModule, operator_support: OperatorSupportBase, allow_non_tensor: bool):
        self.module, self.operator_support, self.allow_non_tensor = module, operator_support, allow_non_tensor
        self.acc_nodes: NodeSet = set()
        self.tracker = NodeEventTracker(int(TRACKER_MODE), DUMP_PREFIX)

    def reduce_acc_nodes_non_tensor_input_helper(self, cpu_worklist: NodeList) -> None:
        """Takes out what reads these nodes, and what reads that where it is no tensor."""
        while cpu_worklist:
            node = cpu_worklist.pop(0)
            for user in node.users:
                if user not in self.acc_nodes:
                    continue
                self.acc_nodes.remove(user)
                self.tracker.add(user, "acc_del|user_of_new_cpu_node", node)
                if not is_node_output_tensor(user):
                    self.tracker.add(user, "new_cpu_node|non_tensor_output")
                    cpu_worklist.append(user)

    def reduce_acc_nodes_non_tensor_input(self) -> None:
        """Takes out what reads a non-tensor of another node."""
        others = [n for n in self.module.graph.nodes if n.op in CALLABLE_NODE_OPS and n not in self.acc_nodes and not is_node_output_tensor(n)]
        for node in others:
            self.tracker.add(node, "new_cpu_node|callable_non_tensor_input")
        self.reduce_acc_nodes_non_tensor_input_helper(others)

    def reduce_acc_nodes_non_tensor_output(self) -> None:
        """Takes out what gives a non-tensor to another node."""
        while True:
            leaving: NodeList = []
            for node in self.module.graph.nodes:
                if node not in self.acc_nodes or is_node_output_tensor(node):
                    continue
                reader = next((u for u in node.users if u not in self.acc_nodes), None)
                if reader is not None:
                    leaving.append(node)
                    self.tracker.add(node, "acc_del|non_tensor_output_with_cpu_user", reader)
            if not leaving:
                return
            self.acc_nodes.difference_update(leaving)
            self.reduce_acc_nodes_non_tensor_input_helper(leaving)

    def __call__(self) -> NodeSet:
        submodules = dict(self.module.named_modules())
        self.acc_nodes = set()
        for node in self.module.graph.nodes:
            if node.op not in CALLABLE_NODE_OPS:
                self.tracker.add(node, "init_cpu|not_callable")
            elif not self.operator_support.is_node_supported(submodules, node):
                self.tracker.add(node, "init_cpu|operator_support")
            else:
                self.tracker.add(node, "init_acc|callable_and_operator_supported")
                self.acc_nodes.add(node)
        if not self.allow_non_tensor:
            self.reduce_acc_nodes_non_tensor_input()
            self.reduce_acc_nodes_non_tensor_output()
        self.tracker.dump()
        return self.acc_nodes


class FxNetSplitterInternalError(Exception):
    """The parts cannot be ordered."""


@dataclass
class Subgraph:
    is_acc: bool
    nodes: NodeList
    device_ordinal: int | None = None


class SplitResult(NamedTuple):
    """The module that was cut, the inputs of its parts, and how the names of parts begin that are not for the accelerator."""

    split_module: GraphModule
    submodule_inputs: dict[str, Any]
    non_acc_submodule_prefix: str


def generate_inputs_for_submodules(
    model: Module, inputs: Sequence[Any], target_submodules: Iterable[str], deepcopy: bool = False
) -> dict[str, Any]:
    """Runs the model, and gives what each of the named submodules got."""
    found: dict[str, Any] = {}
    wanted = set(target_submodules)
    handles = []
    for name, module in model.named_modules():
        if name in wanted:

            def note(_: Module, given: tuple[Any, ...], name: str = name) -> None:
                found[name] = copy.deepcopy(given) if deepcopy else given

            handles.append(module.register_forward_pre_hook(note))
    try:
        with no_grad():
            model(*inputs)
    finally:
        for handle in handles:
            handle.remove()
    return found


class _SplitterBase:
    """Cuts a GraphModule into parts for the accelerator, `_run_on_acc_0` and so on, and others, `_run_on_cpu_1`, as few as can be."""

    PCIe_BW = 100 * 2**30  # bytes a second between them

    def __init__(
        self,
        module: GraphModule,
        sample_input: Sequence[Any],
        operator_support: OperatorSupportBase,
        settings: _SplitterSettingBase,
        non_acc_submodule_name: str = "_run_on_cpu_",
        return_tuple: bool = False,
        nodes_finder: FxNetAccNodesFinder | None = None,
    ):
        if not isinstance(module, GraphModule):
            raise AssertionError(f"Expected GraphModule, got {type(module)}")
        self.module = module
        ShapeProp(module).propagate(*sample_input)
        self.settings, self.operator_support, self.sample_input = settings, operator_support, sample_input
        self.acc_nodes = (nodes_finder or FxNetAccNodesFinder(module, operator_support, settings.allow_non_tensor))()
        self.fusions: dict[Node, NodeSet] = {} if settings.skip_fusion else FxNetAccFusionsFinder(module, self.acc_nodes)()
        self._merge_overlapping_fusions()
        self.deps = self.find_deps()
        self.update_deps_for_fusions()
        self.non_acc_submodule_name = non_acc_submodule_name
        self._node_submodule_map: dict[str, str] = {}
        self._return_tuple = return_tuple
        self.tags: list[str] = []

    # What must run before what --------------------------------------------------------------------------------------------------------
    def get_node_submodule_map(self) -> dict[str, str]:
        """The part of each node, by name."""
        return self._node_submodule_map

    def find_deps(self) -> dict[Node, NodeSet]:
        """The calls that each call reads."""
        deps: dict[Node, NodeSet] = defaultdict(set)
        for node in self.module.graph.nodes:
            if node.op in CALLABLE_NODE_OPS:
                deps[node].update(n for n in inputs_of(node) if n.op in CALLABLE_NODE_OPS)
        return deps

    def update_deps_for_fusions(self) -> None:
        """The nodes of a group wait for what one of them waits for; what reads one of them waits for all."""
        for node, group in self.fusions.items():
            for member in group:
                self.deps[node].update(self.deps[member] - group)
                for user in member.users:
                    if user not in group:
                        self.deps[user].add(node)

    def _merge_overlapping_fusions(self) -> None:
        """Groups with a common node become one: else each would wait for the other."""
        groups = list({id(g): g for g in self.fusions.values()}.values())
        merged: list[NodeSet] = []
        for group in groups:
            touching = [g for g in merged if g & group]
            merged = [g for g in merged if not g & group] + [set().union(group, *touching)]
        for together in merged:
            self.fusions.update(dict.fromkeys(together, together))

    # Parts ----------------------------------------------------------------------------------------------------------------------------
    def starter_nodes(self) -> tuple[NodeSet, NodeSet]:
        """The calls that read an input or attribute, or nothing: of the others, and of the accelerator."""
        started = [n for n in self.module.graph.nodes if n.op == "call_function" and not inputs_of(n)]
        users = users_in(self.module.graph)
        started += [u for n in self.module.graph.nodes if n.op in ("placeholder", "get_attr") for u in users[n]]
        return {n for n in started if n not in self.acc_nodes}, {n for n in started if n in self.acc_nodes}

    def put_nodes_into_subgraphs(self) -> list[Subgraph]:
        """The parts in order: each takes what can run by then, in the order of the graph."""
        calls = [n for n in self.module.graph.nodes if n.op in CALLABLE_NODE_OPS]
        place = {n: i for i, n in enumerate(calls)}
        waiting = {n: len(self.deps[n]) for n in calls}
        readers: dict[Node, NodeList] = defaultdict(list)
        for n in calls:
            for needed in self.deps[n]:
                readers[needed].append(n)
        ready: dict[bool, list[int]] = {True: [], False: []}
        for n in calls:
            if not waiting[n]:
                ready[n in self.acc_nodes].append(place[n])
        is_acc = not ready[False]
        subgraphs: list[Subgraph] = []
        current: NodeList = []
        done = 0
        while done < len(calls):
            if not ready[is_acc]:
                if not current:
                    raise FxNetSplitterInternalError("Subgraph can't be empty")
                subgraphs.append(Subgraph(is_acc, current))
                is_acc, current = not is_acc, []
                continue
            node = calls[heapq.heappop(ready[is_acc])]
            current.append(node)
            done += 1
            for reader in readers[node]:
                waiting[reader] -= 1
                if not waiting[reader]:
                    heapq.heappush(ready[reader in self.acc_nodes], place[reader])
        if current:
            subgraphs.append(Subgraph(is_acc, current))
        if not subgraphs:
            raise FxNetSplitterInternalError("Couldn't create subgraphs")
        return subgraphs

    def remove_small_acc_subgraphs(self, subgraphs: list[Subgraph]) -> list[Subgraph]:
        """Parts of the accelerator that are too small go to their neighbours."""
        result: list[Subgraph] = []
        for subgraph in subgraphs:
            if subgraph.is_acc and len(subgraph.nodes) < self.settings.min_acc_module_size:
                print(f"Eliminating acc subgraph because it's smaller than the threshold: {len(subgraph.nodes)} < {self.settings.min_acc_module_size}")
                if result:
                    result[-1].nodes.extend(subgraph.nodes)
                    continue
                subgraph.is_acc = False
            if not subgraph.is_acc and result and not result[-1].is_acc:
                result[-1].nodes.extend(subgraph.nodes)
            else:
                result.append(subgraph)
        return result

    def tag(self, subgraphs: list[Subgraph]) -> None:
        """Writes node.tag."""
        self.tags = []
        for subgraph in subgraphs:
            name = "_run_on_acc_" if subgraph.is_acc else self.non_acc_submodule_name
            self.tags.append(f"{name}{len(self.tags)}")
            for node in subgraph.nodes:
                if hasattr(node, "tag"):
                    raise FxNetSplitterInternalError(f"Node {node} was already tagged")
                node.tag = self.tags[-1]
                self._node_submodule_map[node.name] = self.tags[-1]

    def split(self, remove_tag: bool = False) -> GraphModule:
        made = split_by_tags(self.module, self.tags, return_tuple=self._return_tuple)
        if remove_tag:
            for node in self.module.graph.nodes:
                if hasattr(node, "tag"):
                    del node.tag
        return made  # type: ignore[return-value]

    def __call__(self) -> GraphModule:
        subgraphs = self.put_nodes_into_subgraphs()
        if self.settings.move_non_tensor_nodes_on_boundary:
            move_non_tensor_nodes_on_boundary(subgraphs)
        subgraphs = self.remove_small_acc_subgraphs(subgraphs)
        count = sum(s.is_acc for s in subgraphs)
        print(f"Got {count} acc subgraphs and {len(subgraphs) - count} non-acc subgraphs")
        self.tag(subgraphs)
        return self.split()

    def generate_split_results(self) -> SplitResult:
        """The module that was cut, with the inputs of its parts for the sample."""
        made = self()
        names = [name for name, _ in made.named_children()]
        if 0 < self.settings.max_acc_splits < len(names):
            raise ValueError("Cannot fulfill max_acc_splits limit. This may cause split fragmentation and result in performance issues.")
        return SplitResult(made, generate_inputs_for_submodules(made, self.sample_input, names), self.non_acc_submodule_name)

    # Growing a part backwards ---------------------------------------------------------------------------------------------------------
    def find_reverse_deps(self, tag_id: int | None = None) -> dict[Node, NodeSet]:
        """The calls that read each call; with tag_id those in parts before that number."""
        result: dict[Node, NodeSet] = defaultdict(set)
        for node in self.module.graph.nodes:
            if node.op in CALLABLE_NODE_OPS:
                readers = (u for u in node.users if u.op in CALLABLE_NODE_OPS)
                result[node].update(u for u in readers if tag_id is None or int(u.tag.split("_")[-1]) < tag_id)
        return result

    def update_reverse_deps_for_fusions(self, deps: dict[Node, NodeSet]) -> None:
        """The nodes of a group have common readers; what one of them reads is read by all."""
        done: NodeSet = set()
        for node, group in self.fusions.items():
            if node in done:
                continue
            common: NodeSet = set().union(*(deps[n] for n in group)) - group
            for n in group:
                deps[n] = common
                for arg in inputs_of(n):
                    if arg not in group:
                        deps[arg].update(group)
                done.add(n)

    def find_parent_nodes_of_subgraph(self, tag: str) -> NodeSet:
        """The calls of other parts that a part reads."""
        inside = [n for n in self.module.graph.nodes if n.op in CALLABLE_NODE_OPS and n.tag == tag]
        return {a for n in inside for a in inputs_of(n) if a.op in CALLABLE_NODE_OPS and a.tag != tag}

    def extend_acc_subgraph(self, tag: str) -> None:
        """Takes into a part what it reads of accelerator nodes that nothing else before it reads."""
        deps = self.find_reverse_deps(tag_id=int(tag.rsplit("_", maxsplit=1)[-1]))
        self.update_reverse_deps_for_fusions(deps)
        parents = self.find_parent_nodes_of_subgraph(tag)
        visited: NodeSet = set()
        while (node := next((n for n in sorted(parents, key=list(self.module.graph.nodes).index) if deps[n] <= visited and n in self.acc_nodes), None)) is not None:
            node.tag = tag
            parents.remove(node)
            visited.add(node)
            parents.update(n for n in self.fusions.get(node, ()) if n not in visited)
            parents.update(a for a in inputs_of(node) if a.op in CALLABLE_NODE_OPS and a not in visited)

    # Reports --------------------------------------------------------------------------------------------------------------------------
    def _lower_model_to_backend(self, mod: GraphModule, inputs: Any) -> Module:
        """Override: what the backend makes of a part."""
        return mod

    def _find_culprit(self, mod: GraphModule, inputs: Any) -> str:
        """Override: which node of a part fails."""
        return "Unable to find a culprit because _find_culprit() function is not implemented."

    def _draw_graph_based_on_node_support(self, mod: GraphModule, supported_nodes: NodeList) -> None:
        class Drawer(FxGraphDrawer):
            def _get_node_style(self, node: Node) -> dict[str, str]:
                other = "crimson" if node.op in CALLABLE_NODE_OPS else "AliceBlue"
                return {**super()._get_node_style(node), "fillcolor": "chartreuse1" if node in supported_nodes else other}

        Drawer(mod, "node_support", ignore_getattr=True).get_main_dot_graph().write_raw("node_support.dot")

    def node_support_preview(self, dump_graph: bool = False) -> str:
        """Prints and gives which calls are supported, with the dtypes of what they read."""
        submodules = dict(self.module.named_modules())

        def dtype(a: Any) -> Any:
            return getattr(a.meta.get("tensor_meta"), "dtype", None) if isinstance(a, Node) else None

        supported: NodeList = []
        kinds: dict[bool, dict[str, dict[Any, None]]] = {True: defaultdict(dict), False: defaultdict(dict)}
        for node in self.module.graph.nodes:
            if node.op not in CALLABLE_NODE_OPS:
                continue
            dtypes = [dtype(a) for a in node.args]
            while dtypes and dtypes[-1] is None:
                dtypes.pop()
            takes = self.operator_support.is_node_supported(submodules, node)
            supported += [node] if takes else []
            of_kwargs = tuple((k, dtype(a)) for k, a in node.kwargs.items() if isinstance(a, Node))
            kinds[takes][get_node_target(submodules, node)][tuple(dtypes), of_kwargs] = None
        if dump_graph:
            self._draw_graph_based_on_node_support(self.module, supported)
        report = ""
        for takes, title in ((True, "Supported"), (False, "Unsupported")):
            report += f"\n{title} node types in the model:\n"
            report += "".join(f"{t}: ({a}, {dict(k)})\n" for t, found in kinds[takes].items() for a, k in found)
        print(report)
        return report

    def split_preview(self, dump_graph: bool = False) -> str:
        """Prints and gives the parts, what passes between them, and whether the backend takes them."""

        def counts(when: str, subgraphs: list[Subgraph]) -> str:
            acc = sum(s.is_acc for s in subgraphs)
            return f"{when} removing small acc subgraphs, total {len(subgraphs)} subgraphs are created: {acc} acc subgraphs and {len(subgraphs) - acc} cpu subgraphs.\n"

        subgraphs = self.put_nodes_into_subgraphs()
        report = counts("Before", subgraphs)
        subgraphs = self.remove_small_acc_subgraphs(subgraphs)
        report += counts("After", subgraphs)
        self.tag(subgraphs)
        report += "".join(f"{tag}: {len(s.nodes)} node(s)\n" for tag, s in zip(self.tags, subgraphs, strict=True))
        made = self.split(remove_tag=True)
        made.eval()
        if dump_graph:
            for name, dot in FxGraphDrawer(made, "preview", ignore_getattr=True).get_all_dot_graphs().items():
                dot.write_raw(f"{name}.dot")
        names = [n.target for n in made.graph.nodes if n.op == "call_module" and "acc" in n.target]
        inputs = generate_inputs_for_submodules(made, self.sample_input, names)
        slowest, bottleneck = float(self.PCIe_BW), ""
        for name in names:
            text, rate = self._report_on(name, made.get_submodule(name), inputs[name])
            report += text
            if rate < slowest:
                slowest, bottleneck = rate, name
        report += f"\nTheoretical max qps (bounds by PCIe bandwidth) for this model is {slowest}, bottleneck is submodule {bottleneck}."
        print(report)
        return report

    def _report_on(self, name: str, part: Any, inputs: Any) -> tuple[str, float]:
        ShapeProp(part).propagate(*inputs)
        total = {"Input": 0, "Output": 0}
        text = f"\nProcessing acc submodule {name}\n"
        for kind, nodes in (("Input", part.graph.find_nodes(op="placeholder")), ("Output", part.graph.output_node().all_input_nodes)):
            text += f"Checking {kind.lower()}s...\n"
            for n in nodes:
                if is_node_output_tensor(n):
                    total[kind] += get_size_of_node(part, n)[0]
                else:
                    text += f"{kind} {n.name} is not a tensor, this might cause problems during lowering!\n"
        rate = self.PCIe_BW / max(*total.values(), 1)
        text += f"Total input size in bytes is {total['Input']}, total output size in bytes is {total['Output']},"
        text += f" theoretical max qps (bounds by PCIe bandwidth) for this submodule is {rate}.\n"
        try:
            lowered = self._lower_model_to_backend(part, inputs)
        except RuntimeError:
            return text + "Run into an error during lowering!\n" + self._find_culprit(part, inputs), rate
        try:
            lowered(*inputs)
        except RuntimeError:
            return text + "Run into an error during inference!\n" + self._find_culprit(part, inputs), rate
        return text + "Lowering and running succeed!\n", rate
