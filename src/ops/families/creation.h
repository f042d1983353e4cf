// What several families of factories (`zeros`, `empty_like`, `rand`) share: the end of their schemas, and the rule of NAME_like.
#pragma once

#include <string_view>

#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {

// The last four of a factory's arguments.
inline constexpr std::string_view kFactoryArguments =
    ", *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor";

// A record like empty_like: `head` is the schema up to its keywords. It has the rule below, and no gradient.
OpBuilder add_like(Registry& r, std::string_view head);
// A result of the first argument's sizes and layout, and of its dtype and device where the call names none.
void like_rule(RuleCall& c);

// What linspace and logspace say of their ends and steps, the first three arguments.
void check_steps(const RuleCall& c);
// What is said of real numbers from a to b in steps of s.
void check_range(const RuleCall& c, double a, double b, double s);

}  // namespace monograph
