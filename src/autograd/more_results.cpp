#include "autograd/more_results.h"

#include <algorithm>
#include <variant>

#include "ops/dispatch.h"

namespace monograph {
namespace {

// An operator that gives the result, with the same first arguments.
struct Larger {
  std::string_view base, name, op;
  size_t result;
};
constexpr Larger kLarger[] = {
    {"layer_norm", "result1", "aten::native_layer_norm", 1},
    {"layer_norm", "result2", "aten::native_layer_norm", 2},
    {"max_pool2d", "result1", "aten::max_pool2d_with_indices", 1},
    {"max_pool3d", "result1", "aten::max_pool3d_with_indices", 1},
};
const Larger* larger(std::string_view base, std::string_view name) {
  for (const Larger& line : kLarger)
    if (line.base == base && line.name == name) return &line;
  return nullptr;
}

// Mean, or one divided by the root of the variance, over the last dim.
Tensor statistic(const Tensor& rows, const IValue& eps, bool mean) {
  if (mean) return "mean"_op(rows, Dims{-1}, false);
  return "rsqrt"_op("add"_op("var"_op(rows, Dims{-1}, false, false), eps));
}

Tensor of_batch_norm(std::span<const IValue> args, bool mean) {
  const Tensor& x = args[0].as_tensor();
  if (!args[5].to_bool()) return empty({0}, x.dtype());
  return statistic("reshape"_op("transpose"_op(x, 0, 1), Dims{x.sizes()[1], -1}), args[7], mean);
}

Tensor of_group_norm(std::span<const IValue> args, bool mean) {
  return statistic("reshape"_op(args[0], Dims{args[0].as_tensor().sizes()[0], args[1].to_int(), -1}), args[4], mean);
}

// The sum of the weights of the targets that count.
Tensor total_weight(std::span<const IValue> args) {
  const Tensor &x = args[0].as_tensor(), &target = args[1].as_tensor();
  if (args[3].to_int() == 0) return "zeros"_op(Dims{}, x.dtype());
  const Tensor counts = "ne"_op(target, args[4]);
  if (!args[2].is_tensor()) return "to"_op("sum"_op(counts), x.dtype());
  const Tensor weights = "index_select"_op(args[2], 0, "reshape"_op("masked_fill"_op(target, "logical_not"_op(counts), 0), Dims{-1}));
  return "sum"_op("mul"_op(weights, "reshape"_op(counts, Dims{-1})));
}

// What PyTorch's formula has as a number where the call has none.
struct NodeConstant {
  std::string_view base, name;
  std::variant<int, double> value;
};
constexpr NodeConstant kNodeConstants[] = {
#include "autograd/node_constants.inc"
};

}  // namespace

bool has_more_results(const Operator& op, std::string_view name) {
  const std::string_view base = op.base_name();
  if (larger(base, name)) return true;
  if (base == "batch_norm" || base == "group_norm") return name == "result1" || name == "result2";
  return (base == "nll_loss" || base == "nll_loss_nd" || base == "nll_loss2d") ? name == "total_weight"
                                                                               : base == "log_sigmoid" && name == "buffer";
}

IValue more_result(const Operator& op, std::span<const IValue> args, std::string_view name) {
  const std::string_view base = op.base_name();
  if (base == "batch_norm") return of_batch_norm(args, name == "result1");
  if (base == "group_norm") return of_group_norm(args, name == "result1");
  if (base == "log_sigmoid") return "exp"_op("neg"_op("abs"_op(args[0])));
  if (name == "total_weight") return total_weight(args);
  const Larger* line = larger(base, name);
  const Operator& more = find_operator(line->op);
  std::vector<IValue> given(more.schema().arguments().size()), results(more.schema().returns().size());
  for (size_t i = 0; i < given.size(); ++i) {
    const auto& argument = more.schema().arguments()[i];
    const int same = op.schema().index_of(argument.name);
    if (same >= 0) given[i] = args[static_cast<size_t>(same)];
    else if (argument.name == "check_errors") given[i] = false;
  }
  run(more, given.data(), results.data());
  return results[line->result];
}

std::optional<IValue> constant_of_formula(const Operator& op, std::span<const IValue> args, std::string_view name) {
  const std::string_view base = op.base_name();
  for (const NodeConstant& c : kNodeConstants)
    if (c.base == base && c.name == name) return std::visit([](auto v) { return IValue(v); }, c.value);
  if ((base == "std" || base == "var" || base == "std_mean" || base == "var_mean") && name == "correction") {
    const int unbiased = op.schema().index_of("unbiased");
    return unbiased < 0 || args[static_cast<size_t>(unbiased)].to_bool() ? 1 : 0;
  }
  if ((base == "numpy_T" || base == "t" || base == "transpose") && name == "dims") {  // of a matrix
    Dims dims;
    for (int64_t d = static_cast<int64_t>(args[0].as_tensor().dim()); d-- > 0;) dims.push_back(d);
    return dims;
  }
  if (base != "group_norm") return {};
  const Dims& sizes = args[0].as_tensor().sizes();
  if (name == "N") return sizes[0];
  if (name == "C") return sizes[1];
  if (name == "group") return args[1];
  if (name == "HxW") return args[0].as_tensor().numel() / std::max<int64_t>(sizes[0] * sizes[1], 1);
  return {};
}

}  // namespace monograph
