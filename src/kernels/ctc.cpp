// One thread computes a sequence. The forward pass stores log_alpha of all time steps, which the gradient reads; the backward pass keeps two time steps.
#include "kernels/ctc.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/threads/pool.h"

namespace monograph {
namespace {

struct Sequence {
  const KernelTensor& targets;
  int64_t first, step, labels, times, blank;
  int64_t places() const { return 2 * labels + 1; }
  // The class at a position of the labels with blanks around them.
  int64_t operator[](int64_t place) const { return place % 2 == 0 ? blank : label(place / 2); }
  int64_t label(int64_t i) const {
    const int64_t at = first + i * step;
    return targets.dtype == DType::i32 ? targets.as<int32_t>()[at] : targets.as<int64_t>()[at];
  }
};

// Entry b of the lengths, which are a list or a vector.
int64_t length(const KernelArg& lengths, int64_t b) {
  if (lengths.kind == KernelArg::Kind::Ints) return lengths.ints.values[b];
  return lengths.tensor.as<int64_t>()[b * lengths.tensor.strides[0]];
}

// Sequence b of a call whose arguments from `args` on are targets, input_lengths, target_lengths.
Sequence sequence_of(const KernelArg* args, int64_t b, int64_t blank) {
  const KernelTensor& targets = args[0].tensor;
  int64_t first = 0;
  if (targets.dim == 2) first = b * targets.strides[0];
  else
    for (int64_t k = 0; k < b; ++k) first += length(args[2], k) * targets.strides[0];
  return {targets, first, targets.strides[targets.dim - 1], length(args[2], b), length(args[1], b), blank};
}

template <class T>
constexpr T kNever = -std::numeric_limits<T>::infinity();  // the logarithm of probability 0

template <class T>
T finite_largest(T a, T b, T c) {
  const T most = std::max(a, std::max(b, c));
  return most == kNever<T> ? T(0) : most;
}
template <class T>
T log_sum(T a, T b, T c) {
  const T most = finite_largest(a, b, c);
  return std::log(std::exp(a - most) + std::exp(b - most) + std::exp(c - most)) + most;
}
template <class T>
T log_sum(T a, T b) {
  const T most = finite_largest(a, b, b);
  return std::log(std::exp(a - most) + std::exp(b - most)) + most;
}

// The log_probs of one sequence.
template <class T>
struct LogProbabilities {
  const T* first;
  int64_t time, kind;
  LogProbabilities(const KernelTensor& t, int64_t b) : first(t.as<T>() + b * t.strides[1]), time(t.strides[0]), kind(t.strides[2]) {}
  T operator()(int64_t t, int64_t c) const { return first[t * time + c * kind]; }
};

// Fills `alpha` [times, width]; returns the loss.
template <class T>
T walk_forward(const Sequence& s, const LogProbabilities<T>& p, T* alpha, int64_t width, int64_t rows) {
  std::fill(alpha, alpha + rows * width, kNever<T>);
  if (s.times == 0) return s.labels == 0 ? T(0) : -kNever<T>;
  alpha[0] = p(0, s.blank);
  if (s.labels > 0) alpha[1] = p(0, s[1]);
  for (int64_t t = 1; t < s.times; ++t) {
    const T* before = alpha + (t - 1) * width;
    for (int64_t k = 0; k < s.places(); ++k) {
      const T one = k > 0 ? before[k - 1] : kNever<T>;
      const T two = k > 1 && s[k - 2] != s[k] ? before[k - 2] : kNever<T>;  // the blank between two different labels may be skipped
      alpha[t * width + k] = log_sum(before[k], one, two) + p(t, s[k]);
    }
  }
  const T* last = alpha + (s.times - 1) * width;
  if (s.labels == 0) return -last[0];
  return -log_sum(last[2 * s.labels], last[2 * s.labels - 1]);
}

template <class T>
void forward(const KernelCall& call) {
  const KernelTensor &probabilities = call.args[0].tensor, &losses = call.results[0], &alpha = call.results[1];
  const int64_t rows = alpha.sizes[1], width = alpha.sizes[2];
  parallel_for(0, probabilities.sizes[1], 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      losses.as<T>()[b] = walk_forward(sequence_of(call.args + 1, b, call.args[4].integer), LogProbabilities<T>(probabilities, b),
                                       alpha.as<T>() + b * rows * width, width, rows);
  });
}

// The gradient of one sequence. First it holds, for each class and time step, the log of the summed probability of all positions with that class.
template <class T>
void walk_backward(const Sequence& s, const LogProbabilities<T>& p, const T* alpha, int64_t width, T* beta, T* grad, int64_t step) {
  auto note = [&](int64_t t, int64_t k, T value) {
    T& sum = grad[t * step + s[k]];
    const T both = alpha[t * width + k] + value;
    sum = sum == kNever<T> ? both : log_sum(sum, both);
  };
  T *now = beta, *after = beta + width;
  std::fill(beta, beta + 2 * width, kNever<T>);
  for (int64_t k = 2 * s.labels; k >= std::max<int64_t>(0, 2 * s.labels - 1); --k) {
    now[k] = p(s.times - 1, s[k]);
    note(s.times - 1, k, now[k]);
  }
  for (int64_t t = s.times - 1; t-- > 0;) {
    std::swap(now, after);
    for (int64_t k = s.places(); k-- > 0;) {
      const T one = k < 2 * s.labels ? after[k + 1] : kNever<T>;
      const T two = k < 2 * s.labels - 1 && s[k + 2] != s[k] ? after[k + 2] : kNever<T>;
      now[k] = log_sum(after[k], one, two) + p(t, s[k]);
      note(t, k, now[k]);
    }
  }
}

template <class T>
void sequence_gradient(const KernelCall& call, int64_t b) {
  const KernelTensor &out = call.results[0], &alpha = call.args[6].tensor, &grad = call.args[0].tensor;
  const Sequence s = sequence_of(call.args + 2, b, call.args[7].integer);
  const LogProbabilities<T> p(call.args[1].tensor, b);
  const int64_t classes = out.sizes[2], step = out.sizes[1] * classes, rows = alpha.sizes[1], width = alpha.sizes[2];
  T* first = out.as<T>() + b * classes;
  const T loss = call.args[5].tensor.as<T>()[b], incoming = grad.as<T>()[b * grad.strides[0]];
  const bool zero = call.args[8].boolean && loss == -kNever<T>;
  for (int64_t t = 0; t < out.sizes[0]; ++t) std::fill_n(first + t * step, classes, zero || t >= s.times ? T(0) : kNever<T>);
  if (zero || s.times == 0) return;
  T* beta = reinterpret_cast<T*>(call.scratch) + b * 2 * width;
  walk_backward(s, p, alpha.as<T>() + b * rows * width, width, beta, first, step);
  for (int64_t t = 0; t < s.times; ++t)
    for (int64_t c = 0; c < classes; ++c) {
      T& g = first[t * step + c];
      g = (std::exp(p(t, c)) - std::exp(g + loss - p(t, c))) * incoming;
    }
}

template <class T>
void backward(const KernelCall& call) {
  parallel_for(0, call.results[0].sizes[1], 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) sequence_gradient<T>(call, b);
  });
}

}  // namespace

// Whether the lengths in vectors are in range; the shape rule has checked those in lists.
static KernelStatus check_lengths(KernelCall& call, const KernelArg* args) {
  const KernelTensor &probabilities = args[0].tensor, &targets = args[1].tensor;
  if (args[2].kind == KernelArg::Kind::Ints) return KernelStatus::Ok;
  int64_t all = 0;
  for (int64_t b = 0; b < probabilities.sizes[1]; ++b) {
    const int64_t times = length(args[2], b), labels = length(args[3], b);
    if (times < 0 || times > probabilities.sizes[0]) return call.fail(times, probabilities.sizes[0], b, KernelStatus::BadSecond);
    const int64_t room = targets.dim == 2 ? targets.sizes[1] : targets.sizes[0] - all;
    if (labels < 0 || labels > room) return call.fail(labels, room, b, KernelStatus::BadThird);
    all += labels;
  }
  return KernelStatus::Ok;
}

// Whether each label is a class. The arguments from `args` on are log_probs, targets and the lengths.
static KernelStatus check_labels(KernelCall& call, const KernelArg* args) {
  if (const KernelStatus status = check_lengths(call, args); status != KernelStatus::Ok) return status;
  const int64_t batch = args[0].tensor.sizes[1], classes = args[0].tensor.sizes[2];
  for (int64_t b = 0; b < batch; ++b) {
    const Sequence s = sequence_of(args + 1, b, 0);
    for (int64_t i = 0; i < s.labels; ++i)
      if (const int64_t label = s.label(i); label < 0 || label >= classes) return call.fail(label, classes, i);
  }
  return KernelStatus::Ok;
}

KernelStatus ctc_loss_kernel(KernelCall& call) {
  if (const KernelStatus status = check_labels(call, call.args); status != KernelStatus::Ok) return status;
  if (call.args[0].tensor.dtype == DType::f64) forward<double>(call);
  else forward<float>(call);
  return KernelStatus::Ok;
}

KernelStatus ctc_loss_backward_kernel(KernelCall& call) {
  if (const KernelStatus status = check_labels(call, call.args + 1); status != KernelStatus::Ok) return status;
  if (call.args[1].tensor.dtype == DType::f64) backward<double>(call);
  else backward<float>(call);
  return KernelStatus::Ok;
}

}  // namespace monograph
