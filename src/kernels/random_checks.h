// Checks of the dtype and the numeric arguments of random fills (kernels/random.h). Each raises Error, whose message names the operator `op`, if an
// argument is not valid.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/dtype.h"

namespace monograph {

void check_random_dims(std::string_view op, int64_t dims);
void check_uniform(std::string_view op, DType dtype, double from, double to);
void check_normal(std::string_view op, DType dtype, double std);
void check_random(std::string_view op, DType dtype);
void check_random(std::string_view op, DType dtype, int64_t from, std::optional<int64_t> to);
void check_bernoulli(std::string_view op, DType dtype, double p);
void check_bernoulli(std::string_view op, DType dtype, DType probabilities);
void check_exponential(std::string_view op, DType dtype, double lambda);
void check_randperm(std::string_view op, DType dtype, int64_t n);
void check_multinomial(std::string_view op, DType weights, int64_t count, int64_t samples, bool replacement);

}  // namespace monograph
