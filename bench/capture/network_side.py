"""One side of run_networks.py: answers questions about the networks, with Monograph as `torch` or with PyTorch.

    network_side.py Monograph|PyTorch FOLDER_OF_PACKAGES

Questions and answers are length-prefixed pickles of plain Python values and NumPy arrays; both ends are ours. One thread."""

from __future__ import annotations

import os
import pickle
import random
import re
import struct
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CAPTURES = ("trace", "symbolic_trace", "capture")
BATCHES = (2, 3)


def library(side: str, packages: str) -> Any:
    """Puts one of the libraries in the place of `torch`. What the environment has comes before the packages."""
    sys.path.append(packages)
    sys.path.append(str(HERE))
    if side == "Monograph":
        import monograph

        monograph.install_as_torch()
    else:
        sys.path.append(str(ROOT / "tools" / "oracle"))
        import pinned  # noqa: F401
    import torch

    if side == "PyTorch":
        # torchvision's binary wants a GPU's libraries. Its Python files describe these two operators; the networks do not call them. They live as long as this.
        global names
        names = torch.library.Library("torchvision", "FRAGMENT")
        for name in ("nms", "qnms"):
            names.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    torch.set_num_threads(1)
    return torch


class Answers:
    """The answers to the questions; each is a method."""

    def __init__(self, torch: Any):
        self.torch = torch
        import real_networks

        self.networks = real_networks

    # --- plain values of results

    def plain(self, value: Any) -> Any:
        torch = self.torch
        if isinstance(value, torch.Tensor):
            value = value.detach()
            return (value.float() if value.dtype == torch.bfloat16 else value).contiguous().numpy().copy()
        if isinstance(value, dict):
            return {str(k): self.plain(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return (list if isinstance(value, list) else tuple)(map(self.plain, value))
        return value if value is None or isinstance(value, (bool, int, float, str, bytes)) else str(type(value))

    def tensors(self, value: Any) -> list[Any]:
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, (list, tuple)):
            return [tensor for part in value for tensor in self.tensors(part)]
        return [value] if isinstance(value, self.torch.Tensor) else []

    # --- one network

    def made(self, name: str) -> Any:
        import numpy as np

        self.torch.manual_seed(0)
        random.seed(0)
        np.random.seed(0)
        return self.networks.NETWORKS[name].make()

    def loaded(self, name: str, state: dict[str, Any]) -> Any:
        net = self.made(name)
        own = net.state_dict()  # with its metadata, which some layers read
        for k, v in state.items():
            own[k] = self.torch.from_numpy(v.copy()) if v.size else self.torch.empty(v.shape)
        net.load_state_dict(own)
        return net.eval()

    def inputs(self, name: str, n: int) -> tuple[Any, ...]:
        return self.networks.NETWORKS[name].inputs(self.networks.Draw(n), n)

    def call(self, f: Any, inputs: tuple[Any, ...]) -> Any:
        """The results of a call without gradients, with random numbers from one seed."""
        self.torch.manual_seed(1)
        with self.torch.no_grad():
            return self.plain(f(*inputs))

    def weights(self, name: str) -> tuple[dict[str, Any], list[str]]:
        """The state dict of a new network, and the names of those that it learns: others are tables that it computes."""
        net = self.made(name)
        return {k: self.plain(v) for k, v in net.state_dict().items()}, [n for n, p in net.named_parameters() if p.requires_grad]

    def results(self, name: str, state: dict[str, Any], inputs: dict[int, Any], double: bool = False) -> dict[str, Any]:
        """Evaluation at both batch sizes; gradients of weights and inputs; training, and the buffers after it."""
        torch = self.torch
        net = self.loaded(name, state)
        given = {n: tuple(torch.from_numpy(x.copy()) for x in inputs[n]) for n in BATCHES}
        if double:
            net.double()
            given = {n: tuple(x.double() if x.is_floating_point() else x for x in xs) for n, xs in given.items()}
        found: dict[str, Any] = {"eager": [self.call(net, given[n]) for n in BATCHES]}
        x = tuple(t.requires_grad_() if t.is_floating_point() else t for t in given[BATCHES[0]])
        torch.manual_seed(1)
        loss: Any = 0
        for value in self.tensors(net(*x)):
            if value.is_floating_point() and value.requires_grad:
                # Weights that differ: of a plain sum, the gradients cancel before a normalization.
                loss = loss + (value * torch.arange(value.numel()).cos().view(value.shape)).sum()
        loss.backward()
        found["gradients"] = {n: self.plain(p.grad) for n, p in net.named_parameters() if p.grad is not None}
        found["gradients"] |= {f"input {k}": self.plain(t.grad) for k, t in enumerate(x) if t.grad is not None}
        net.train()
        trained = self.call(net, given[BATCHES[1]])
        found["training"] = [trained, {n: self.plain(b) for n, b in net.named_buffers()}]
        return found

    def drawn(self, name: str) -> dict[int, Any]:
        return {n: self.plain(self.inputs(name, n)) for n in BATCHES}

    # --- its captures: Monograph only

    def captures(self, name: str, state: dict[str, Any]) -> dict[str, str]:
        """For each capture "equal", or the error that refuses it, or what differs from the network at one of the batch sizes. Of the trace also the file and the plan."""
        torch, found = self.torch, {}
        net = self.loaded(name, state)
        inputs = {n: self.inputs(name, n) for n in BATCHES}
        expected = {n: self.call(net, inputs[n]) for n in BATCHES}
        ways = {
            "trace": lambda: torch.jit.trace(net, inputs[BATCHES[0]], strict=False),
            "symbolic_trace": lambda: torch.fx.symbolic_trace(net),
            "capture": lambda: torch.capture(net, *inputs[BATCHES[0]]),
        }
        for how, way in ways.items():
            try:
                torch.manual_seed(1)
                with torch.no_grad():
                    captured = way()
            except Exception as error:
                found[how] = f"refused: {self.said(error)}"
                continue
            found[how] = self.same(captured, inputs, expected)
            if how == "trace" and found[how] == "equal":
                found |= self.saved(captured.inlined_graph, inputs, expected)
        return found

    def saved(self, graph: Any, inputs: dict[int, Any], expected: dict[int, Any]) -> dict[str, str]:
        found = {}
        with tempfile.TemporaryDirectory() as folder:
            graph.save(f"{folder}/net.mgraph")
            for how, way in {"file": lambda: self.torch.load_graph(f"{folder}/net.mgraph"), "plan": graph.build}.items():
                try:
                    found[how] = self.same(way(), inputs, expected)
                except Exception as error:
                    found[how] = f"refused: {self.said(error)}"
        return found

    def same(self, run: Any, inputs: dict[int, Any], expected: dict[int, Any]) -> str:
        from network_results import difference, leaves

        for n in BATCHES:
            try:
                found = self.call(run, inputs[n])
            except Exception as error:
                return f"raises at batch size {n}: {self.said(error)}"
            # A graph knows dicts, lists and tuples, and leaves out what is None: only the tensors are compared.
            ours, theirs = ([a for a in leaves(v) if hasattr(a, "shape")] for v in (found, expected[n]))
            wrong = difference(ours, theirs, [], 1e-5)
            if wrong:
                return f"differs at batch size {n}: {wrong}"
        return "equal"

    def said(self, error: Exception) -> str:
        """The first line of an error and the program's line: as the message names it, else the innermost one that is not ours."""
        text = str(error)
        named = re.search(r"([\w./-]+\.py):(\d+)", text)
        package = os.path.dirname(self.torch.__file__)
        frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(package) and f.filename != __file__]
        place = f"{named[1]}:{named[2]}" if named else f"{frames[-1].filename}:{frames[-1].lineno}, not named" if frames else "no line"
        where = "/".join(place.split("/")[-2:])
        return f"{type(error).__name__}: {text.splitlines()[0] if text else ''} ({where})"

    # --- programs, and what was imported

    def program(self, name: str) -> Any:
        return self.plain(self.networks.PROGRAMS[name].run())

    def missing(self) -> list[str]:
        """The names of PyTorch that were imported so far and are not in Monograph."""
        from monograph import _standin

        return sorted(_standin.imported)


def main() -> None:
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a package prints goes to the error stream
    warnings.simplefilter("ignore")
    server = Answers(library(*sys.argv[1:3]))
    while head := requests.read(8):
        question, arguments = pickle.loads(requests.read(struct.unpack("<Q", head)[0]))
        try:
            answer: Any = (True, getattr(server, question)(*arguments))
        except Exception as error:
            answer = (False, f"{server.said(error)}\n{traceback.format_exc(limit=-5)}")
        message = pickle.dumps(answer)
        answers.write(struct.pack("<Q", len(message)) + message)
        answers.flush()


if __name__ == "__main__":
    main()
