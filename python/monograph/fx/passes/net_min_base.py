"""torch.fx.passes.net_min_base: finds the nodes whose results differ between two ways to run them. Derive from _MinimizerBase.

    class Minimizer(_MinimizerBase):
        def run_a(self, mod, inputs, report_idx=-1): return mod(*inputs)
        def run_b(self, mod, inputs, report_idx=-1): return on_device(mod)(*inputs)

    Minimizer(gm, (x,), compare, _MinimizerSettingBase(traverse_method="binary")).minimize()

Each step cuts the module into what stands before some nodes, these nodes, and what comes after them. `_differs` runs the middle part in both ways. The
methods of traversal decide which nodes the next step takes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..graph_module import GraphModule
from ..node import Node, map_arg
from ._nodes import CALLABLE_NODE_OPS
from .shape_prop import ShapeProp
from .split_utils import split_by_tags
from .tools_common import FxNetAccFusionsFinder, Names, NodeList, NodeSet, Tensors

_LOGGER = logging.getLogger(__name__)
_HALVES = "Proceed to split and lower the halves of the current sub-module individually."


class FxNetMinimizerBadModuleError(Exception):
    """The nodes could not be cut out as one submodule."""


class FxNetMinimizerRunFuncError(Exception):
    """run_a or run_b raised an error."""


class FxNetMinimizerResultMismatchError(Exception):
    """compare_fn found that the results differ."""


@dataclass
class _MinimizerSettingBase:
    """How the nodes are searched.

    accumulate_error: run_b takes what run_b gave before, and not what run_a gave. traverse_method: sequential, binary, accumulate, skip, defined or block.
    find_all: the search does not end at the first node. return_intermediate: run_nodes compares the value of every node. all_outputs: all results of the
    cut part are compared, not only that of its last node.
    """

    accumulate_error: bool = False
    traverse_method: str = "sequential"
    find_all: bool = False
    return_intermediate: bool = False
    all_outputs: bool = False

    def __str__(self) -> str:
        return "FX Minimizer Settings:\n" + "".join(f"\t{name}: {value}\n" for name, value in vars(self).items())


class _MinimizerBase:
    """Finds nodes for which run_a and run_b give different results, or raise an error.

    compare_fn(a, b, names) gives (a number, whether the results are equal enough). module_exporter(inputs, submodule, name) is called with a submodule whose
    results differ. exclusion_fn(nodes, start, end) may remove nodes from the list that is tried next.
    """

    def __init__(
        self,
        module: GraphModule,
        sample_input: Tensors,
        compare_fn: Callable[[Any, Any, Names], tuple[float, bool]],
        settings: _MinimizerSettingBase,
        module_exporter: Callable[[Tensors, GraphModule, str], None] | None = None,
        exclusion_fn: Callable[[NodeList, int, int], None] | None = None,
    ) -> None:
        if not isinstance(module, GraphModule):
            raise AssertionError(f"Expected GraphModule, got {type(module)}")
        self.module, self.sample_input, self.compare_fn = module, sample_input, compare_fn
        self.module_exporter, self.settings, self.exclusion_fn = module_exporter, settings, exclusion_fn
        self.results: dict[Any, Any] = {}  # what compare_fn gave, by the names of the nodes
        self.reports: list[list[str]] = []
        self.iteration = 0
        self.run_shape_prop()
        self.fusions = FxNetAccFusionsFinder(module, {n for n in module.graph.nodes if n.op in CALLABLE_NODE_OPS})()
        inputs = [n.name for n in module.graph.nodes if n.op == "placeholder"]
        if len(inputs) != len(sample_input):
            raise AssertionError(f"Placeholder count ({len(inputs)}) does not match sample_input count ({len(sample_input)})")
        # What each way gave for a node, by its name.
        self.a_outputs: dict[str, Any] = dict(zip(inputs, sample_input, strict=True))
        self.b_outputs: dict[str, Any] = dict(self.a_outputs)

    def run_shape_prop(self) -> None:
        """Notes the shapes of all nodes. A derived class may do it in another way."""
        ShapeProp(self.module).propagate(*self.sample_input)

    def run_a(self, mod: GraphModule, inputs: Tensors, report_idx: int = -1) -> Any:
        """The results of a submodule in one way."""
        raise RuntimeError("run_a() is not implemented.")

    def run_b(self, mod: GraphModule, inputs: Tensors, report_idx: int = -1) -> Any:
        """The results of a submodule in the other way."""
        raise RuntimeError("run_b() is not implemented.")

    # One step ---------------------------------------------------------------------------------------------------------------------------
    def _store_outputs(self, a_result: Any, b_result: Any, submodule: GraphModule) -> None:
        returned = submodule.graph.output_node().args[0]
        one = isinstance(returned, Node)
        for node, a, b in zip((returned,) if one else returned, (a_result,) if one else a_result, (b_result,) if one else b_result, strict=False):
            self.a_outputs[node.name], self.b_outputs[node.name] = a, b

    def _get_submod_inputs(self, main_module: GraphModule, submod_path: str) -> tuple[Any, Any]:
        """The inputs of a submodule for both ways: what was kept of earlier steps, or what a run of the whole module gives it."""
        submodule = getattr(main_module, submod_path)
        names = [n.name for n in submodule.graph.nodes if n.op == "placeholder"]
        if self.a_outputs.keys() >= set(names):
            a_input, b_input = ([outputs[name] for name in names] for outputs in (self.a_outputs, self.b_outputs))
            return a_input, b_input if self.settings.accumulate_error else a_input
        if self.settings.accumulate_error:
            print(f"Can't find previous stored outputs named {names}!")
        given: list[Any] = [[]]
        handle = submodule.register_forward_pre_hook(lambda module, inputs: given.append(inputs))
        main_module(*self.sample_input)
        handle.remove()
        return given[-1], given[-1]

    def _tag_nodes(self, selected_nodes: NodeSet) -> None:
        """Tags the nodes: "minimize", what needs them "main_1", all others "main_0"."""
        for node in self.module.graph.nodes:
            if node.op not in CALLABLE_NODE_OPS:
                continue
            behind = any(n.tag in ("minimize", "main_1") for n in node.all_input_nodes if n.op in CALLABLE_NODE_OPS)
            node.tag = "minimize" if node in selected_nodes else "main_1" if behind else "main_0"

    def _build_submodule(self, nodes: NodeSet) -> tuple[GraphModule, str]:
        """The module cut in parts, and the name of the part that has these nodes."""
        self._tag_nodes(nodes)
        split: Any = split_by_tags(self.module, ["main_0", "minimize", "main_1"])
        found = [name for name, _ in split.named_children() if "minimize" in name]
        if len(found) > 1:
            raise FxNetMinimizerBadModuleError(f"Expected only one minimize submodule with nodes {nodes}")
        if not found:
            raise FxNetMinimizerBadModuleError(f"Minimize submodule was not found with nodes {nodes}")
        return split, found[0]

    def _run_and_compare(self, split_module: GraphModule, submod_name: str, output_names: Names, report_idx: int = -1) -> None:
        """Runs a submodule in both ways and compares the results. output_names: the nodes whose values it returns; if empty, its own results."""
        submodule = getattr(split_module, submod_name)
        a_input, b_input = self._get_submod_inputs(split_module, submod_name)
        if not self.reports:
            self.reports.append([])
            self.iteration = 1
        report = self.reports[report_idx if report_idx >= 0 else self.iteration - 1]
        report.append("Run and compare ...")
        if output_names and not self.settings.all_outputs:
            submodule.graph.erase_node(submodule.graph.output_node())
            returned = [n for n in submodule.graph.nodes if n.name in output_names]
            submodule.graph.output(returned[0] if len(returned) == 1 else tuple(returned))
            submodule.graph.lint()
            submodule.recompile()
        key: Any = map_arg(submodule.graph.output_node().args, lambda n: n.name)
        try:
            a_result = self.run_a(submodule, a_input, report_idx)
            b_result = self.run_b(submodule, b_input, report_idx)
            self._store_outputs(a_result, b_result, submodule)
        except Exception as error:
            report.append(f"Exception raised when running {submod_name}: {error}")
            raise FxNetMinimizerRunFuncError(report[-1]) from None
        number, equal = self.compare_fn(a_result, b_result, [str(v) for v in key] if output_names is None else output_names)
        self.results[key] = number
        report.append(f"Numerical accuracy = {number}")
        if equal:
            return
        report.append(f"Result mismatch for {key}")
        if self.module_exporter:
            key = key[-1]
            key = str(key[0]) if isinstance(key, tuple) else key
            self.module_exporter(a_input, submodule, f"{key}_cpu")
            self.module_exporter(b_input, submodule, f"{key}_acc")
        raise FxNetMinimizerResultMismatchError(f"Result mismatch for {key}")

    def _differs(self, nodes: NodeSet, output_names: Names, report_idx: int = -1) -> type[Exception] | None:
        """What a step with these nodes raises; None where the results are equal."""
        try:
            self._run_and_compare(*self._build_submodule(nodes), output_names, report_idx)
        except (FxNetMinimizerRunFuncError, FxNetMinimizerResultMismatchError) as error:
            return type(error)
        return None

    def _new_report(self, *lines: str) -> list[str]:
        """The report of the next step, with the lines in which {} is its number."""
        self.iteration += 1
        report = [line.replace("{}", str(self.iteration)) for line in lines]
        self.reports.append(report)
        return report

    def _tell(self, report: list[str], *lines: str) -> None:
        report.extend(lines)
        self.print_report(report)

    # Traversals -------------------------------------------------------------------------------------------------------------------------
    def _binary_search_impl(self, all_nodes: NodeList, start_idx: int, end_idx: int) -> NodeSet:
        nodes = all_nodes[start_idx:end_idx]
        if self.exclusion_fn is not None:
            self.exclusion_fn(nodes, start_idx, end_idx)
            if not nodes:
                self.reports.append(["All nodes are excluded by user"])
                return set()
        first, last = nodes[0].name, nodes[-1].name
        report = self._new_report(
            "Binary search iteration {}",
            f"From node index {start_idx}:{first} to {end_idx - 1}:{last}. Size of the interested node list is {len(nodes)}",
        )
        if self._differs(set(nodes), [last]) is None:
            self._tell(report, "No discrepancy found.")
            return set()
        if len(nodes) == 1:
            self._tell(report, f"This is the last node in the sub-module. Search in the current branch is successful with culprit = {set(nodes)}.")
            return set(nodes)
        self._tell(report, _HALVES)
        middle = start_idx + len(nodes) // 2
        culprits = self._binary_search_impl(all_nodes, start_idx, middle)
        if culprits and not self.settings.find_all:
            return culprits
        culprits = self._binary_search_impl(all_nodes, middle, end_idx)
        if not culprits:
            self._tell(report, f"Further split and lowering found no errors. Unable to minimize the submodule with list of nodes: {nodes}")
        return culprits

    def _binary_traverse(self, nodes: NodeList) -> NodeSet:
        return self._binary_search_impl(nodes, 0, len(nodes))

    def _sequential_traverse(self, nodes: NodeList) -> NodeSet:
        culprits: NodeSet = set()
        for node in nodes:
            report = self._new_report("Sequential traverse iteration {}.", f"Visit node: {node.name}")
            _LOGGER.info("Visit node: %s", node.name)
            if self.exclusion_fn is not None:
                kept = [node]
                self.exclusion_fn(kept, -1, -1)
                if not kept:
                    self._tell(report, f"User exclusion : {node.name}")
                    if not self.settings.find_all:
                        return culprits
                    continue
            tried: NodeSet = self.fusions.get(node, {node})
            raised = self._differs(tried, [node.name])
            if raised is None:
                self.print_report(report)
                continue
            mismatch = raised is FxNetMinimizerResultMismatchError
            culprits.update({node} if mismatch else tried)
            self._tell(report, f"Found culprit from {'numeric' if mismatch else 'run'} error: {node}")
            if not self.settings.find_all:
                return culprits
        return culprits

    def _block_traverse_impl(self, nodes: NodeList, start_idx: int, end_idx: int, find_last_node: bool) -> int | None:
        """The index of the last or first node of the block that differs; None where there is none."""
        middle = (start_idx + end_idx) // 2
        tried = nodes[: middle + 1] if find_last_node else nodes[middle:]
        if self.exclusion_fn:
            self.exclusion_fn(tried, -1, -1)
        first, last = tried[0].name, tried[-1].name
        report = self._new_report(
            "=" * 30,
            "Block search iteration {}",
            f"Search for {'last' if find_last_node else 'first'} node in culprits",
            f"From node index {start_idx}:{nodes[start_idx].name} to {end_idx}:{nodes[end_idx].name}. ",
            f"Subgraph constructed by {first} to {last}",
            f"Targeting node: {last if find_last_node else first}",
            f"Size of the interested node list is {end_idx - start_idx + 1}",
        )
        differs = self._differs(set(tried), [last], len(self.reports) - 1) is not None
        at_end = start_idx == middle == end_idx
        if differs:
            report.append(f"Culprits found from node {first} to {last}.")
            if at_end:
                found = f"{start_idx}, node name: {nodes[start_idx].name}."
                self._tell(report, "This is the last node in the sub-module. ", "Search in the current branch is successful with node :", found)
                return start_idx
        else:
            report.append(f"Culprits not found from node start to {middle}:{nodes[middle].name}.")
            if at_end and start_idx == (len(nodes) - 1 if find_last_node else 0):
                self._tell(report, f"At {'last' if find_last_node else 'first'} node, no culprits found.")
                return None
            if at_end:
                return start_idx + (1 if find_last_node else -1)
        self._tell(report, _HALVES)
        before = differs == find_last_node
        return self._block_traverse_impl(nodes, start_idx if before else middle + 1, middle if before else end_idx, find_last_node)

    def _block_traverse(self, nodes: NodeList, find_last_node: bool | None) -> NodeSet:
        """The smallest block of nodes that differs: first its last node is searched, then its first."""
        end = len(nodes) - 1
        start_found: int | None = 0
        end_found: int | None = end
        report = [f"Block search from {nodes[0].name} to {nodes[-1].name}", "*" * 50]
        self.reports.append(report)
        if find_last_node is None or find_last_node:
            self._tell(report, "Start searching for last node in culprit")
            end_found = self._block_traverse_impl(nodes, 0, end, True)
            if end_found is None:
                self._tell(report, "No culprits found")
                return set()
            self._tell(report, "Finish Pass 1", f"Find end_idx = {end_found}:{nodes[end_found].name}")
        if not find_last_node:
            second = ["Start searching for first node in culprit"]
            self.print_report(second)
            start_found = self._block_traverse_impl(nodes[: end + 1], 0, end_found or end, False)
            if start_found is None:
                self._tell(report, "No culprits found")
                return set()
            self.reports.append(second)
            self._tell(second, "*" * 50, "Finish Pass 2", f"Find start_idx = {start_found}:{nodes[start_found].name}")
        assert start_found is not None and end_found is not None
        self.reports.append([f"Finish searching, found minimum block ({nodes[start_found]},{nodes[end_found]})"])
        self.print_report(self.reports[-1])
        return set(nodes[start_found : end_found + 1])

    def _defined_traverse(self, nodes: NodeList) -> NodeSet:
        """Tries all nodes as one part. The report says what was found; the result is empty, as in torch.fx."""
        if self.exclusion_fn is not None:
            self.exclusion_fn(nodes, -1, -1)
        if not nodes:
            self.reports.append(["All nodes are excluded by user"])
            return set()
        report = [f"Defined graph from {nodes[0].name} to {nodes[-1].name}"]
        found = self._differs(set(nodes), [nodes[-1].name]) is not None
        self._tell(report, *([f"Found culprit {set(nodes)}"] if found else []))
        return set()

    def _accumulate_traverse(self, nodes: NodeList) -> NodeSet:
        if self.settings.find_all:
            print("'Find All' mode is not supported in accumulate traversal.")
            return set()
        tried: NodeSet = set()
        for node in nodes:
            report = self._new_report("Accumulate traverse iteration {}.", f"Add node: {node.name}")
            tried.add(node)
            if self._differs(tried, [node.name]) is not None:
                self._tell(report, f"Found culprit {node}")
                return {node}
            self.print_report(report)
        return set()

    def _skip_traverse_impl(self, all_nodes: NodeList, start_idx: int, end_idx: int) -> NodeSet:
        nodes = all_nodes[start_idx:end_idx]
        if self.exclusion_fn is not None:
            self.exclusion_fn(nodes, start_idx, end_idx)
        tried: NodeSet = set(nodes)
        if self.exclusion_fn is None:
            tried.update(*(self.fusions.get(n, ()) for n in nodes))
        report = self._new_report(
            " Nodes block {}.", f"From node index {start_idx} to {end_idx - 1}. Size of the interested node list is {len(nodes)}"
        )
        raised = self._differs(tried, [])
        if raised is None:
            self._tell(report, "No discrepancy found.")
            return set()
        kind = "numeric" if raised is FxNetMinimizerResultMismatchError else "run"
        self._tell(report, f"Found culprit from {kind} error: {tried}")
        return tried

    def _skip_traverse(self, all_nodes: NodeList, skip_nodes: list[str]) -> NodeSet:
        """The blocks between the nodes of these names are tried; what the last one gives is the result."""
        culprits: NodeSet = set()
        start = 0
        for k, node in enumerate(all_nodes):
            if node.name in skip_nodes:
                culprits = self._skip_traverse_impl(all_nodes, start, k) if k > start else culprits
                start = k + 1
            elif k == len(all_nodes) - 1:
                culprits = self._skip_traverse_impl(all_nodes, start, k + 1)
        return culprits

    # What users call --------------------------------------------------------------------------------------------------------------------
    def _collect_nodes(self, start: str | None, end: str | None) -> NodeList:
        """The calls from one name to another, both included."""
        nodes: NodeList = []
        begun = start is None
        for node in self.module.graph.nodes:
            if node.op not in CALLABLE_NODE_OPS:
                continue
            begun = begun or node.name == start
            if begun:
                nodes.append(node)
            if node.name == end:
                break
        return nodes

    def run_nodes(self, start: str | None = None, end: str | None = None) -> None:
        """Runs and compares the nodes from one name to another as one part, and prints the error if there is one."""
        nodes = self._collect_nodes(start, end)
        tried: NodeSet = set(nodes)
        tried.update(*(self.fusions.get(n, ()) for n in nodes))
        try:
            self._run_and_compare(*self._build_submodule(tried), [n.name for n in nodes] if self.settings.return_intermediate else [])
        except (FxNetMinimizerRunFuncError, FxNetMinimizerResultMismatchError) as error:
            print(error)

    def print_report(self, report: list[str]) -> None:
        """Prints one report: its first line, and the others behind a dot."""
        for k, line in enumerate(report):
            print(f" . {line}" if k else line)

    def print_reports(self) -> None:
        """Prints the reports of all steps."""
        for report in self.reports:
            self.print_report(report)

    def minimize(
        self, start: str | None = None, end: str | None = None, skip_nodes: list[str] | None = None, find_last_node: bool | None = None
    ) -> NodeSet:
        """The nodes from one name to another for which the results differ or a run raises an error. It prints what it tries.

        skip_nodes: the names of nodes that "skip" leaves out. find_last_node: "block" searches only the last node of the block (True), or only the first.
        """
        print(self.settings)
        print(self.module.graph)
        nodes = self._collect_nodes(start, end)
        method = self.settings.traverse_method
        if method == "skip":
            if skip_nodes is None:
                raise RuntimeError("'skip_nodes' can't be None when 'traverse_method' is 'skip'.")
            return self._skip_traverse(nodes, skip_nodes)
        if method == "block":
            return self._block_traverse(nodes, find_last_node)
        if method not in ("sequential", "binary", "accumulate", "defined"):
            raise RuntimeError(f"Unknown traverse method {method}!")
        return getattr(self, f"_{method}_traverse")(nodes)


__all__ = ["FxNetMinimizerBadModuleError", "FxNetMinimizerResultMismatchError", "FxNetMinimizerRunFuncError"]
