// Adds up the costs of all nodes of a graph, also those in blocks. An operator's record states its multiply-adds.
#include "cli/cost.h"

#include "ops/record.h"

namespace monograph::cli {
namespace {

using SizeLookup = std::function<std::optional<int64_t>(const Symbol&)>;

std::optional<std::vector<double>> sizes_of(ir::Type type, const SizeLookup& size) {
  if (!type.is(ir::TypeKind::Tensor) || !type.tensor().sizes) return {};
  std::vector<double> out;
  for (const auto& d : *type.tensor().sizes) {
    if (!d) return {};
    bool known = true;
    const int64_t n = d->evaluate([&](const Symbol& s) -> int64_t {
      const std::optional<int64_t> value = size(s);
      known = known && value;
      return value.value_or(1);
    });
    if (!known) return {};
    out.push_back(static_cast<double>(n));
  }
  return out;
}
double count(const std::vector<double>& sizes) {
  double n = 1;
  for (double d : sizes) n *= d;
  return n;
}
double element_bytes(ir::Type type) {
  return static_cast<double>(type.is(ir::TypeKind::Tensor) && type.tensor().dtype ? element_size(*type.tensor().dtype) : 4);
}

// How many multiply-adds the operator needs for each element of its result; nullopt if it is no product or convolution.
std::optional<double> contraction(const ir::Node& n, const Operator& op, const SizeLookup& size) {
  if (op.contraction.argument < 0) return {};
  const auto k = static_cast<size_t>(op.contraction.argument);
  if (n.input_count() <= k) return {};
  const auto sizes = sizes_of(n.input(k)->type(), size);
  if (!sizes || sizes->empty()) return {};
  if (op.contraction.terms == Contraction::Terms::LastDim) return sizes->back();
  return sizes->front() > 0 ? std::optional(count(*sizes) / sizes->front()) : std::nullopt;
}

}  // namespace

Cost estimate(const ir::Graph& graph, const SizeLookup& size) {
  Cost cost;
  for (const ir::Node* n : ir::NestedNodes(graph)) {
    cost.loops = cost.loops || n->is_loop();
    if (n->op() != ir::Op::CallFunction || n->is_projection() || n->structure() != ir::Structure::None) continue;
    auto* op = dynamic_cast<const Operator*>(n->info());
    if (op && op->is_view) continue;
    double elements = 0, read = 0, bytes = 0;
    bool known = op != nullptr;
    for (size_t k = 0; k < n->result_count(); ++k) {
      const ir::Type t = n->result_type(k);
      if (!t.is(ir::TypeKind::Tensor)) continue;
      const auto sizes = sizes_of(t, size);
      known = known && sizes;
      if (sizes) elements += count(*sizes), bytes += count(*sizes) * element_bytes(t);
    }
    for (size_t k = 0; k < n->input_count(); ++k) {
      const ir::Type t = n->input(k)->type();
      if (!t.is(ir::TypeKind::Tensor)) continue;
      const auto sizes = sizes_of(t, size);
      known = known && sizes;
      if (sizes) read = std::max(read, count(*sizes)), bytes += count(*sizes) * element_bytes(t);
    }
    if (!known) {
      ++cost.unknown;
      continue;
    }
    cost.bytes += bytes;
    const auto length = contraction(*n, *op, size);
    if (length) cost.products += 2 * elements * *length;
    cost.operations += length ? 2 * elements * *length : std::max(elements, op->rows ? read : 0);
  }
  return cost;
}

}  // namespace monograph::cli
