// What a program asks of a tensor beside its elements: its strides, its bytes, its device, its dtype's kind, and its transposes x.mT, x.H and x.mH. Scripts read most
// of them as attributes. The class Tensor of Python has getters of its own, so that these records give it no methods.
#include <deque>
#include <map>

#include "core/device_names.h"
#include "ops/dispatch.h"
#include "ops/families/matrices.h"
#include "ops/families/programs.h"
#include "ops/record.h"
#include "ops/tensor_facts.h"
#include "ops/torchscript_names.h"

namespace monograph {

GradientFacts& gradient_facts() {
  static GradientFacts facts;
  return facts;
}
void change_requires_grad(const Operator&, const IValue* args, IValue* results) {
  gradient_facts().set_requires_grad(args[0].as_tensor(), args[1].to_bool());
  results[0] = args[0];
}

size_t place_of_dim(const Tensor& t, int64_t dim) {
  MONOGRAPH_CHECK(t.dim() > 0, Index, "Dimension specified as ", dim, " but tensor has no dimensions");
  return static_cast<size_t>(wrap_dim(dim, t.dim()));
}

constexpr std::string_view kLayoutNames[kLayoutCount] = {"strided",    "sparse_coo", "sparse_csr", "_mkldnn",
                                                         "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged"};
std::string_view layout_name(int number) { return kLayoutNames[number]; }
std::optional<int> layout_number(std::string_view name) {
  for (int k = 0; k < kLayoutCount; ++k)
    if (kLayoutNames[k] == name) return k;
  return {};
}

namespace {

// By operator: what it gives for all tensors.
std::map<std::string, IValue, std::less<>>& known_results() {
  static std::map<std::string, IValue, std::less<>> results;
  return results;
}

}  // namespace

IValue same_for_all_tensors(const Operator& op) {
  const auto found = known_results().find(op.name());
  return found == known_results().end() ? IValue() : found->second;
}

namespace {

constexpr std::pair<const char*, DeviceType> kDeviceTypes[] = {
    {"prim::is_cpu", DeviceType::Cpu},       {"prim::is_cuda", DeviceType::Cuda},    {"prim::is_meta", DeviceType::Meta},
    {"prim::is_ipu", DeviceType::Ipu},       {"prim::is_maia", DeviceType::Maia},    {"prim::is_mps", DeviceType::Mps},
    {"prim::is_mtia", DeviceType::Mtia},     {"prim::is_xla", DeviceType::Xla},      {"prim::is_xpu", DeviceType::Xpu},
    {"prim::is_vulkan", DeviceType::Vulkan}, {"prim::is_mkldnn", DeviceType::Mkldnn}};

void facts(Registry& r) {
  std::deque<std::string> schemas;  // alive until the registry has copied them
  auto fact = [&](const std::string& schema, EvalFn eval, const char* doc) -> OpBuilder {
    OpBuilder b = r.op(schemas.emplace_back(schema).c_str());
    b.eval(eval).function_only().method_only();
    b.storage_only(StorageOnly::Taken)
        .quantized(Quantized::Taken)
        .gradient(constant("numbers carry no gradient"))
        .onnx(none("numbers become tensors when a graph is exported"))
        .samples(none("test_script_tensor_attributes.py compares them with the getters of Tensor"))
        .doc(doc);
    return b;
  };
  auto attribute = [&](const char* name, const char* type, EvalFn eval, const char* doc) {
    fact(concat(name, "(Tensor a) -> ", type), eval, doc).attribute(name + std::string_view("prim::").size());
  };
  for (const auto& row : kDeviceTypes)
    attribute(
        row.first, "bool",
        [](const Operator& self, const IValue* a, IValue* out) {
          for (const auto& [known, kind] : kDeviceTypes)
            if (known == self.name()) out[0] = a[0].as_tensor().device().type == kind;
        },
        "Whether a tensor is on a device of this kind.");
  const EvalFn no = [](const Operator&, const IValue*, IValue* out) { out[0] = false; };
  for (const char* name : {"prim::is_nested", "prim::is_sparse", "prim::is_sparse_csr"}) {
    attribute(name, "bool", no, "False: all tensors of Monograph are dense.");
    known_results()[name] = false;
  }
  attribute(
      "prim::is_quantized", "bool", [](const Operator&, const IValue* a, IValue* out) { out[0] = is_quantized(a[0].as_tensor().dtype()); },
      "Whether the elements are integers that stand for real numbers.");
  attribute(
      "prim::itemsize", "int", [](const Operator&, const IValue* a, IValue* out) { out[0] = element_size(a[0].as_tensor().dtype()); },
      "The bytes of one element.");
  attribute(
      "prim::nbytes", "int",
      [](const Operator&, const IValue* a, IValue* out) { out[0] = static_cast<int64_t>(a[0].as_tensor().nbytes()); },
      "The bytes of all elements.");
  attribute(
      "prim::layout", "Layout", [](const Operator&, const IValue*, IValue* out) { out[0] = IValue::layout(); },
      "torch.strided: all tensors of Monograph are dense.");
  known_results()["prim::layout"] = IValue::layout();
  r.op("prim::number_of_layout(Layout a) -> int")
      .eval([](const Operator&, const IValue*, IValue* out) { out[0] = int64_t{0}; })
      .function_only()
      .method_only()
      .gradient(constant("numbers carry no gradient"))
      .onnx(none("numbers become tensors when a graph is exported"))
      .samples(none("PyTorch has no such operator: test_script_layouts.py"))
      .doc("PyTorch's number of a layout, as which TorchScript has it.");
  no_torchscript("prim::number_of_layout", "PyTorch has no operator of this name");
  attribute("prim::name", "str?", [](const Operator&, const IValue*, IValue* out) { out[0] = IValue(); }, "None: a tensor has no name.");

  ir::Effects reads;
  reads.reads = ir::Effects::Memory;  // requires_grad_() and backward passes change what they give
  fact(
      "is_leaf(Tensor self) -> bool",
      [](const Operator&, const IValue* a, IValue* out) { out[0] = gradient_facts().is_leaf(a[0].as_tensor()); },
      "Whether a tensor was not computed from tensors that require grad.")
      .effects(reads)
      .attribute("is_leaf");
  fact(
      "retains_grad(Tensor self) -> bool",
      [](const Operator&, const IValue* a, IValue* out) { out[0] = gradient_facts().retains_grad(a[0].as_tensor()); },
      "Whether a tensor that is no leaf keeps its gradient.")
      .effects(reads)
      .attribute("retains_grad");
  fact(
      "prim::grad(Tensor a) -> Tensor?",
      [](const Operator&, const IValue* a, IValue* out) {
        const Tensor grad = gradient_facts().grad(a[0].as_tensor());
        out[0] = grad.defined() ? IValue(grad) : IValue();
      },
      "The gradient that backward passes have added up for a tensor; None where there is none.")
      .effects(reads)
      .attribute("grad");
  fact("requires_grad_(Tensor(a!) self, bool requires_grad=True) -> Tensor(a!)", change_requires_grad,
       "Says whether a tensor requires grad, and returns it.")
      .rule([](RuleCall& c) { c.argument(0); });
  ir::Effects writes;
  writes.reads = writes.writes = ir::Effects::Memory;
  fact(
      "retain_grad(Tensor(a!) self) -> ()",
      [](const Operator&, const IValue* a, IValue*) { gradient_facts().retain_grad(a[0].as_tensor()); },
      "Keeps the gradient of a tensor that is no leaf.")
      .effects(writes);
  fact(
      "detach_(Tensor(a!) self) -> Tensor(a!)",
      [](const Operator&, const IValue* a, IValue* out) {
        gradient_facts().detach(a[0].as_tensor());
        out[0] = a[0];
      },
      "Takes a tensor itself out of the recorded operators, and returns it.")
      .rule([](RuleCall& c) { c.argument(0); })
      .effects(writes);
  fact(
      "stride(Tensor self) -> int[]", [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor().strides(); },
      "The strides of a tensor, in elements.");
  fact(
      "element_size(Tensor self) -> int",
      [](const Operator&, const IValue* a, IValue* out) { out[0] = element_size(a[0].as_tensor().dtype()); }, "The bytes of one element.");
  fact(
      "is_signed(Tensor self) -> bool",
      [](const Operator&, const IValue* a, IValue* out) { out[0] = info(a[0].as_tensor().dtype()).is_signed; },
      "Whether the elements can be negative.");
  fact(
      "is_contiguous(Tensor self) -> bool",
      [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor().is_contiguous(MemoryFormat::Contiguous); },
      "Whether the elements lie in memory one after the other, the last dim first.");
  fact(
      "get_device(Tensor self) -> int",
      [](const Operator&, const IValue* a, IValue* out) { out[0] = int64_t{a[0].as_tensor().device().index}; },
      "The number of a tensor's device; -1 for the processor.");
  fact(
      "is_inference(Tensor self) -> bool", [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor().is_inference(); },
      "Whether a tensor was made in inference mode.");
  fact("is_distributed(Tensor self) -> bool", no, "False: no tensor is spread over processes.");
  fact("is_pinned(Tensor self, Device? device=None) -> bool", no, "False: no memory is pinned.");
}

// The tensors of a list; where one is None, it is undefined.
std::vector<Tensor> tensors_of(const IValue& list) {
  std::vector<Tensor> tensors;
  for (const IValue& item : list.items()) tensors.push_back(item.is_none() ? Tensor() : item.as_tensor());
  return tensors;
}

// The gradients that a backward pass begins with.
std::vector<Tensor> gradients_of_roots(const Operator& op, std::span<const Tensor> roots, const IValue& given) {
  std::vector<Tensor> grads = given.is_none() ? std::vector<Tensor>(roots.size()) : tensors_of(given);
  MONOGRAPH_CHECK(grads.size() == roots.size(), Runtime, op.base_name(), "(): got ", roots.size(), " tensors and ", grads.size(),
                  " gradients");
  return grads;
}

void run_backward(const Operator& op, std::span<const Tensor> roots, const IValue& given, const IValue& retain, const IValue& create) {
  const std::vector<Tensor> grads = gradients_of_roots(op, roots, given);
  const bool create_graph = create.to_bool();
  gradient_facts().backward(roots, grads, retain.is_none() ? create_graph : retain.to_bool(), create_graph);
}

// Backward passes in a program: x.backward(), torch.autograd.backward and torch.autograd.grad. They read and write what tensors say of their gradients.
void passes(Registry& r) {
  ir::Effects effects;
  effects.reads = effects.writes = ir::Effects::Memory;
  auto pass = [&](const char* schema, EvalFn eval, const char* doc) {
    OpBuilder b = r.op(schema);
    b.eval(eval).function_only().method_only();
    b.gradient(constant("its results have the history that create_graph gives them"))
        .onnx(none("a file has no backward pass"))
        .samples(none("test_script_backward.py compares them with the functions of torch.autograd"))
        .effects(raising(effects))
        .doc(doc);
  };
  pass(
      "backward(Tensor self, Tensor? gradient=None, bool? retain_graph=None, bool create_graph=False) -> ()",
      [](const Operator& op, const IValue* a, IValue*) {
        const Tensor roots[] = {a[0].as_tensor()};
        run_backward(op, roots, a[1].is_none() ? IValue() : IValue::list({a[1]}), a[2], a[3]);
      },
      "Adds the gradients of a tensor to .grad of the leaves that it was computed from.");
  pass(
      "backward.TensorList(Tensor[] tensors, Tensor?[]? grad_tensors=None, bool? retain_graph=None, bool create_graph=False) -> ()",
      [](const Operator& op, const IValue* a, IValue*) { run_backward(op, tensors_of(a[0]), a[1], a[2], a[3]); },
      "Adds the gradients of tensors to .grad of the leaves that they were computed from.");
  pass(
      "grad(Tensor[] outputs, Tensor[] inputs, Tensor?[]? grad_outputs=None, bool? retain_graph=None, bool create_graph=False, "
      "bool allow_unused=False) -> Tensor?[]",
      [](const Operator& op, const IValue* a, IValue* out) {
        const std::vector<Tensor> roots = tensors_of(a[0]), inputs = tensors_of(a[1]), grads = gradients_of_roots(op, roots, a[2]);
        const bool create_graph = a[4].to_bool(), retain_graph = a[3].is_none() ? create_graph : a[3].to_bool();
        std::vector<IValue> found;
        for (const Tensor& g : gradient_facts().gradients(roots, grads, inputs, retain_graph, create_graph, a[5].to_bool()))
          found.push_back(g.defined() ? IValue(g) : IValue());
        out[0] = IValue::list(std::move(found));
      },
      "The gradients of tensors, each of which is None where the outputs do not depend on it and allow_unused is True.");
}

// x with its last two dims swapped. Error if it has one dim, or more dims than `attribute` takes.
Tensor swapped(const Tensor& x, const char* attribute, bool batched) {
  if (x.dim() == 0) return "alias"_op(x);
  MONOGRAPH_CHECK(batched ? x.dim() >= 2 : x.dim() == 2, Runtime, "tensor.", attribute, " is only supported on matrices",
                  batched ? " or batches of matrices" : " (2-D tensors)", ". Got ", x.dim(), "-D tensor.",
                  batched || x.dim() == 1 ? "" : " For batches of matrices, consider using tensor.mH");
  return "transpose"_op(x, -2, -1);
}

void transposes(Registry& r) {
  auto transposed = [&](const char* schema, DecomposeFn decompose, const char* doc) -> OpBuilder {
    OpBuilder b = r.op(schema);
    b.decompose(decompose, Reads::Symbols).function_only().method_only();
    b.onnx(none("decomposes to transpose"))
        .doc(doc)
        .samples(none("test_script_tensor_attributes.py compares them with the getters of Tensor"));
    return b;
  };
  transposed(
      "mT(Tensor(a) self) -> Tensor(a)", [](const IValue* a) -> IValue { return swapped(a[0].as_tensor(), "mT", true); },
      "A view with the last two dims swapped: x.mT.")
      .spelled({"mT.a(Tensor(a) self) -> Tensor(a)"})
      .attribute("mT");
  transposed(
      "mH(Tensor(a) self) -> Tensor(a)", [](const IValue* a) -> IValue { return "conj"_op(swapped(a[0].as_tensor(), "mH", true)); },
      "The complex conjugate, with the last two dims swapped: x.mH.")
      .spelled({"mH.a(Tensor(a) self) -> Tensor(a)"})
      .attribute("mH");
  transposed(
      "adjoint(Tensor(a) self) -> Tensor(a)",
      [](const IValue* a) -> IValue { return "conj"_op(swapped(a[0].as_tensor(), "adjoint()", true)); },
      "The complex conjugate, with the last two dims swapped: x.mH.");
  transposed(
      "matrix_H(Tensor(a) self) -> Tensor(a)", [](const IValue* a) -> IValue { return "conj"_op(swapped(a[0].as_tensor(), "H", false)); },
      "The complex conjugate of a matrix, with its dims swapped: x.H.")
      .attribute("H");
}

// What programs of TorchScript call by a name of its own.
void conversions(Registry& r) {
  auto op = [&](const char* schema, DecomposeFn decompose, const char* doc) -> OpBuilder {
    OpBuilder b = r.op(schema);
    b.decompose(decompose).function_only().method_only();
    b.onnx(none("decomposes to another operator")).samples(none("test_overloads_like_pytorch.py compares it")).doc(doc);
    return b;
  };
  op(
      "data(Tensor self) -> Tensor", [](const IValue* a) -> IValue { return "detach"_op(a[0]); },
      "The same tensor, outside of gradients: x.data.")
      .shares_memory("self");
  op(
      "as_tensor(Tensor(a) data, *, ScalarType? dtype=None, Device? device=None) -> Tensor(a|b)",
      [](const IValue* a) -> IValue { return "to"_op(a[0], a[2], a[1]); }, "Converted to a dtype and device; itself where nothing changes.")
      .may_return("data");
  op(
      "cpu(Tensor(a) self) -> Tensor(a|b)", [](const IValue* a) -> IValue { return "to"_op(a[0], Device(), IValue()); },
      "Moved to the processor.")
      .may_return("self");
  op(
      "cuda(Tensor(a) self) -> Tensor(a|b)",
      [](const IValue* a) -> IValue { return "to"_op(a[0], with_fallback(device_named("cuda")), IValue()); }, "Moved to an accelerator.")
      .may_return("self");
}

}  // namespace

void properties(Registry& r) {
  facts(r);
  passes(r);
  transposes(r);
  conversions(r);
}

}  // namespace monograph
