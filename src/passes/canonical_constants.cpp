// Constant tensors and sizes of attributes in a canonical form.
#include "passes/canonical_constants.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "core/error.h"
#include "ir/unit.h"
#include "ir/walk.h"
#include "ops/dispatch.h"
#include "ops/registry.h"
#include "passes/canonical_calls.h"

namespace monograph::passes {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Graph;
using ir::Node;
using ir::TypeKind;

constexpr int64_t kMostElements = 1024;  // of a tensor that is computed, or computed from

// A tensor with the elements of a constant; nothing where they are many, or where only their hash is known.
std::optional<Tensor> tensor_of(const ir::TensorConstant& constant) {
  const std::span<const std::byte> bytes = constant.bytes();
  if (constant.numel() > kMostElements || (bytes.empty() && constant.numel()) || is_quantized(constant.dtype())) return std::nullopt;
  Tensor t = empty(constant.sizes(), constant.dtype());
  if (!bytes.empty()) std::memcpy(t.data(), bytes.data(), bytes.size());
  return t;
}

std::optional<IValue> value_of(ArgRef a, std::vector<DType>& dtypes) {
  switch (a.kind()) {
    case ArgKind::None:
    case ArgKind::Bool:
    case ArgKind::Int:
    case ArgKind::Float:
    case ArgKind::Str: return scalar_literal(a);
    case ArgKind::Tensor: {
      std::optional<Tensor> t = tensor_of(a.as_tensor());
      if (!t) return std::nullopt;
      dtypes.push_back(t->dtype());
      return IValue(std::move(*t));
    }
    case ArgKind::List: {
      std::vector<IValue> items;
      for (ArgRef part : a) {
        std::optional<IValue> item = value_of(part, dtypes);
        if (!item) return std::nullopt;
        items.push_back(std::move(*item));
      }
      if (items.empty() || !std::ranges::all_of(items, [](const IValue& v) { return v.is_int(); })) return IValue::list(std::move(items));
      Dims dims;
      for (const IValue& v : items) dims.push_back(v.to_int());
      return IValue(dims);
    }
    default: return std::nullopt;
  }
}

// The result of the call, row-major. Its dtype is that of an argument or bool: another one may depend on the default dtype of the process.
std::optional<Tensor> computed(const Node* n) {
  const auto* op = dynamic_cast<const Operator*>(n->info());
  if (!op || n->multi() || n->is_projection() || op->results() != 1 || op->schema().is_vararg()) return std::nullopt;
  if (!op->effects().deterministic() || n->arg_count() != op->schema().arguments().size()) return std::nullopt;
  if (!op->schema().returns()[0].type.is(TypeKind::Tensor)) return std::nullopt;
  std::vector<IValue> values;
  std::vector<DType> dtypes;
  for (auto it = n->args_begin(); it != n->args_end(); ++it) {
    std::optional<IValue> v = value_of(*it, dtypes);
    if (!v) return std::nullopt;
    values.push_back(std::move(*v));
  }
  if (dtypes.empty()) return std::nullopt;
  IValue out;
  try {
    call(*op, values.data(), &out);
  } catch (const Error&) {
    return std::nullopt;  // it raises when the graph runs
  }
  if (!out.is_tensor() || out.as_tensor()->kind != TensorImpl::Kind::Dense || out.as_tensor().numel() > kMostElements) return std::nullopt;
  const DType dtype = out.as_tensor().dtype();
  if (is_quantized(dtype) || (dtype != DType::b1 && std::ranges::find(dtypes, dtype) == dtypes.end())) return std::nullopt;
  const IValue args[] = {out, MemoryFormat::Contiguous};
  call(find_operator("aten::clone"), args, &out);
  return out.to_tensor();
}

}  // namespace

bool fold_tensors(Graph& g, Node* n) {
  if (!n->has_uses() || n->input_count() || !n->info() || is_call_of(n, "prim::Constant")) return false;
  const std::optional<Tensor> t = computed(n);
  if (!t) return false;
  Args value;
  value.name("value");
  value.add(ir::make_tensor_constant(t->dtype(), t->sizes(), {reinterpret_cast<const std::byte*>(t->data()), t->nbytes()}));
  g.insert_before(n);
  g.replace_all_uses(n, g.call("prim::Constant", value));
  g.erase(n);
  return true;
}

bool fold_size(Graph& g, Node* n) {
  if (!is_call_of(n, "aten::sym_size.int") || !n->has_uses() || n->arg_count() != 2 || !n->arg(1).is(ArgKind::Int)) return false;
  const Node* of = n->arg(0).node();
  const ir::Module* root = of && of->op() == ir::Op::GetAttr && g.unit() ? g.unit()->root() : nullptr;
  int attribute = -1;
  const ir::Module* owner = root ? root->find(of->target().name(), attribute) : nullptr;
  if (!owner || attribute < 0) return false;
  const ir::Type type = owner->type().attributes[static_cast<size_t>(attribute)].type;
  if (!type.is(TypeKind::Tensor) || !type.tensor().sizes) return false;
  const auto& sizes = *type.tensor().sizes;
  const int64_t dim = n->arg(1).as_int() < 0 ? n->arg(1).as_int() + static_cast<int64_t>(sizes.size()) : n->arg(1).as_int();
  if (dim < 0 || dim >= static_cast<int64_t>(sizes.size()) || !sizes[static_cast<size_t>(dim)] ||
      !sizes[static_cast<size_t>(dim)]->is_int())
    return false;
  Args value;
  value.name("value");
  value.add(sizes[static_cast<size_t>(dim)]->as_int());
  g.insert_before(n);
  g.replace_all_uses(n, g.call("prim::Constant", value));
  g.erase(n);
  return true;
}

}  // namespace monograph::passes
