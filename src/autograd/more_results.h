// What PyTorch's operators give and keep beside the results of the operators here: the statistics of norms, the indices of a pool.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ops/record.h"

namespace monograph {

bool has_more_results(const Operator& op, std::string_view name);
// Computes such a result of a call, without history.
IValue more_result(const Operator& op, std::span<const IValue> args, std::string_view name);
// A number or list that PyTorch's formula has where the operator here has no argument: the alpha of selu, which is elu.
std::optional<IValue> constant_of_formula(const Operator& op, std::span<const IValue> args, std::string_view name);

}  // namespace monograph
