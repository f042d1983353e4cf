// Shared by the families that have factories (zeros, empty_like, rand): the last arguments of their schemas, the rule of NAME_like, and checks.
#pragma once

#include <optional>
#include <string_view>

#include "ops/layouts.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {

// The last four of a factory's arguments.
inline constexpr std::string_view kFactoryArguments =
    ", *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor";

// The same without the end of the schema.
inline constexpr std::string_view kFactoryOptions = kFactoryArguments.substr(0, kFactoryArguments.find(") -> Tensor"));

// Adds a record like empty_like. `head` is the schema up to its keyword arguments. The record has like_rule, and no gradient.
OpBuilder add_like(Registry& r, std::string_view head);
// The shape rule of NAME_like: the first argument's sizes and strides, and its dtype and device unless the call names others.
void like_rule(RuleCall& c);

// The dtype of linspace and logspace where none is given: complex if an end is. Checks their first three arguments (start, end, steps).
DType dtype_between(const RuleCall& c);
// Checks a range of real numbers from a to b with step s.
void check_range(const RuleCall& c, double a, double b, double s);

// Checks that dropout can scale elements of this dtype.
void check_dropped(std::optional<DType> t);

}  // namespace monograph
