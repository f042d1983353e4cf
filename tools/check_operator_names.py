"""What an operator is stands on its record (src/ops/families). Nothing else decides by an operator's name.

Found are, outside of the records:
- in src, include, python and tools, a text that is the name of an operator, unless it calls that operator: `"add"_op(a, b)`, `find_operator("aten::add.Tensor")`;
- a comparison with an operator that was looked up by name: `node->info() == copy`, `op is torch.ops.aten.view.default`;
- in the tests that run on every record, comparisons with names, and tables of them;
- a trait that one record alone has (a clause of OpBuilder without a value, or a `Special`): that is a name in other words.

DERIVED lists tables that a tool writes. A text may mean something else (a name of an argument, of an instruction, of Python's own): OTHER_WORDS says so. A name in `__all__` is the module's own, where
it defines or imports that name. What is left is an exception: EXCEPTIONS and SINGLE_TRAITS list each with its reason. An entry that is found no more must go. The
check prints how many exceptions there are."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FAMILIES = "src/ops/families"
# Their operators have the names of Python's own functions and methods (append, strip, keys), which are words everywhere.
PYTHONS_WORDS = ("containers.cpp", "texts.cpp", "programs.cpp", "objects.cpp", "properties.cpp")
RECORD = re.compile(
    r'(?<!R)"((?:\w+::)?[A-Za-z_]\w*(?:\.\w+)?)\((?:(?:Tensor|SymInt|Scalar|Device|Layout|Dict|t\[\]|t(?:\([a*]\))?|int|float|complex|bool|str)[\w\[\]()!?|]*[ ,]|\) ->)'
)
# Records whose schemas are put together from a name.
MADE = re.compile(r'\b(?:binary|of_bits|source|shifts|shift_methods|places)\(\s*"((?:\w+::)?\w+)"|\bvariances<\w+>\(r, "\w+", "(\w+)"\)|\bMONOGRAPH_REAL\((\w+)\)|\bpolynomial<"(\w+)">|\battribute\(\s*"(prim::\w+)"|"(prim::is_\w+)"[,}]')
# Other names of a record, and the one that `compare` in elementwise.cpp hands on.
ALIASES = re.compile(r"\.alias\(\{([^}]*)\}\)|other\) -> Tensor\"(, \"(?!\w*out\")\w+\")")
LITERAL = re.compile(r'(?<![R\w])"((?:[^"\\\n]|\\.)*)"(_op\b)?')
CALL = re.compile(
    r"(?:\b(?:emit|find_operator|find_overloads|lookup|find|resolved|call|append|run|run_one|guarded|fold|check_dim|captured_number|guard_length)\((?:[^()\"]|\"[^\"]*\")*)$"
)
LOOKED_UP = re.compile(r"[*&]\s*(\w+)\s*=\s*&?find_operator\(|[*&]\s*(\w+)\s*=\s*(?:\w+\(\)\.lookup \? )?\w+\(\)\.lookup\(")
OF_NAMESPACE = re.compile(r"\bops\.(?:aten|prim)\.(\w+)")
GENERIC_TEST = re.compile(r"Registry::global\(\)\.all\(\)|for_each_case\(|frozen::families")
TRAIT = re.compile(r"^  OpBuilder& (\w+)\(\);", re.MULTILINE)

# Tables that a tool derives from PyTorch, record by record: nobody writes a name into them by hand.
DERIVED = {
    "src/autograd/node_names.inc": "what PyTorch calls the nodes of gradients (tools/oracle/freeze_gradient_names.py)",
    "src/autograd/node_constants.inc": "which numbers they save that are no arguments (tools/oracle/freeze_gradient_constants.py)",
    "src/capture/script/autocast.inc": "what PyTorch's scripts cast inside of torch.autocast (tools/oracle/freeze_script_autocast.py)",
    "src/autograd/node_facts.inc": "what these nodes save (tools/oracle/freeze_gradient_facts.py)",
}

# Texts that are names of operators and mean something else there.
OTHER_WORDS: dict[str, tuple[str, str]] = {
    # What Python's own operators and protocols call: x + y is add.
    "src/ir/operators.h": (
        "__and__ __getitem__ __lshift__ __not__ __or__ __rshift__ __xor__ abs add bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor div eq floor_divide floordiv ge gt le lt matmul mul ne neg positive pow prim::abs remainder rsub sub",
        "the calls that Python's operators stand for",
    ),
    "src/capture/machine/forks.cpp": ("len max min", "Python's builtins"),
    "python/monograph/_pytorch/names.py": ("__getitem__ len", "operators on lists, which PyTorch's own operators do not take from Python"),
    "python/monograph/_assumed_dims.py": ("bilinear linear", "modes of interpolate"),
    "python/monograph/__init__.py": ("view", "torch.view, which shows a graph"),
    "python/monograph/jit/__init__.py": ("trace", "torch.jit.trace"),
    "src/autograd/call_saved.cpp": ("convolution numel permute stride", "names of PyTorch's steps, and what its formulas ask of tensors"),
    "python/bindings/autograd.cpp": ("requires_grad", "an attribute of nodes"),
    "python/bindings/number_slots.h": ("add eq floordiv ge gt le lt matmul mul ne sub", "Python's operators"),
    "python/bindings/operators.cpp": ("abs eq floordiv neg pow", "Python's operators"),
    "python/bindings/symbolic.cpp": ("abs floordiv item neg pow", "Python's operators, and a method of NumPy's numbers"),
    "src/capture/bytecode/identities.cpp": ("all any len sum", "Python's builtins"),
    "python/monograph/_names_of_C.py": ("complex", "the name of a type in a schema"),
    "python/monograph/_numpy_numbers.py": ("add ceil floor multiply prod subtract sum trunc", "functions of NumPy"),
    "python/monograph/fx/proxy.py": ("__getitem__ __lshift__ __rshift__ add as_strided_ ceil detach_ div floor ge gt imag le len lt matmul mul pow real remainder requires_grad requires_grad_ resize_ resize_as_ round set_ squeeze_ sub swapaxes_ swapdims_ t_ transpose_ trunc unsqueeze_", "Python's operators, and the methods of Tensor that they are; attributes of Tensor, and methods that change them"),
    "src/capture/script/builtins.cpp": ("abs all angle any complex len log max min pow range round slice sum", "Python's builtins, and functions of its cmath"),
    "src/capture/script/compiler.cpp": ("slice", "Python's builtin"),
    "src/capture/machine/folds.cpp": ("all any max min prod sum", "Python's builtins"),
    "python/monograph/_folds.py": ("max min", "Python's builtins"),
    "python/monograph/jit/_script_module.py": ("__getitem__", "a method of a class"),
    "src/capture/layers/evaluator.cpp": ("__getitem__", "a method of a class"),
    "src/capture/layers/evaluator_calls.cpp": (
        "abs all any ceil complex dim erf exp floor len log max min numel prod range requires_grad size sqrt sum",
        "Python's builtins, functions of its module math, and what a tensor says of itself",
    ),
    "src/ir/node_names.h": ("index", "the name of a node"),
    "src/capture/script/calls.cpp": ("__and__ __or__ __xor__ all any index len log range sort to", "methods of Python's numbers and lists; its builtins; builtins that take a generator, what calls a logger, and a method of Tensor whose enumerations are numbers"),
    "src/ir/python_methods.h": ("copy index sort split", "methods of Python's lists, dicts and strs"),
    "src/ir/python.cpp": ("__getitem__ len slice sort", "what Python writes as x[i], len(x), x[a:b] and x.sort(reverse=...)"),
    "src/capture/bytecode/effects.cpp": (
        "__and__ __getitem__ __or__ add copy index len mode requires_grad_ set_ sort",
        "methods of Python's lists, dicts and sets, its builtins, a function of Python's module operator, methods of tensors that change more than elements, and a kind of break",
    ),
    "src/capture/machine/undo.cpp": ("requires_grad_ set_ to", "methods of nn.Module, and the beginning of names"),
    "src/capture/script/host.cpp": ("abs all any complex len max min pow range round slice sum", "Python's builtins"),
    "src/capture/script/parser.cpp": ("slice", "Python's class, in an index"),
    "include/monograph/script_types.h": ("complex", "a type"),
    "include/monograph/torch.h": ("bilinear conv1d conv2d conv3d gelu leaky_relu linear max mean relu sigmoid sum tanh zeros", "words for modes and reductions, as libtorch has them"),
    "src/capture/script/serialized.cpp": ("aten::FloatImplicit aten::IntImplicit aten::_convolution aten::eq aten::len aten::ne", "a known length, as len() of builtins.cpp; the comparison of members of Enums; what TorchScript writes where a tensor stands for a number; what every traced convolution is"),
    "src/capture/trace_text.cpp": ("aten::__and__ aten::__getitem__.t aten::__or__ aten::__xor__ aten::_convolution aten::add.Scalar aten::add.Tensor aten::bitwise_and.Scalar aten::bitwise_and.Tensor aten::bitwise_or.Scalar aten::bitwise_or.Tensor aten::bitwise_xor.Scalar aten::bitwise_xor.Tensor aten::div.Scalar aten::div.Tensor aten::floor_divide aten::index.Tensor aten::len.t aten::mul.Scalar aten::mul.Tensor aten::select.int aten::size.int aten::slice.Tensor aten::sub.Scalar aten::sub.Tensor aten::sym_size.int aten::unsqueeze", "what PyTorch's trace has for a program: its spellings, of operators that the graph has too"),
    "src/capture/script/types.cpp": ("complex", "a type"),
    "src/formats/torchscript/archive.cpp": ("complex", "a type"),
    "src/capture/script/expressions.cpp": ("imag index real requires_grad", "attributes of a Device and of a Tensor; parts of a complex number"),
    "src/capture/script/statements.cpp": ("__getitem__", "a method of a class"),
    "src/capture/script/subscripts.cpp": ("__getitem__ item slice", "a method of a class, and Python's builtin; a question about a dict"),
    "python/monograph/jit/_classes.py": ("complex", "a type"),
    "python/monograph/jit/_attributes.py": ("complex", "a type"),
    "src/api/ivalue.cpp": ("Bool Int", "a kind of IValue, as libtorch names it"),
    "src/api/print.cpp": ("Bool Float Int", "dtypes, as libtorch prints them"),
    "python/monograph/fx/script_view.py": ("t", "the kind of an attribute that is a tensor, and the method of torch._C.Node that reads it"),
    "src/ir/names.cpp": ("abs all any complex len max min pow range round slice sum", "names that Python's builtins take"),
    "src/formats/torchscript/pickler.cpp": ("complex", "Python's type"),
    "python/bindings/compile.cpp": ("full where", "a cache of captures that takes no more, and a key of a break"),
    "python/bindings/compile_capture.cpp": ("mode size", "a kind of break; another kind of break"),
    "python/monograph/_compile.py": ("full mode", "a cache of captures that takes no more, and an argument"),
    "python/monograph/_dynamo/_explain.py": ("full", "a cache of captures that takes no more"),
    "python/monograph/_dynamo/breaks.py": ("mode size", "a kind of break; another kind of break"),
    "python/monograph/fx/_kept.py": ("clone", "the method that a block's end calls"),
    "python/monograph/fx/_plan.py": ("size slice", "a method of Tensor, and Python's slice"),
    "python/monograph/fx/_recorded.py": ("trace", "a way to capture"),
    "python/monograph/fx/graph.py": ("div storage_offset stride sym_size", "Python 2's operator, which torch.fx still lists, and the calls that torch.fx's methods of Graph make"),
    "src/capture/bytecode/reads.cpp": ("dim numel requires_grad size", "what a tensor says of itself"),
    "src/capture/script/classes.cpp": ("eq ge gt le lt", "the methods that Python's comparisons call, and an option of dataclass"),
    "src/codegen/convolution_emit.cpp": ("convolution", "the name of a module of LLVM"),
    "python/monograph/jit/_trace_graph.py": ("aten::_convolution stride", "what a traced convolution is in PyTorch, and one of its arguments"),
    "src/capture/script/comprehensions.cpp": ("all any", "Python's builtins of a generator"),
    "src/capture/script/constants.cpp": ("aten::Bool aten::__not__ item", "steps of a default's value, and a question about a dict"),
    "src/passes/canonical_constants.cpp": ("aten::sym_size.int", "the size of a value whose type says it"),
    "python/bindings/compile_sizes.cpp": ("aten::numel aten::size aten::sym_numel aten::sym_size", "what asks for sizes"),
    "python/monograph/jit/_compile.py": ("log", "what calls a logger"),
    "python/monograph/jit/_constant_objects.py": ("item len log", "questions about a dict, and a method of loggers"),
    "tools/oracle/freeze_script_autocast.py": ("aten::_autocast_to_full_precision aten::_autocast_to_reduced_precision aten::relu", "PyTorch's casts, and a call in whose place others are tried"),
    "tools/oracle/freeze_torchscript_state.py": ("sum", "a value of reduce="),
    # Methods and attributes that the classes have of themselves.
    "python/bindings/dtypes.cpp": ("index is_complex is_floating_point numel", "members of Device, dtype and Size"),
    "python/bindings/exchange.cpp": ("empty requires_grad", "numpy's function; an attribute"),
    "python/bindings/builtin.cpp": ("aten::add.Tensor index requires_grad view", "an example in a docstring; a keyword of every factory; a key of _facts; an argument"),
    "python/bindings/schema.cpp": ("aten::add contiguous dim requires_grad", "an example in a docstring; members of a tensor's type"),
    "python/bindings/indexing.cpp": ("__getitem__ complex", "the method that is handed over"),
    "python/bindings/tensor.cpp": ("dim imag is_complex is_contiguous is_floating_point numel real requires_grad requires_grad_ size storage_offset stride", "members of Tensor"),
    "python/bindings/call_plan.cpp": ("dim numel size", "members of Tensor"),
    "python/bindings/tensor_data.cpp": ("item requires_grad", "members of Tensor"),
    "python/monograph/jit/_trace.py": ("requires_grad trace", "a keyword of every factory; a way to capture"),
    "python/bindings/tensor_members.cpp": ("dim imag numel real", "methods and attributes of Tensor, as PyTorch hands them over"),
    "python/monograph/_jit_internal.py": ("index", "a key of PyTorch's table of functions that a flag chooses between"),
    "python/monograph/nn/parameter.py": ("detach", "the attribute that PyTorch's error names"),
    "python/monograph/utils/module_tracker.py": ("all any", "modes of register_multi_grad_hook"),
    "python/monograph/autograd/graph.py": ("all any", "modes of register_multi_grad_hook"),
    "python/monograph/optim/lr_scheduler.py": ("abs cos linear max min", "values of mode=, threshold_mode= and anneal_strategy="),
    "python/monograph/optim/swa_utils.py": ("cos linear", "values of anneal_strategy="),
    "python/monograph/_help.py": ("requires_grad", "a keyword of every factory"),
    "python/monograph/distributions/constraints.py": ("cat multinomial one_hot positive real square stack", "names of constraints, in __all__"),
    "python/bindings/script.cpp": ("to", "an argument"),
    "tools/operator_lines.py": ("gradient", "a clause of a record"),
    "tools/examples.py": ("index max pad size to", "arguments"),
    "python/monograph/testing/_comparison.py": ("absolute", "a word of a message"),
    "tools/oracle/wrong_calls.py": ("empty lu_unpack", "a word for a list, and a function of PyTorch that is endless for wrong arguments"),
    "tools/oracle/op_db.py": ("empty gradient", "what the functions have in their names that set no elements; a word of a message"),
    # Arguments and their values, dtypes, columns.
    "src/ir/bind.cpp": ("complex dim", "an argument"),
    "src/ops/pointwise.cpp": ("index", "an argument"),
    "src/ir/op.cpp": ("mode", "a kind of effect"),
    "src/passes/onnx.cpp": ("dim ones to", "arguments, and a word of the rules' language"),
    "src/cli/info.cpp": ("size", "a column"),
    "src/cli/bench.cpp": ("median", "a key and a column"),
    "src/cli/compare.cpp": ("equal", "a verdict"),
    "src/kernels/gather_scatter.cpp": ("amax amin max min prod sum", "values of reduce="),
    "src/core/dtype.cpp": ("Bool Float Int", "scalar types"),
    "python/monograph/_tensor.py": ("Bool Float Int gradient", "scalar types, and an argument of backward"),
    "python/monograph/_tensor_str.py": ("full threshold", "a profile of printing, and an option of it"),
    "python/monograph/autograd/gradcheck.py": ("real", "a part of a complex number, in a message"),
    "python/monograph/nn/_losses.py": ("mean sum", "values of reduction="),
    "python/monograph/nn/modules/padding.py": ("mode", "an attribute"),
    "python/monograph/nn/modules/sparse.py": ("mean", "a value of mode="),
    "python/monograph/nn/functional.py": ("bilinear linear log_softmax max mean softmax sum zeros", "values of reduction=, mode= and padding_mode=, and names in messages"),
    "python/monograph/optim/lbfgs.py": ("t", "an entry of the state"),
    "python/monograph/_doctor/_reading.py": ("imag real", "attributes of Tensor"),
    "python/monograph/backends/__init__.py": ("matmul", "a part of the settings"),
    "python/monograph/nn/utils/prune.py": ("dim", "an attribute of ways to prune"),
    "python/monograph/nn/utils/parametrizations.py": ("matrix_exp", "a value of orthogonal_map="),
    "python/monograph/autograd/profiler_util.py": ("cat", "a key of a trace's events"),
    "python/monograph/nn/modules/conv.py": ("zeros", "a value of padding_mode="),
    "python/monograph/nn/modules/lazy.py": ("zeros", "a value of padding_mode="),
    "python/monograph/nn/modules/loss.py": ("mean", "a value of reduction="),
    "python/monograph/nn/modules/rnn.py": ("dropout relu tanh", "values of nonlinearity=, and an attribute"),
    "python/monograph/nn/modules/transformer.py": ("dropout gelu norm relu", "values of activation=, an attribute, and the stem of norm1, norm2, ..."),
    "python/monograph/nn/modules/upsampling.py": ("bilinear", "a value of mode="),
    "python/monograph/nn/init.py": (
        "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d leaky_relu linear relu selu sigmoid tanh",
        "values of nonlinearity=",
    ),
    "python/monograph/fx/_lowering.py": (
        "__getitem__ all any dim eye index len slice sort sum",
        "a method of Tensor, and operator.index; the one function that makes a tensor of zeros and ones and has no new_* beside it; what Python calls on a list, dict or text that an Interpreter has, as src/ir/python.cpp writes it",
    ),
    "python/monograph/fx/_symbolic_trace.py": ("clone detach requires_grad requires_grad_ to", "calls that it records, and a keyword"),
    "python/monograph/fx/experimental/proxy_tensor.py": ("prim::requires_grad real trace", "what a guard may ask for, a value of tracing_mode=, and a way to capture"),
    "python/monograph/fx/node.py": ("complex", "a kind of dtype"),
    "python/monograph/fx/operator_schemas.py": ("complex to", "a type of schemas, and an argument"),
    "python/monograph/fx/passes/_nodes.py": ("dropout", "an attribute of layers"),
    "python/monograph/fx/passes/dialect/common/cse_pass.py": ("slice", "Python's slice"),
    "python/monograph/fx/passes/graph_drawer.py": ("dot requires_grad stride", "Graphviz's program, and members of Tensor"),
    "python/monograph/fx/passes/param_fetch.py": ("stride", "an attribute of layers"),
    # Ways to capture, and forms that a graph prints in.
    "src/cli/tour.cpp": ("trace", "a way to capture"),
    "python/monograph/_tour.py": ("trace", "a way to capture"),
    "python/monograph/_pytorch_modules.py": ("col2im gelu", "names in modules of PyTorch"),
    "tools/oracle/freeze_torchscript_traces.py": ("arange dropout", "names of its files"),
    "src/cli/tour_pytorch.inc": ("trace", "a way to capture"),
    "python/bindings/capture.cpp": ("trace", "a way to capture"),
    "python/monograph/_capture.py": ("trace", "a way to capture"),
    "tools/oracle/freeze_torchscript_foreign.py": ("neg zeros", "a value of an argument, and a buffer of a module"),
    "tools/oracle/freeze_torchscript.py": ("lstm mean", "names of its files, and a buffer"),
    "tools/oracle/freeze_torchscript_versions.py": ("bilinear floor sum tanh trunc", "values of arguments"),
    "tools/oracle/freeze_tour.py": ("trace", "a way to capture"),
    "src/cli/view.cpp": ("view", "the verb"),
    "src/cli/print.cpp": ("dot", "Graphviz's language"),
    "python/bindings/graph_members.cpp": ("dot", "Graphviz's language"),
    "tools/concept_pictures.py": ("dot", "Graphviz's language, and its program"),
    # Words of languages and formats of ours.
    "src/capture/machine/exceptions.cpp": ("split", "a method of Python's groups of exceptions"),
    "src/core/symint.cpp": ("max min", "functions in the text of a size"),
    "src/ir/parser.cpp": ("complex max min slice", "functions in the text of a size, and Python's slice"),
    "src/ir/json.cpp": ("size slice", "keys"),
    "src/kernels/body.cpp": (
        "abs add ceil div eq floor index le lt max min mul neg prod select sqrt sub sum trunc",
        "instructions of a body",
    ),
    "src/exec/interpreter.cpp": ("item", "an instruction"),
    "src/codegen/matmul_emit.cpp": ("matmul", "a module of LLVM"),
    "src/core/ivalue.cpp": ("complex", "Python's type"),
    "src/ir/type.cpp": ("complex", "Python's type"),
    "tools/apigen/apigen.cpp": ("Float Int t", "types of C++"),
    "tools/dev/common.py": ("log", "a folder"),
    "tools/dev/verb_bench.py": ("all", "a value of an option"),
    "tools/support_matrix.cpp": ("gradient view", "words of its table"),
    "tools/oracle/freeze_gradient_names.py": ("aten::batch_norm aten::nll_loss aten::scaled_dot_product_attention", "more calls of PyTorch whose nodes are asked for their names"),
    "tools/oracle/freeze_minilm.py": ("embedding", "a field of its file"),
    "tools/check_texts.py": ("index split", "methods of str, and a function of re"),
    "python/monograph/_pytorch_classes.py": ("add clone", "all that some classes of PyTorch have"),
    "tools/oracle/freeze_onnx.py": ("t", "a field of its file"),
    "tools/oracle/freeze_ops.py": ("t", "a field of its file"),
    "tools/oracle/freeze_repr.py": ("full threshold", "a profile of printing, and an option of it"),
    "tools/oracle/freeze_random.py": ("bernoulli dropout multinomial normal randperm range", "words of tests/data/random"),
    "tools/oracle/samples.py": ("dim index t tanh threshold", "arguments, a value of approximate=, and functions of sample texts"),
    # Tests.
    "tests/cpp/autograd_test.cpp": ("dim", "an argument"),
    "tests/cpp/decompose_test.cpp": ("aten::silu", "its test of one graph"),
}

# Decisions by name.
EXCEPTIONS: dict[str, tuple[str, str]] = {
    "src/autograd/call_saved.cpp": ("batch_norm slice t transpose view", "steps that PyTorch has in their place, or with other arguments"),
    "src/autograd/call_node.cpp": ("batch_norm", "its decomposition runs again without the statistics that it writes"),
    "src/autograd/call_node.h": ("aten::linear", "PyTorch has several steps for it, which a program sees"),
    "src/autograd/engine.cpp": ("clone copy_ matmul reshape view", "PyTorch calls the view of what it has just made _unsafe_view, and has one step where a form in place computes and copies"),
    "src/autograd/node_names.cpp": ("aten::copy_ aten::fill_.Scalar aten::fill_.Tensor aten::zero_ linear", "names of PyTorch's steps: forms in place with a formula of their own, and linear of any number of dims"),
    "python/bindings/compile_capture.cpp": ("raise", "a way of a branch that raises: its text belongs to the call, which runs again as Python"),
    "python/bindings/reads.cpp": ("aten::__getitem__.Dict_str", "the parts of a dict among the inputs, which the capture has taken by their keys"),
    "src/capture/regions.cpp": ("prim::with_grad", "what requires_grad_() has made requires grad in each run"),
    "src/capture/writer.cpp": ("with_grad", "a leaf that a graph makes, to which it may write under no_grad() alone"),
    "src/capture/tracer.cpp": ("detach", "under no_grad it appends detach, which needs none after itself"),
    "src/capture/script/calls.cpp": ("aten::nonzero_numpy", "torch.nonzero(x, as_tuple=True), which Python's function calls"),
    "src/capture/script/compiler.cpp": ("aten::Float aten::FloatImplicit aten::Int aten::IntImplicit", "the number of item() becomes the one that is wanted, as in TorchScript; what TorchScript writes where a tensor stands for a number"),
    "src/capture/script/subscripts.cpp": ("aten::add aten::mul aten::sub", "modules[k - 1]: an index of a loop that stands there once for each module is known"),
    "src/capture/script/serialized.cpp": ("aten::add aten::sub aten::mul aten::div", "PyTorch's executor takes a constant tensor for its number beside these four"),
    "src/capture/script/upgraders.cpp": (
        "aten::div aten::div_ aten::full aten::linspace aten::logspace divide true_divide trunc",
        "what these operators of older files mean today, as PyTorch published it",
    ),
    "src/ir/torchscript_code.cpp": (
        "Bool Float Int aten::__getitem__ aten::add aten::div aten::floor_divide aten::mul aten::pow.int_to_int aten::sub",
        "TorchScript's code writes them as x[i] and bool(x), and its language defines arithmetic of numbers and tensors; a division that TorchScript has for tensors alone",
    ),
    "python/bindings/effects.cpp": ("cut joined size", "a list of sizes that is a torch.Size where the program runs, of which the text says so: a type of Python's, of which the record knows nothing"),
    "python/bindings/symbolic.cpp": (
        "detach getitem sym_size",
        "a torch.Size whose numbers are all reads of one tensor or list is that list again; what x.data += 1 assigns is what x.data has read",
    ),
    "tests/cpp/shape_rules_test.cpp": (
        "aten::pixel_unshuffle aten::repeat_interleave.Tensor",
        "PyTorch gives an empty tensor sizes that no expression of a symbol states; only the test of such expressions asks for it",
    ),
    "python/monograph/_pytorch/backend.py": ("view", "an operator of PyTorch, in its graph: views are values here, so a value with other strides may need a copy"),
    "python/monograph/fx/_lowering.py": ("to", "x.to(y.dtype) of an unknown dtype is x.to(y)"),
    "python/monograph/fx/passes/_on_meta.py": ("to", "x.to(device) leaves values where there are none"),
    "src/passes/canonical_calls.cpp": (
        "aten::IntImplicit aten::detach aten::index_put aten::item aten::Float.bool aten::Float.int aten::Int.bool aten::Int.float aten::add aten::clone aten::copy_ aten::empty.memory_format aten::eq aten::floordiv aten::full "
        "aten::ge aten::gt aten::index_put_ aten::le aten::len.t aten::linalg_vector_norm aten::lt aten::mul aten::ne aten::new_empty aten::new_full aten::new_ones "
        "aten::new_zeros aten::norm.Scalar aten::norm.ScalarOpt_dim aten::ones aten::rand aten::randn aten::remainder aten::scalar_tensor aten::stack aten::sub "
        "aten::sym_numel aten::sym_size.int aten::zeros prim::max prim::min",
        "spellings of one computation, each with the operator that it becomes: identities of these operators alone",
    ),
    "src/passes/canonical_dicts.cpp": ("aten::__getitem__.Dict_str", "parts of dicts that are known are taken apart"),
    "src/passes/canonical_branches.cpp": (
        "aten::dim aten::is_floating_point aten::size aten::__getitem__.t aten::__not__ aten::add.t aten::len.t",
        "negations go into the ways of an If, and parts of lists that are known are taken apart: identities of these operators alone",
    ),
    "src/exec/plan.cpp": ("concatenate", "a list to which one element is added grows in place"),
    "tests/cpp/differentiate_test.cpp": (
        "aten::conv2d aten::prod aten::prod.dim_int aten::tensordot",
        "gradients of a graph that differ from eager ones, each with its reason there",
    ),
    "tests/cpp/functionalize_test.cpp": (
        "aten::narrow aten::permute aten::select.int aten::slice.Tensor aten::squeeze.dim aten::squeeze.dims aten::transpose.int aten::unsqueeze aten::view aten::view_as prim::function_result",
        "views in the text of a graph: samples are no text of graphs",
    ),
}

# Traits of one record.
SINGLE_TRAITS: dict[str, str] = {
    ".assigns()": "copy_: the only write of all elements that takes them from a tensor; functionalize keeps one for each input",
    ".changes_geometry()": "resize_, set_: their one statement; the in-place forms of views are marked where they are made",
    ".counts_bool()": "square: PyTorch's is pow(x, 2), which makes bools int64",
    ".takes_byte_mask()": "where: PyTorch deprecated masks of uint8 everywhere else",
    ".takes_element()": "__getitem__.t: the one way in which a graph takes a list apart",
    ".wide_numbers()": "pow.Tensor_Scalar: PyTorch looks at the exponent's sign before it converts it",
    "Special::BeginsAtOne": "acosh: no other domain leaves out the numbers between 0 and 1",
    "Special::GradientOverflowIsNaN": "atan2: PyTorch squares",
    "Special::RoughGradient": "digamma: PyTorch's trigamma takes six terms of a series from 6 on",
    "Special::TinyIsZero": "erf: PyTorch's bfloat16 kernel",
}


class Found(NamedTuple):
    file: str
    line: int
    name: str
    what: str


def operator_names(root: Path, pythons_words: bool = True) -> set[str]:
    """The names that a text can call an operator by: aten::add.Tensor, aten::add, add.Tensor, add, and those of the in-place form."""
    names: set[str] = set()
    for file in (root / FAMILIES).glob("*.cpp"):
        if file.name in PYTHONS_WORDS and not pythons_words:
            continue
        # Records of dicts stand there once for all types of keys, which are "$".
        text = file.read_text().replace("$", "str")
        aliases = [name for found in ALIASES.findall(text) for name in re.findall(r'"(\w+)', "".join(found))]
        for stated in RECORD.findall(text) + ["".join(found) for found in MADE.findall(text)] + aliases:
            full = stated if "::" in stated else f"aten::{stated}"
            for name in (full, full.partition(".")[0], full.partition(".")[0] + "_", full.partition(".")[0] + "_scatter", full.partition(".")[0] + "_copy"):
                names |= {name, name.partition("::")[2]}
    return names


def without_comment(line: str) -> str:
    return re.sub(r'("(?:[^"\\]|\\.)*")|//.*', lambda m: m[1] or "", line)


def in_cpp(root: Path, file: Path, names: set[str], generic_test: bool) -> Iterator[Found]:
    place, text = file.relative_to(root).as_posix(), file.read_text()
    lines = [without_comment(line) for line in text.splitlines()]
    looked_up = {name for line in lines for match in LOOKED_UP.finditer(line) for name in match.groups() if name}
    before, in_table = "", False
    for number, line in enumerate(lines, 1):
        in_table = (in_table and not before.rstrip().endswith(";")) or bool(re.search(r"std::(?:unordered_)?(?:set|map)<.*[={]", line))
        for match in LITERAL.finditer(line):
            ahead, after = before + line[: match.start()], line[match.end() :]
            compared = bool(re.search(r"[!=]=\s*$", ahead) or re.match(r"\s*[!=]=", after))
            if match[1] not in names or match[2] or (CALL.search(ahead) and not compared):
                continue
            if not generic_test or compared or in_table:
                yield Found(place, number, match[1], "is compared with a name" if compared else "the name of an operator")
        for name in looked_up:
            if re.search(rf"[!=]=\s*&?{name}\b(?!\()|\b{name}\s*[!=]=(?!=)", line):
                yield Found(place, number, name, "is compared with an operator that was looked up by name")
        before = line


def exported(tree: ast.Module) -> Iterator[ast.Constant]:
    """The texts of `__all__` that are names of the module itself: what it defines or imports."""
    own = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    own |= {name.asname or name.name for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom)) for name in node.names}
    for node in tree.body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
            yield from (part for part in ast.walk(node.value) if isinstance(part, ast.Constant) and part.value in own)


def in_python(root: Path, file: Path, names: set[str]) -> Iterator[Found]:
    tree = ast.parse(file.read_text())
    used = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)}  # functions["add"](a, b)
    used |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    used |= {id(part) for part in exported(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names and id(node) not in used:
            yield Found(file.relative_to(root).as_posix(), node.lineno, node.value, "the name of an operator")
        for part in (node.left, *node.comparators) if isinstance(node, ast.Compare) else ():
            for name in OF_NAMESPACE.findall(ast.unparse(part)):
                if name in names:
                    yield Found(file.relative_to(root).as_posix(), node.lineno, name, "is compared with an operator that was looked up by name")


def decisions(root: Path) -> Iterator[Found]:
    """Every place outside of records that names an operator without calling it."""
    names = operator_names(root, pythons_words=False)
    for folder in ("src", "include", "python", "tools"):
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix in {".cpp", ".h", ".inc"} and not path.startswith(FAMILIES) and path not in DERIVED:
                yield from in_cpp(root, file, names, False)
            elif file.suffix == ".py" and file != Path(__file__):
                yield from in_python(root, file, names)
    for file in sorted((root / "tests" / "cpp").glob("*")):
        if file.suffix in {".cpp", ".h"} and GENERIC_TEST.search(file.read_text()):
            yield from in_cpp(root, file, names, True)


def single_traits(root: Path) -> dict[str, str]:
    """The traits that one statement of a record alone has, and where."""
    header = root / "src" / "ops" / "registry.h"
    traits = [f".{name}()" for name in TRAIT.findall(header.read_text())] if header.exists() else []
    record = root / "src" / "ops" / "record.h"
    specials = re.search(r"enum class Special[^{]*\{(.*?)\};", record.read_text(), re.DOTALL) if record.exists() else None
    traits += [f"Special::{name}" for name in re.findall(r"^  (\w+),", specials[1], re.MULTILINE)] if specials else []
    places: dict[str, list[str]] = {trait: [] for trait in traits}
    for file in sorted((root / FAMILIES).glob("*.cpp")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            for trait in traits:
                if re.search(re.escape(trait) + r"(?!\w)", without_comment(line)):
                    places[trait].append(f"{file.relative_to(root).as_posix()}:{number}")
    return {trait: at[0] for trait, at in places.items() if len(at) == 1}


def problems(root: Path, words: dict[str, tuple[str, str]], exceptions: dict[str, tuple[str, str]], singles: dict[str, str]) -> list[str]:
    listed = {(file, name) for table in (words, exceptions) for file, (names, _) in table.items() for name in names.split()}
    found = list(decisions(root))
    out = [
        f"{f.file}:{f.line}: {f.name!r}: {f.what}; state a trait on the record (docs/adding_an_operator.md), or list it in tools/check_operator_names.py with a reason"
        for f in found
        if (f.file, f.name) not in listed
    ]
    gone = listed - {(f.file, f.name) for f in found}
    out += [
        f"tools/check_operator_names.py lists {name!r} in {file}, where it is found no more: take it out" for file, name in sorted(gone)
    ]
    alone = single_traits(root)
    out += [
        f"{at}: {trait} is a trait of one record alone; list it in tools/check_operator_names.py with a reason"
        for trait, at in alone.items()
        if trait not in singles
    ]
    return out + [
        f"tools/check_operator_names.py lists {trait}, which is no trait of one record alone: take it out"
        for trait in singles
        if trait not in alone
    ]


def main() -> int:
    found = problems(ROOT, OTHER_WORDS, EXCEPTIONS, SINGLE_TRAITS)
    count = sum(len(names.split()) for names, _ in EXCEPTIONS.values())
    print("\n".join(found) if found else f"names of operators: {count} exceptions, {len(SINGLE_TRAITS)} traits of one record")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
