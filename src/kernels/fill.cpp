// The results are new, contiguous tensors, so these kernels are loops over their memory.
#include "kernels/fill.h"

#include <cmath>
#include <complex>
#include <type_traits>

#include "kernels/elements.h"
#include "kernels/number.h"
#include "kernels/storage_only.h"

namespace monograph {
namespace {

KernelStatus fill_with(KernelCall& call, const KernelArg& number) {
  const KernelTensor& out = call.results[0];
  if (is_storage_only(out.dtype)) {
    uint64_t value = 0;
    write_element(out.dtype, number, reinterpret_cast<char*>(&value));
    fill_elements(out, &value);
    return KernelStatus::Ok;
  }
  dispatch(out.dtype, [&](auto zero) {
    const auto value = number_as<decltype(zero)>(number);
    fill_elements(out, &value);
  });
  return KernelStatus::Ok;
}

KernelArg number(int64_t value) {
  KernelArg a;
  a.kind = KernelArg::Kind::Int, a.integer = value;
  return a;
}

// A number as the dtype T has it: of 16 bits, the result of each operation is rounded.
template <class T, class Wide>
Wide rounded(Wide value) {
  if constexpr (is_half<T>) return static_cast<Wide>(static_cast<T>(value));
  else return value;
}

// value + step * count. Wider than 16 bits it is rounded once, on every instruction set: PyTorch's linspace has these bits.
template <class T, class Wide>
Wide moved(Wide value, Wide step, int64_t count) {
  const Wide times = rounded<T>(static_cast<Wide>(count));
  if constexpr (is_half<T>) return value + rounded<T>(step * times);
  else return std::fma(step, times, value);
}

// `n` numbers from `first` to `last`, each counted from the nearer end, so that both ends are exact; `stride` elements apart.
template <class T, class Wide>
void even_steps(T* to, int64_t stride, int64_t n, Wide first, Wide last) {
  const Wide step = n > 1 ? rounded<T>(rounded<T>(last - first) / rounded<T>(static_cast<Wide>(n - 1))) : Wide(0);
  for (int64_t i = 0; i < n; ++i) {
    const bool near_first = n == 1 || i < n / 2;
    to[i * stride] = static_cast<T>(near_first ? moved<T>(first, step, i) : moved<T>(last, -step, n - i - 1));
  }
}

// start + step * i for all i, as PyTorch computes it: pairs of vectors of 32 bytes begin at a number that is rounded to the dtype, and what is left of the last
// pair is counted from `start`.
template <class T>
void real_range(const KernelTensor& out, double start_, double step_) {
  using Wide = std::conditional_t<is_half<T>, float, double>;
  const Wide start = static_cast<Wide>(start_), step = static_cast<Wide>(step_);
  const int64_t n = out.sizes[0], lanes = 32 / static_cast<int64_t>(sizeof(T)), in_vectors = n - n % (2 * lanes);
  T* to = out.as<T>();
  const auto at = [step](Wide from, int64_t i) { return std::fma(step, static_cast<Wide>(i), from); };
  for (int64_t i = 0; i < in_vectors; i += lanes) {
    const Wide first = static_cast<Wide>(static_cast<T>(at(start, i)));
    for (int64_t k = 0; k < lanes; ++k) to[i + k] = static_cast<T>(at(first, k));
  }
  for (int64_t i = in_vectors; i < n; ++i) to[i] = static_cast<T>(at(start, i));
}

KernelStatus arange(const KernelTensor& out, const KernelArg& start, const KernelArg& step) {
  dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const int64_t a = integer_of(start), s = integer_of(step);
      for (int64_t i = 0; i < out.sizes[0]; ++i) out.as<T>()[i] = static_cast<T>(a + i * s);
    } else if constexpr (std::is_floating_point_v<T> || is_half<T>) {
      real_range<T>(out, real_of(start), real_of(step));
    }
  });
  return KernelStatus::Ok;
}

// A double as an integer of `bits` bits at least, as x86's instructions convert it, which PyTorch's logspace has: a narrower one keeps the low bits.
int64_t truncated(double value, int bits) {
  const double limit = bits == 64 ? 0x1p63 : 0x1p31;
  const bool fits = value < limit && value > -limit - (bits == 64 ? 0 : 1);
  return fits ? static_cast<int64_t>(value) : static_cast<int64_t>(-limit);
}
void write_number(DType t, char* to, double value) {
  dispatch(t, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) *reinterpret_cast<T*>(to) = static_cast<T>(truncated(value, sizeof(T) == 8 ? 64 : 32));
    else if constexpr (is_half<T>) *reinterpret_cast<T*>(to) = static_cast<T>(static_cast<float>(value));
    else if constexpr (std::is_floating_point_v<T>) *reinterpret_cast<T*>(to) = static_cast<T>(value);
  });
}

// The ends of a line of exponents, and its length in the type that C has for it: small integers do not overflow, others wrap around.
struct Exponents {
  double first, last, length;
};
template <class T>
Exponents line_between(const KernelArg& start, const KernelArg& end) {
  const T first = number_as<T>(start), last = number_as<T>(end);
  if constexpr (std::is_integral_v<T>) {
    using Int = decltype(last - first);
    using Bits = std::make_unsigned_t<Int>;
    return {static_cast<double>(first), static_cast<double>(last),
            static_cast<double>(static_cast<Int>(static_cast<Bits>(last) - static_cast<Bits>(first)))};
  } else if constexpr (is_half<T>) {
    const auto a = static_cast<float>(first), b = static_cast<float>(last);
    return {a, b, static_cast<float>(static_cast<T>(b - a))};
  } else {
    return {first, last, last - first};
  }
}

// Powers of `base`. The exponents are counted from the nearer end, in float64, without fma. `pow` is the C library's.
void powers(const KernelTensor& out, double base, const Exponents& line) {
  const int64_t n = out.sizes[0], bytes = element_size(out.dtype);
  const double step = line.length / static_cast<double>(n - 1);
  for (int64_t i = 0; i < n; ++i) {
    const double exponent = i < n / 2 ? line.first + step * static_cast<double>(i) : line.last - step * static_cast<double>(n - i - 1);
    write_number(out.dtype, out.data + i * bytes, std::pow(base, exponent));
  }
}
// The same in complex numbers, whose quotient is a product with a reciprocal. Also of real exponents, since the C library's complex pow rounds otherwise.
template <class Part>
void complex_powers(const KernelTensor& out, double base, const KernelArg& start, const KernelArg& end) {
  using T = std::complex<Part>;
  const int64_t n = out.sizes[0];
  const T first = number_as<T>(start), last = number_as<T>(end);
  const T step = (last - first) * (Part(1) / static_cast<Part>(n - 1));
  for (int64_t i = 0; i < n; ++i) {
    const T exponent = i < n / 2 ? first + step * static_cast<Part>(i) : last - step * static_cast<Part>(n - i - 1);
    out.as<T>()[i] = std::pow(T(static_cast<Part>(base)), exponent);
  }
}

}  // namespace

KernelStatus zeros_kernel(KernelCall& call) { return fill_with(call, number(0)); }
KernelStatus ones_kernel(KernelCall& call) { return fill_with(call, number(1)); }
KernelStatus full_kernel(KernelCall& call) { return fill_with(call, call.args[1]); }
KernelStatus scalar_tensor_kernel(KernelCall& call) { return fill_with(call, call.args[0]); }

KernelStatus eye_kernel(KernelCall& call) {
  fill_with(call, number(0));
  const KernelTensor& out = call.results[0];
  const int64_t step = out.strides[0] + out.strides[1];
  dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < std::min(out.sizes[0], out.sizes[1]); ++i) out.as<T>()[i * step] = number_as<T>(number(1));
  });
  return KernelStatus::Ok;
}

KernelStatus arange_end_kernel(KernelCall& call) { return arange(call.results[0], number(0), number(1)); }
KernelStatus arange_start_kernel(KernelCall& call) { return arange(call.results[0], call.args[0], number(1)); }
KernelStatus arange_step_kernel(KernelCall& call) { return arange(call.results[0], call.args[0], call.args[2]); }

KernelStatus linspace_kernel(KernelCall& call) {
  const KernelTensor& out = call.results[0];
  const int64_t n = out.sizes[0];
  dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
      using Part = typename T::value_type;
      const T first = number_as<T>(call.args[0]), last = number_as<T>(call.args[1]);
      Part* parts = reinterpret_cast<Part*>(out.as<T>());
      even_steps<Part>(parts, 2, n, first.real(), last.real());
      even_steps<Part>(parts + 1, 2, n, first.imag(), last.imag());
    } else if constexpr (!std::is_same_v<T, bool>) {
      using Wide = std::conditional_t<std::is_same_v<T, double> || std::is_integral_v<T>, double, float>;
      // The ends are of the dtype, between integers too.
      auto end = [](const KernelArg& a) {
        if constexpr (std::is_integral_v<T>) return static_cast<Wide>(number_as<T>(a));
        else return rounded<T>(static_cast<Wide>(real_of(a)));
      };
      even_steps<T>(out.as<T>(), 1, n, end(call.args[0]), end(call.args[1]));
    }
  });
  return KernelStatus::Ok;
}

KernelStatus logspace_kernel(KernelCall& call) {
  const KernelTensor& out = call.results[0];
  const double base = real_of(call.args[3]);
  dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) return;
    else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
      // One power is computed in float64, from the exponent that is not rounded.
      if (out.sizes[0] == 1) out.as<T>()[0] = T(std::pow(base, std::complex<double>(real_of(call.args[0]))));
      else complex_powers<typename T::value_type>(out, base, call.args[0], call.args[1]);
    } else {
      if (out.sizes[0] == 1) write_number(out.dtype, out.data, std::pow(base, real_of(call.args[0])));
      else powers(out, base, line_between<T>(call.args[0], call.args[1]));
    }
  });
  return KernelStatus::Ok;
}

KernelStatus clone_kernel(KernelCall& call) {
  copy_elements(call.results[0], call.args[0].tensor);
  return KernelStatus::Ok;
}

}  // namespace monograph
