"""torch.fx: tracing, generating code, rewriting, beside torch.fx itself. The graphs are those of ResNet-50, a transformer of 12 layers and a chain of 50,000 nodes."""

import threading

from run import row, row_list

row_list("fx", about="tracing, generating code and rewriting", median_at_most=0.2)
row_list("fx_cpp", about="the same from C++ (`fx_bench`)", median_at_most=0.05)


def resnet50(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, inputs, width, stride):
            super().__init__()
            outputs = 4 * width
            self.conv1, self.bn1 = nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width)
            self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
            self.conv3, self.bn3 = nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
            self.relu = nn.ReLU()
            self.down = None
            if stride != 1 or inputs != outputs:
                self.down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

        def forward(self, x):
            skip = x if self.down is None else self.down(x)
            y = self.relu(self.bn1(self.conv1(x)))
            y = self.relu(self.bn2(self.conv2(y)))
            return self.relu(self.bn3(self.conv3(y)) + skip)

    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for k in range(count):
            layers.append(Block(inputs, width, stride if k == 0 else 1))
            inputs = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))


def transformer(torch):
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            batch, steps, width = x.size(0), x.size(1), x.size(2)
            q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
            q, k, v = (t.view(batch, steps, self.heads, width // self.heads).transpose(1, 2) for t in (q, k, v))
            a = torch.softmax(q @ k.transpose(-2, -1) * 0.125, dim=-1) @ v
            x = x + self.out(a.transpose(1, 2).reshape(batch, steps, width))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    return nn.Sequential(*[Block(64, 4) for _ in range(12)])


def chain(torch):
    class Chain(torch.nn.Module):
        def forward(self, x):
            for k in range(25_000):
                x = torch.relu(x + 1)
                if k % 2_500 == 0:
                    x = torch.sigmoid(x)  # the places of fx_replace_chain
            return x

    return Chain()


MODELS = {"resnet50": (resnet50, "ResNet-50"), "transformer": (transformer, "a transformer of 12 layers"), "chain": (chain, "a chain of 50,000 nodes")}
INPUTS = {"resnet50": (1, 3, 224, 224), "transformer": (2, 16, 64), "chain": (2, 3)}


def measured(step: str, about: str, start) -> None:
    """A row for each model, and one where Monograph's side is bench/fx_bench.cpp. `start(torch, model, sizes)` gives the call to time; sizes: those of
    the model's input."""
    for name, (make, words) in MODELS.items():
        function = lambda torch, make=make, name=name: start(torch, make(torch).eval(), INPUTS[name])
        row(f"fx_{step}_{name}", at_most=0.2, about=f"{about}: {words}", rtol=None, of="fx")(function)
        named = f"fx_cpp_{step}_{name}"
        row(named, at_most=0.05, about=f"{about}, from C++: {words}", rtol=None, of="fx_cpp", answered_by="fx_bench")(function)


def traced(torch, model, sizes):
    return lambda: torch.fx.symbolic_trace(model)


def recompiled(torch, model, sizes):
    module = torch.fx.symbolic_trace(model)
    return lambda: module.recompile()


def rewritten(torch, model, sizes):
    """There and back, so that each call finds the same graph: x + y is a + in one and torch.sub in the other. In the chain, ten sigmoids become tanh:
    torch.fx takes minutes for 25,000 places."""
    import importlib

    replace = importlib.import_module(torch.__name__ + ".fx").replace_pattern
    module = torch.fx.symbolic_trace(model)
    first, second = (lambda x, y: x + y), (lambda x, y: torch.sub(x, y))
    if type(model).__name__ == "Chain":
        first, second = (lambda x: torch.sigmoid(torch.relu(x))), (lambda x: torch.tanh(torch.relu(x)))

    def once():
        there, back = replace(module, first, second), replace(module, second, first)
        assert len(there) == len(back) >= 10, "the pattern was not found"

    return once


def swept(torch, model, sizes):
    """Adds a dead node behind each node and sweeps them away."""
    graph = torch.fx.symbolic_trace(model).graph
    nodes = [n for n in graph.nodes if n.op != "output"]

    def once():
        for node in nodes:
            with graph.inserting_after(node):
                graph.call_function(torch.neg, (node,))
        graph.eliminate_dead_code()

    return once


def copied(torch, model, sizes):
    import copy

    graph = torch.fx.symbolic_trace(model).graph
    return lambda: copy.deepcopy(graph)


def shapes_found(torch, model, sizes):
    """Weights and input lie on the meta device, so only shapes and dtypes are computed."""
    import importlib

    found = importlib.import_module(torch.__name__ + ".fx.passes.shape_prop").ShapeProp(torch.fx.symbolic_trace(model.to("meta")))
    x = torch.empty(*sizes, device="meta")
    return lambda: found.propagate(x)


def merged(torch, model, sizes):
    """Every call is there twice, with the same arguments, before each run. The pass leaves its argument as it is."""
    import importlib

    merge = importlib.import_module(torch.__name__ + ".fx.passes.dialect.common.cse_pass").CSEPass()
    module = torch.fx.symbolic_trace(model)
    for node in list(module.graph.nodes):
        if node.op in ("call_function", "call_method", "call_module"):
            with module.graph.inserting_after(node):
                module.graph.node_copy(node, lambda n: n)
    module.recompile()
    assert len(merge(module).graph_module.graph.nodes) < len(module.graph.nodes)
    return lambda: merge(module)


measured("trace", "`symbolic_trace`", traced)
measured("recompile", "`recompile`", recompiled)
measured("replace", "`replace_pattern` twice", rewritten)
measured("dead_code", "a dead node behind each, and `eliminate_dead_code`", swept)
measured("deepcopy", "`deepcopy` of the graph", copied)
measured("shape_prop", "`ShapeProp` on the meta device", shapes_found)
measured("cse", "`CSEPass`, with every call twice", merged)


SMALL_OPERATORS, THREADS, CALLS = 1000, 2, 5


def called_by_threads(torch, module, x):
    """Each thread calls one GraphModule five times."""
    inputs = [x, *[torch.rand_like(x) for _ in range(THREADS - 1)]]

    def work(x):
        with torch.no_grad():
            for _ in range(CALLS):
                module(x)

    def once():
        threads = [threading.Thread(target=work, args=(x,)) for x in inputs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return once


def many(torch):
    """A GraphModule of small operators, and an input."""

    def repeated(x):
        for _ in range(SMALL_OPERATORS // 2):
            x = torch.relu(x + 1)
        return x

    return torch.fx.symbolic_trace(repeated), torch.rand(100)


def net(torch):
    """A GraphModule whose lines call layers, functions of nn.functional, size() and indices, and an input."""
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(16, 16), nn.LayerNorm(16), nn.ReLU(), nn.Dropout(0.1)) for _ in range(SMALL_OPERATORS // 10)])

        def forward(self, x):
            for block in self.blocks:
                y = block(x).view(x.size(0), -1)[:, :16]
                x = nn.functional.softmax(y, dim=-1) + x
            return x

    return torch.fx.symbolic_trace(Net().eval()), torch.rand(8, 16)


words = f"{THREADS} threads call one `GraphModule` of"
row("fx_two_threads", at_most=0.2, about=f"{words} {SMALL_OPERATORS:,} small operators", rtol=None, of="fx")(lambda torch: called_by_threads(torch, *many(torch)))
row("fx_two_threads_layers", at_most=0.6, about=f"{words} 900 lines that call layers, functions of `nn.functional`, `size` and indices", rtol=None, of="fx")(
    lambda torch: called_by_threads(torch, *net(torch))
)
