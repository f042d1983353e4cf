// One layer of a recurrent network in one direction (monograph::rnn_layer), and its gradient. Each has a kernel and a decomposition. For each step the kernel
// runs one matrix product with the packed weight w_hh and one generated program over the gates. The decomposition uses public operators, step by step. The
// gradient's decomposition computes the states again. So it depends only on the layer's arguments, and can be differentiated itself.
//
// The gates are the sum of two parts: the input's part, linear(input, w_ih, b_ih), which the caller computes for all steps, and the state's part,
// linear(h, w_hh, b_hh). `fresh` is the candidate state (g of an LSTM, n of a GRU), `keep` the update gate z of a GRU.
#include "ops/families/sequence_layers.h"
#include "ops/families/error_kinds.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "core/threads/pool.h"
#include "kernels/elements.h"
#include "kernels/matmul.h"
#include "kernels/round.h"
#include "ops/dispatch.h"
#include "ops/packed_weight.h"
#include "ops/pointwise.h"
#include "ops/registry.h"
#include "ops/rnn_steps.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// How many blocks of hidden_size columns a step saves for its gradient. An LSTM saves i, f, g, o and the cell before the step; a GRU saves r, z, n and the
// state's part of n.
constexpr int64_t saved_blocks(RnnCell cell) { return cell == RnnCell::Lstm ? 5 : cell == RnnCell::Gru ? 4 : 0; }

std::optional<RnnCell> cell_named(std::string_view name) {
  for (size_t k = 0; k < std::size(kRnnCells); ++k)
    if (kRnnCells[k] == name) return static_cast<RnnCell>(k);
  return std::nullopt;
}
RnnCell cell_of(const IValue& name) {
  const auto cell = cell_named(name.to_string());
  MONOGRAPH_CHECK(cell, Runtime, "expected cell to be 'lstm', 'gru', 'tanh' or 'relu', but got '", name.to_string(), "'");
  return *cell;
}

// --- The steps in public operators.

struct RnnStep {
  RnnState next;
  std::vector<IValue> saved;
};

// One step. `gates` is the input's part of the gates.
RnnStep step(RnnCell cell, const IValue& gates, const RnnState& before, const RnnWeights& w) {
  const Tensor own = "linear"_op(before.h, w.hidden, w.bias);
  if (cell == RnnCell::Tanh) return {{"tanh"_op("add"_op(gates, own)), {}}, {}};
  if (cell == RnnCell::Relu) return {{"relu"_op("add"_op(gates, own)), {}}, {}};
  if (cell == RnnCell::Gru) {
    const auto in = "chunk"_op(gates, 3, -1).items(), state = "chunk"_op(own, 3, -1).items();
    const Tensor reset = "sigmoid"_op("add"_op(state[0], in[0])), keep = "sigmoid"_op("add"_op(state[1], in[1]));
    const Tensor fresh = "tanh"_op("add"_op(in[2], "mul"_op(state[2], reset)));
    return {{"add"_op("mul"_op("sub"_op(before.h, fresh), keep), fresh), {}}, {reset, keep, fresh, state[2]}};
  }
  const auto parts = "chunk"_op("add"_op(gates, own), 4, -1).items();
  const Tensor in = "sigmoid"_op(parts[0]), forget = "sigmoid"_op(parts[1]), fresh = "tanh"_op(parts[2]), out = "sigmoid"_op(parts[3]);
  const Tensor c = "add"_op("mul"_op(forget, before.c), "mul"_op(in, fresh));
  Tensor h = "mul"_op(out, "tanh"_op(c));
  if (!w.projection.is_none()) h = "linear"_op(h, w.projection);
  return {{h, c}, {in, forget, fresh, out, before.c}};
}

// The steps of a sequence. In a packed sequence only the first sizes[t] sequences have step t; without sizes, all sequences have all steps.
class SequenceSteps {
 public:
  SequenceSteps(const Tensor& gates, const std::optional<Dims>& sizes, bool reverse) : gates_(gates), packed_(sizes.has_value()) {
    if (packed_) {
      int64_t begin = 0;
      for (const int64_t n : *sizes) begins_.push_back(begin), sizes_.push_back(n), begin += n;
    } else {
      padded_ = "unbind"_op(gates, 0).items();
    }
    for (size_t k = 0, n = count(); k < n; ++k) order_.push_back(reverse ? n - 1 - k : k);
  }
  size_t count() const { return packed_ ? sizes_.size() : padded_.size(); }
  const std::vector<size_t>& order() const { return order_; }
  // The rows of step `at` in a tensor that has rows for all steps, as the gates do.
  Tensor of(const Tensor& t, size_t at) const {
    if (packed_) return "narrow"_op(t, 0, begins_[at], sizes_[at]);
    return "select"_op(t, 0, static_cast<int64_t>(at));
  }
  Tensor gates(size_t at) const { return packed_ ? of(gates_, at) : padded_[at].to_tensor(); }
  // t has a row for each sequence. running() gives the rows of the sequences that have step `at`; with() replaces these rows.
  Tensor running(const Tensor& t, size_t at) const { return ends(at) ? Tensor("narrow"_op(t, 0, 0, sizes_[at])) : t; }
  Tensor with(const Tensor& t, const Tensor& running, size_t at) const {
    if (!ends(at)) return running;
    return "cat"_op(IValue::list({running, "narrow"_op(t, 0, sizes_[at], sizes_[0] - sizes_[at])}), 0);
  }
  Tensor joined(std::vector<IValue> parts) const {
    IValue list = IValue::list(std::move(parts));
    return packed_ ? "cat"_op(list, 0) : "stack"_op(list, 0);
  }

 private:
  bool ends(size_t at) const { return packed_ && sizes_[at] < sizes_[0]; }
  Tensor gates_;
  bool packed_;
  std::vector<IValue> padded_;
  Dims sizes_, begins_;
  std::vector<size_t> order_;
};

}  // namespace

RnnState rnn_step(RnnCell cell, const IValue& gates, const RnnState& before, const RnnWeights& w) {
  return step(cell, gates, before, w).next;
}

RnnLayerResults run_steps(RnnCell cell, const Tensor& gates, const std::optional<Dims>& sizes, RnnState state, const RnnWeights& w,
                          bool reverse, bool save) {
  const SequenceSteps steps(gates, sizes, reverse);
  std::vector<IValue> outputs(steps.count()), saved(steps.count()), previous(steps.count());
  for (const size_t at : steps.order()) {
    const RnnState before{steps.running(state.h, at), state.c.defined() ? steps.running(state.c, at) : Tensor()};
    const RnnStep made = step(cell, steps.gates(at), before, w);
    state.h = steps.with(state.h, made.next.h, at);
    if (state.c.defined()) state.c = steps.with(state.c, made.next.c, at);
    outputs[at] = made.next.h, previous[at] = before.h;
    if (save) saved[at] = made.saved.empty() ? "narrow"_op(before.h, -1, 0, 0) : "cat"_op(IValue::list(made.saved), -1);
  }
  if (!save) return {steps.joined(std::move(outputs)), state, {}, {}};
  return {steps.joined(std::move(outputs)), state, steps.joined(std::move(saved)), steps.joined(std::move(previous))};
}

Dims packed_sizes(const IValue& batch_sizes) {
  const Tensor counts = contiguous(batch_sizes.to_tensor());
  MONOGRAPH_CHECK(counts->kind == TensorImpl::Kind::Dense && !counts.is_meta() && counts.dtype() == DType::i64 && counts.dim() == 1,
                  NotImplemented, "batch_sizes of a packed sequence must be a 1-d int64 tensor whose elements are known");
  Dims sizes;
  for (int64_t k = 0; k < counts.numel(); ++k) sizes.push_back(counts.data_as<int64_t>()[k]);
  MONOGRAPH_CHECK(!sizes.empty() && sizes.back() > 0 && std::ranges::is_sorted(sizes, std::greater<>()), Runtime,
                  "batch_sizes of a packed sequence must be positive and must not grow, but they are ", to_string(sizes));
  return sizes;
}

namespace {

// --- The steps as generated programs over the gates. The operands of a program are its results, then its arguments.

enum class StepProgram : uint8_t { Forward, ForwardSaved, Backward };

Num logistic(Num x) { return 1.0 / (1.0 + exp(-x)); }

void lstm_forward(Recorder& r, DType t, bool save) {
  Num x[9];  // the input's part of the gates, the state's part, the cell
  for (Num& a : x) a = r.arg(t);
  const Num in = logistic(x[0] + x[4]), forget = logistic(x[1] + x[5]), fresh = tanh(x[2] + x[6]), out = logistic(x[3] + x[7]);
  const Num c = forget * x[8] + in * fresh;
  r.out(out * tanh(c), t), r.out(c, t);
  if (save)
    for (const Num saved : {in, forget, fresh, out, x[8]}) r.out(saved, t);
}

void lstm_backward(Recorder& r, DType t) {
  Num x[8];
  for (Num& a : x) a = r.arg(t);
  const auto [grad, flowing, grad_c, in, forget, fresh, out, before] = x;
  const Num h = flowing + grad, tanh_c = tanh(forget * before + in * fresh);
  const Num c = grad_c + h * out * (1.0 - tanh_c * tanh_c);
  r.out(c * fresh * (in * (1.0 - in)), t), r.out(c * before * (forget * (1.0 - forget)), t);
  r.out(c * in * (1.0 - fresh * fresh), t), r.out(h * tanh_c * (out * (1.0 - out)), t);
  r.out(c * forget, t);
}

void gru_forward(Recorder& r, DType t, bool save) {
  Num x[7];  // the input's part of the gates, the state's part, the state
  for (Num& a : x) a = r.arg(t);
  const Num reset = logistic(x[3] + x[0]), keep = logistic(x[4] + x[1]), fresh = tanh(x[2] + x[5] * reset);
  r.out((x[6] - fresh) * keep + fresh, t);
  if (save)
    for (const Num saved : {reset, keep, fresh, x[5]}) r.out(saved, t);
}

void gru_backward(Recorder& r, DType t) {
  Num x[8];
  for (Num& a : x) a = r.arg(t);
  const auto [grad, flowing, direct, reset, keep, fresh, state, before] = x;
  const Num h = flowing + direct + grad;
  const Num to_fresh = h * (1.0 - keep) * (1.0 - fresh * fresh), to_keep = h * (before - fresh) * (keep * (1.0 - keep));
  const Num to_reset = to_fresh * state * (reset * (1.0 - reset));
  r.out(to_reset, t), r.out(to_keep, t), r.out(to_fresh, t);
  r.out(to_reset, t), r.out(to_keep, t), r.out(to_fresh * reset, t);
  r.out(h * keep, t);
}

Body step_body(RnnCell cell, DType t, StepProgram program) {
  Recorder r;
  const bool save = program == StepProgram::ForwardSaved, backward = program == StepProgram::Backward;
  if (cell == RnnCell::Lstm) {
    backward ? lstm_backward(r, t) : lstm_forward(r, t, save);
  } else if (cell == RnnCell::Gru) {
    backward ? gru_backward(r, t) : gru_forward(r, t, save);
  } else if (backward) {
    const Num grad = r.arg(t), flowing = r.arg(t), out = r.arg(t), h = flowing + grad, zero = lit(t, 0.0);
    r.out(cell == RnnCell::Tanh ? h * (1.0 - out * out) : where(out <= zero, zero, h), t);
  } else {
    const Num in = r.arg(t), own = r.arg(t), sum = in + own, zero = lit(t, 0.0);
    r.out(cell == RnnCell::Tanh ? tanh(sum) : where(sum < zero, zero, sum), t);
  }
  return expand(r.finish());
}

// Cells that save nothing use the program Forward in place of ForwardSaved.
bool uses_forward(RnnCell cell, StepProgram program) { return program == StepProgram::ForwardSaved && saved_blocks(cell) == 0; }

const Kernel& step_kernel(RnnCell cell, DType t, StepProgram program) {
  static std::array<LazyKernel, std::size(kRnnCells) * 3 * 2> kernels;
  if (uses_forward(cell, program)) program = StepProgram::Forward;
  const size_t slot = (static_cast<size_t>(cell) * 3 + static_cast<size_t>(program)) * 2 + (t == DType::f64);
  return kernels[slot].get(KernelForm::Pointwise, [&] { return step_body(cell, t, program); });
}

}  // namespace

std::vector<KernelFamily::Member> rnn_step_members() {
  std::vector<KernelFamily::Member> made;
  for (const std::string_view cell_name : kRnnCells)
    for (const DType t : {DType::f32, DType::f64})
      for (const StepProgram program : {StepProgram::Forward, StepProgram::ForwardSaved, StepProgram::Backward}) {
        const RnnCell cell = *cell_named(cell_name);
        if (uses_forward(cell, program)) continue;
        const char* words = program == StepProgram::Backward ? "_backward/" : program == StepProgram::ForwardSaved ? "_saved/" : "/";
        made.push_back({concat(cell_name, words, name(t)), step_body(cell, t, program), KernelForm::Pointwise});
      }
  return made;
}

namespace {

// --- The kernels.

// The operands of a step's program. Each is a block of hidden_size columns and as many rows as sequences have the step.
class StepOperands {
 public:
  void add(const void* data, int64_t row, int64_t element) {
    pointers_[count_] = static_cast<char*>(const_cast<void*>(data)), outer_[count_] = row, inner_[count_++] = element;
  }
  // Adds `count` blocks that lie side by side in the same rows.
  void blocks(const char* data, int64_t count, int64_t width, int64_t row, int64_t element) {
    for (int64_t k = 0; k < count; ++k) add(data + k * width, row, element);
  }
  void run(const Kernel& kernel, int64_t n, int64_t rows) const {
    if (n * rows < 2 * kernel.grain || rows == 1 || num_threads() == 1) {
      kernel(pointers_.data(), inner_.data(), n, outer_.data(), rows);
      return;
    }
    parallel_for(0, rows, std::max<int64_t>(1, kernel.grain / n), [&](int64_t begin, int64_t end) {
      std::array<char*, kMaxOperands> mine = pointers_;
      for (size_t k = 0; k < count_; ++k) mine[k] += begin * outer_[k];
      kernel(mine.data(), inner_.data(), n, outer_.data(), end - begin);
    });
  }

 private:
  std::array<char*, kMaxOperands> pointers_{};
  std::array<int64_t, kMaxOperands> inner_{}, outer_{};
  size_t count_ = 0;
};

// A layer's sizes in elements, and the order of its steps.
struct LayerLayout {
  RnnCell cell;
  DType type;
  int64_t batch, hidden, rows, steps, element;
  const int64_t* packed;  // batch_sizes of a packed sequence, else null
  bool reverse;

  LayerLayout(const KernelTensor& gates, const KernelTensor& hx, const KernelArg& batch_sizes, const KernelArg& name, bool backwards)
      : cell(*cell_named({name.text.characters, name.text.count})),
        type(gates.dtype),
        batch(hx.sizes[0]),
        hidden(hx.sizes[1]),
        rows(batch_sizes.none() ? gates.sizes[0] * gates.sizes[1] : gates.sizes[0]),
        steps(batch_sizes.none() ? gates.sizes[0] : batch_sizes.tensor.sizes[0]),
        element(element_size(gates.dtype)),
        packed(batch_sizes.none() ? nullptr : batch_sizes.tensor.as<int64_t>()),
        reverse(backwards) {}
  int64_t gates() const { return gate_blocks(cell); }
  int64_t saved() const { return saved_blocks(cell); }
  int64_t width() const { return hidden * element; }  // bytes of a block of one row

  // Checks the elements of batch_sizes, because they decide where the kernel reads and writes.
  KernelStatus check(KernelCall& call) const {
    int64_t before = batch, sum = 0;
    for (int64_t t = 0; packed && t < steps; before = packed[t++]) {
      if (packed[t] <= 0 || packed[t] > before || (t == 0 && packed[t] != batch)) return call.fail(packed[t], before, t);
      sum += packed[t];
    }
    return packed && sum != rows ? call.fail(sum, rows, -1, KernelStatus::BadSecond) : KernelStatus::Ok;
  }
  // Calls f(first row, number of rows) for each step that one of the sequences [first, last) has, in the order of the layer's direction; with `backwards`,
  // from the last step to the first.
  template <class F>
  void for_steps(bool backwards, int64_t first, int64_t last, F&& f) const {
    const bool down = reverse != backwards;
    int64_t begin = down ? rows : 0;
    for (int64_t k = 0; k < steps; ++k) {
      const int64_t n = packed ? packed[down ? steps - 1 - k : k] : batch;
      if (down) begin -= n;
      if (const int64_t end = std::min(n, last); end > first) f(begin + first, end - first);
      if (!down) begin += n;
    }
  }
  // Calls f(first, last) for pieces of the batch, which together are all sequences. A sequence does not depend on the others. So threads share the sequences
  // rather than the work of a step, if each has enough rows for the matrix kernels and its caches hold the weight: then they meet once, and not at each step.
  template <class F>
  void share_sequences(int64_t weight_bytes, F&& f) const {
    constexpr int64_t kLeastRows = 8, kLeastWork = 4 << 20, kCached = 512 << 10;
    const int64_t each = divide_up(batch, num_threads());
    const bool shares = each >= kLeastRows && weight_bytes <= kCached && weight_bytes / element * rows >= kLeastWork;
    parallel_for(0, batch, shares ? each : std::max<int64_t>(1, batch), f);
  }
};

// Packs the matrix b of k rows and n columns, with strides in elements, in the order that the matrix kernels read. All threads pack panels.
PackedMatrix packed_into(char* memory, DType type, const void* b, int64_t k, int64_t n, int64_t row, int64_t col) {
  const MatmulKernels& kernels = matmul_kernels(type);
  const int64_t element = element_size(type), panels = divide_up(n, kernels.columns);
  constexpr int64_t kLeast = 64 << 10;  // elements that one thread packs at least
  parallel_for(0, panels, std::max<int64_t>(1, kLeast / std::max<int64_t>(1, k * kernels.columns)), [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kernels.columns, columns = std::min(n, end * kernels.columns) - first;
    PackedMatrix::pack_into(memory + first * k * element, type, static_cast<const char*>(b) + first * col * element, k, columns, row, col,
                            kernels);
  });
  return PackedMatrix::over(type, memory, k, n, kernels);
}
int64_t packed_bytes(DType type, int64_t k, int64_t n) { return round_up(PackedMatrix::bytes_for(type, k, n, matmul_kernels(type)), 64); }

void multiply(const LayerLayout& of, const char* a, const PackedMatrix& b, char* c, int64_t rows, const void* bias) {
  Matmul product;
  product.type = of.type, product.m = rows, product.n = b.n(), product.k = b.k();
  product.a = a, product.a_row = b.k(), product.a_col = 1, product.packed = &b;
  product.c = c, product.c_row = b.n(), product.c_col = 1, product.bias = bias;
  matmul(product);
}

void copy_bytes(char* to, const char* from, int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<size_t>(bytes));
}

KernelStatus rnn_layer_kernel(KernelCall& call) {
  const KernelTensor &gates = call.args[0].tensor, &hx = call.args[1].tensor, &w = call.args[3].tensor;
  const LayerLayout of(gates, hx, call.args[5], call.args[6], call.args[7].boolean);
  if (const KernelStatus status = of.check(call); status != KernelStatus::Ok) return status;
  const bool save = call.args[8].boolean, lstm = of.cell == RnnCell::Lstm;
  const int64_t width = of.width(), columns = of.gates() * width, e = of.element;
  char *output = call.results[0].data, *h = call.results[1].data, *c = call.results[2].data;
  const void* bias = call.args[4].none() ? nullptr : call.args[4].tensor.data;
  const auto* prepared = static_cast<const PackedMatrix*>(call.prepared);
  const PackedMatrix mine =
      prepared ? PackedMatrix() : packed_into(call.scratch, of.type, w.data, of.hidden, of.gates() * of.hidden, 1, of.hidden);
  const PackedMatrix& weight = prepared ? *prepared : mine;
  char* own = call.scratch + packed_bytes(of.type, of.hidden, of.gates() * of.hidden);
  const Kernel& kernel = step_kernel(of.cell, of.type, save ? StepProgram::ForwardSaved : StepProgram::Forward);
  copy_bytes(h, hx.data, of.batch * width);
  if (lstm) copy_bytes(c, call.args[2].tensor.data, of.batch * width);
  of.share_sequences(weight.bytes(), [&](int64_t first, int64_t last) {
    char *my_h = h + first * width, *my_c = lstm ? c + first * width : nullptr, *my_own = own + first * columns;
    of.for_steps(false, first, last, [&](int64_t begin, int64_t n) {
      if (save) copy_bytes(call.results[4].data + begin * width, my_h, n * width);
      multiply(of, my_h, weight, my_own, n, bias);
      StepOperands operands;
      operands.add(output + begin * width, width, e);
      if (lstm) operands.add(my_c, width, e);
      if (save) operands.blocks(call.results[3].data + begin * of.saved() * width, of.saved(), width, of.saved() * width, e);
      operands.blocks(gates.data + begin * columns, of.gates(), width, columns, e);
      operands.blocks(my_own, of.gates(), width, columns, e);
      if (lstm) operands.add(my_c, width, e);
      else if (of.cell == RnnCell::Gru) operands.add(my_h, width, e);
      operands.run(kernel, of.hidden, n);
      copy_bytes(my_h, output + begin * width, n * width);
    });
  });
  return KernelStatus::Ok;
}

// Starts the gradient of a state with the gradient of the last state, or with 0 if there is none.
void start_gradient(const KernelTensor& to, const KernelArg& grad) {
  const int64_t bytes = to.numel() * element_size(to.dtype);
  if (!grad.none()) copy_bytes(to.data, grad.tensor.data, bytes);
  else if (bytes > 0) std::memset(to.data, 0, static_cast<size_t>(bytes));
}

// The gradient of w_hh: the transposed gradients of the gates times the states before the steps, for all steps at once.
void weight_gradient(const LayerLayout& of, const char* own, const char* previous, char* to) {
  Matmul product;
  product.type = of.type, product.m = of.gates() * of.hidden, product.n = of.hidden, product.k = of.rows;
  product.a = own, product.a_row = 1, product.a_col = product.m;
  product.b = previous, product.b_row = of.hidden, product.b_col = 1;
  product.c = to, product.c_row = of.hidden, product.c_col = 1;
  matmul(product);
}

KernelStatus rnn_layer_backward_kernel(KernelCall& call) {
  const KernelTensor &gates = call.args[3].tensor, &hx = call.args[4].tensor, &w = call.args[6].tensor;
  const LayerLayout of(gates, hx, call.args[8], call.args[12], call.args[13].boolean);
  if (const KernelStatus status = of.check(call); status != KernelStatus::Ok) return status;
  const bool lstm = of.cell == RnnCell::Lstm, gru = of.cell == RnnCell::Gru;
  const int64_t width = of.width(), columns = of.gates() * width, e = of.element;
  const KernelTensor &to_gates = call.results[0], &to_h = call.results[2], &to_c = call.results[3];
  char* to_own = gru ? call.results[1].data : to_gates.data;
  char* zero = call.scratch;
  char* direct = zero + 64;  // GRU only: the part of the gradient of the state that does not go through w_hh
  const PackedMatrix weight =
      packed_into(direct + (gru ? round_up(of.batch * width, 64) : 0), of.type, w.data, of.gates() * of.hidden, of.hidden, of.hidden, 1);
  const Kernel& kernel = step_kernel(of.cell, of.type, StepProgram::Backward);
  std::memset(zero, 0, 64);
  if (gru) std::memset(direct, 0, static_cast<size_t>(of.batch * width));
  start_gradient(to_h, call.args[1]);
  if (lstm) start_gradient(to_c, call.args[2]);
  of.share_sequences(weight.bytes(), [&](int64_t first, int64_t last) {
    char *my_h = to_h.data + first * width, *my_c = lstm ? to_c.data + first * width : nullptr,
         *my_direct = gru ? direct + first * width : nullptr;
    of.for_steps(true, first, last, [&](int64_t begin, int64_t n) {
      StepOperands operands;
      operands.blocks(to_gates.data + begin * columns, of.gates(), width, columns, e);
      if (gru) operands.blocks(to_own + begin * columns, of.gates(), width, columns, e), operands.add(my_direct, width, e);
      if (lstm) operands.add(my_c, width, e);
      if (call.args[0].none()) operands.add(zero, 0, 0);
      else operands.add(call.args[0].tensor.data + begin * width, width, e);
      operands.add(my_h, width, e);
      if (lstm) operands.add(my_c, width, e);
      if (gru) operands.add(my_direct, width, e);
      operands.blocks(call.args[10].tensor.data + begin * of.saved() * width, of.saved(), width, of.saved() * width, e);
      if (!lstm) operands.add(call.args[gru ? 11 : 9].tensor.data + begin * width, width, e);
      operands.run(kernel, of.hidden, n);
      multiply(of, to_own + begin * columns, weight, my_h, n, nullptr);
    });
  });
  if (gru && to_h.numel() > 0) add_elements(to_h, {direct, to_h.sizes, to_h.strides, to_h.dim, to_h.dtype});
  weight_gradient(of, to_own, call.args[11].tensor.data, call.results[4].data);
  return KernelStatus::Ok;
}

// --- The rules.

// The positions of the arguments that both operators have.
struct LayerArguments {
  size_t gates, hx, cx, weight, bias, batch_sizes, cell;
};
constexpr LayerArguments kForward{0, 1, 2, 3, 4, 5, 6}, kBackward{3, 4, 5, 6, 7, 8, 12};

struct LayerSizes {
  Sizes gates;  // unranked if the sizes are not known
  Size batch, hidden;
  std::optional<RnnCell> cell;
};

LayerSizes checked_sizes(RuleCall& c, const LayerArguments& p) {
  LayerSizes s;
  const auto name = c.text(p.cell);
  if (name) s.cell = cell_named(*name);
  c.check(!name || s.cell, Runtime, "expected cell to be 'lstm', 'gru', 'tanh' or 'relu', but got '", name.value_or(""), "'");
  const SizesRef gates = c.sizes(p.gates), h = c.sizes(p.hx), w = c.sizes(p.weight);
  const size_t dims = c.none(p.batch_sizes) ? 3 : 2;
  c.check(!gates.ranked() || gates.size() == dims, Runtime, "expected gates of ", dims, " dims, but got size ", gates);
  c.check(!h.ranked() || h.size() == 2, Runtime, "expected hx of size [batch, hidden], but got size ", h);
  for (const size_t k : {p.hx, p.cx, p.weight, p.bias})
    c.check(c.none(k) || !c.dtype(k) || !c.dtype(p.gates) || *c.dtype(k) == *c.dtype(p.gates), Runtime,
            "expected tensors of one dtype, but got ", scalar_type(c.dtype(p.gates)), " and ", scalar_type(c.dtype(k)));
  c.check(!c.dtype(p.gates) || *c.dtype(p.gates) == DType::f32 || *c.dtype(p.gates) == DType::f64, Runtime,
          "expected gates of float32 or float64, but got ", scalar_type(c.dtype(p.gates)));
  c.check(c.none(p.batch_sizes) || !c.dtype(p.batch_sizes) || *c.dtype(p.batch_sizes) == DType::i64, Runtime,
          "batch_sizes of a packed sequence must be a 1-d int64 tensor");
  c.check(c.none(p.batch_sizes) || !c.sizes(p.batch_sizes).ranked() || c.sizes(p.batch_sizes).size() == 1, Runtime,
          "batch_sizes of a packed sequence must be a 1-d int64 tensor");
  if (!gates.ranked() || !h.ranked()) return s;
  s.gates = gates, s.batch = h[0], s.hidden = h[1];
  c.check(dims == 2 || gates[1] == h[0], Runtime, "expected gates and hx of one batch size, but got sizes ", gates, " and ", h);
  if (!s.cell) return s;
  const Size rows = h[1] * gate_blocks(*s.cell);
  c.check(gates.back() == rows, Runtime, "expected gates with ", rows, " columns, but got size ", gates);
  c.check(!w.ranked() || (w.size() == 2 && w[0] == rows && w[1] == h[1]), Runtime, "expected a weight of size [", rows, ", ", h[1],
          "], but got size ", w);
  if (const SizesRef b = c.none(p.bias) ? SizesRef() : c.sizes(p.bias); b.ranked())
    c.check(b.size() == 1 && b[0] == rows, Runtime, "expected a bias of size [", rows, "], but got size ", b);
  c.check((*s.cell == RnnCell::Lstm) != c.none(p.cx), Runtime, "cx belongs to an LSTM alone");
  if (const SizesRef cx = c.none(p.cx) ? SizesRef() : c.sizes(p.cx); cx.ranked())
    c.check(cx.size() == 2 && cx[0] == h[0] && cx[1] == h[1], Runtime, "expected cx of the size of hx, but got sizes ", cx, " and ", h);
  return s;
}

// The sizes of the gates, but with `count` blocks of hidden_size columns.
Sizes in_blocks(const LayerSizes& s, int64_t count) {
  if (!s.gates.ranked()) return Sizes::unranked();
  Sizes sizes = s.gates;
  sizes.set(sizes.size() - 1, s.hidden * count);
  return sizes;
}

bool equal_sizes(SizesRef a, SizesRef b) { return std::ranges::equal(a.words(), b.words()); }

void rnn_layer_rule(RuleCall& c) {
  const LayerSizes s = checked_sizes(c, kForward);
  const auto type = c.dtype(0);
  const auto save = c.truth(8);
  const bool known = s.cell && save;
  c.result(in_blocks(s, 1), type);
  c.like(kForward.hx, c.sizes(kForward.hx));
  c.none(kForward.cx) ? c.result(Sizes{0}, type) : c.like(kForward.cx, c.sizes(kForward.cx));
  c.result(!known ? Sizes::unranked() : *save ? in_blocks(s, saved_blocks(*s.cell)) : Sizes{0}, type);
  c.result(!known ? Sizes::unranked() : *save ? in_blocks(s, 1) : Sizes{0}, type);
  if (!c.eager() || c.meta()) return;
  const int64_t hidden = s.hidden.as_int(), gates = gate_blocks(*s.cell) * hidden;
  c.scratch(packed_bytes(*type, hidden, gates) + s.batch.as_int() * gates * element_size(*type));
}

void rnn_layer_backward_rule(RuleCall& c) {
  const LayerSizes s = checked_sizes(c, kBackward);
  const auto type = c.dtype(kBackward.gates);
  const bool gru = s.cell == RnnCell::Gru;
  c.like(kBackward.gates, c.sizes(kBackward.gates));
  if (!s.cell) c.result({}, type);
  else gru ? c.like(kBackward.gates, c.sizes(kBackward.gates)) : c.result(Sizes{0}, type);
  c.like(kBackward.hx, c.sizes(kBackward.hx));
  c.none(kBackward.cx) ? c.result(Sizes{0}, type) : c.like(kBackward.cx, c.sizes(kBackward.cx));
  c.like(kBackward.weight, c.sizes(kBackward.weight));
  for (const size_t k : {size_t{1}, size_t{2}})
    if (const SizesRef g = c.none(k) ? SizesRef() : c.sizes(k); g.ranked() && s.gates.ranked())
      c.check(g.size() == 2 && g[0] == s.batch && g[1] == s.hidden, Runtime,
              "expected the gradient of a state to have its size, but got size ", g);
  if (!c.eager() || c.meta()) return;
  const Sizes output = in_blocks(s, 1), saved = in_blocks(s, saved_blocks(*s.cell));
  for (const size_t k : {size_t{0}, size_t{9}, size_t{11}})
    c.check(c.none(k) || equal_sizes(output, c.sizes(k)), Runtime, "expected a tensor of size ", output, ", but got size ", c.sizes(k));
  c.check(equal_sizes(saved, c.sizes(10)), Runtime, "expected saved gates of size ", saved, ", but got size ", c.sizes(10));
  for (const size_t k : {size_t{0}, size_t{1}, size_t{2}, size_t{9}, size_t{10}, size_t{11}})
    c.check(c.none(k) || c.dtype(k) == type, Runtime, "expected tensors of one dtype, but got ", scalar_type(type), " and ",
            scalar_type(c.dtype(k)));
  const int64_t hidden = s.hidden.as_int(), gates = gate_blocks(*s.cell) * hidden;
  c.scratch(64 + (gru ? round_up(s.batch.as_int() * hidden * element_size(*type), 64) : 0) + packed_bytes(*type, gates, hidden));
}

// --- Gradients.

void rnn_layer_gradient(GradCall& c) {
  IValue saved = c.result(3), previous = c.result(4);
  if (!c.value(8).to_bool()) {
    const auto again =
        "monograph::rnn_layer"_op(c.value(0), c.value(1), c.value(2), c.value(3), c.value(4), c.value(5), c.value(6), c.value(7), true)
            .items();
    saved = again[3], previous = again[4];
  }
  const auto parts = "monograph::rnn_layer_backward"_op(c.grad(0), c.grad(1), c.grad(2), c.value(0), c.value(1), c.value(2), c.value(3),
                                                        c.value(4), c.value(5), c.result(0), saved, previous, c.value(6), c.value(7))
                         .items();
  if (c.needs(0)) c.set(0, parts[0].to_tensor());
  if (c.needs(1)) c.set(1, parts[2].to_tensor());
  if (c.needs(2)) c.set(2, parts[3].to_tensor());
  if (c.needs(3)) c.set(3, parts[4].to_tensor());
  if (!c.needs(4)) return;
  const Tensor own = parts[cell_of(c.value(6)) == RnnCell::Gru ? 1 : 0].to_tensor();
  c.set(4, "sum"_op("reshape"_op(own, Sizes{-1, c.sizes(3)[0]}), Dims{0}, false));
}

std::optional<Dims> sizes_given(const IValue& batch_sizes) {
  return batch_sizes.is_none() ? std::nullopt : std::optional<Dims>(packed_sizes(batch_sizes));
}

IValue decompose_rnn_layer(const IValue* a) {
  const Tensor gates = a[0].to_tensor();
  const bool save = a[8].to_bool();
  const RnnState first{a[1].to_tensor(), a[2].is_none() ? Tensor() : a[2].to_tensor()};
  RnnLayerResults made = run_steps(cell_of(a[6]), gates, sizes_given(a[5]), first, {a[3], a[4], {}}, a[7].to_bool(), save);
  const IValue nothing = "new_zeros"_op(gates, Sizes{0});
  return IValue::tuple({made.output, made.last.h, made.last.c.defined() ? IValue(made.last.c) : nothing,
                        save ? IValue(made.saved) : nothing, save ? IValue(made.previous) : nothing});
}

Tensor one_less(const Tensor& x) { return "rsub"_op(x, 1); }
Tensor times(const Tensor& a, const Tensor& b) { return "mul"_op(a, b); }

struct StepGradient {
  IValue gates, own;  // the gradients of the input's part of the gates, and of the state's part
  Tensor c;
  Tensor direct;  // GRU only: the part of the state's gradient that does not go through w_hh
};

// `s` is what the step saved, `flowing` the gradient of the step's h, `grad_c` the gradient of its cell.
StepGradient step_gradient(RnnCell cell, const std::vector<IValue>& s, const Tensor& before, const Tensor& output, const Tensor& flowing,
                           const Tensor& grad_c) {
  const auto saved = [&](size_t k) { return s[k].to_tensor(); };
  if (cell == RnnCell::Lstm) {
    const Tensor in = saved(0), forget = saved(1), fresh = saved(2), out = saved(3), old = saved(4);
    const Tensor tanh_c = "tanh"_op("add"_op(times(forget, old), times(in, fresh)));
    const Tensor c = "add"_op(grad_c, times(times(flowing, out), one_less(times(tanh_c, tanh_c))));
    const Tensor gates = "cat"_op(
        IValue::list({times(times(c, fresh), times(in, one_less(in))), times(times(c, old), times(forget, one_less(forget))),
                      times(times(c, in), one_less(times(fresh, fresh))), times(times(flowing, tanh_c), times(out, one_less(out)))}),
        -1);
    return {gates, gates, times(c, forget), {}};
  }
  if (cell == RnnCell::Gru) {
    const Tensor reset = saved(0), keep = saved(1), fresh = saved(2), state = saved(3);
    const Tensor to_fresh = times(times(flowing, one_less(keep)), one_less(times(fresh, fresh)));
    const Tensor to_keep = times(times(flowing, "sub"_op(before, fresh)), times(keep, one_less(keep)));
    const Tensor to_reset = times(times(to_fresh, state), times(reset, one_less(reset)));
    return {"cat"_op(IValue::list({to_reset, to_keep, to_fresh}), -1),
            "cat"_op(IValue::list({to_reset, to_keep, times(to_fresh, reset)}), -1),
            {},
            times(flowing, keep)};
  }
  const Tensor gates = cell == RnnCell::Tanh ? times(flowing, one_less(times(output, output)))
                                             : Tensor("where"_op("le"_op(output, 0), "zeros_like"_op(flowing), flowing));
  return {gates, gates, {}, {}};
}

// Computes all states again, then goes through the steps backwards. It does not read `saved` and `previous`.
IValue decompose_rnn_layer_backward(const IValue* a) {
  const Tensor gates = a[3].to_tensor(), hx = a[4].to_tensor(), w = a[6].to_tensor();
  const RnnCell cell = cell_of(a[12]);
  const bool lstm = cell == RnnCell::Lstm, gru = cell == RnnCell::Gru;
  const SequenceSteps steps(gates, sizes_given(a[8]), a[13].to_bool());
  const RnnWeights weights{a[6], a[7], {}};
  std::vector<RnnStep> made(steps.count());
  std::vector<IValue> previous(steps.count()), to_gates(steps.count()), to_own(steps.count());
  RnnState state{hx, lstm ? a[5].to_tensor() : Tensor()};
  for (const size_t at : steps.order()) {
    const RnnState before{steps.running(state.h, at), lstm ? steps.running(state.c, at) : Tensor()};
    made[at] = step(cell, steps.gates(at), before, weights), previous[at] = before.h;
    state.h = steps.with(state.h, made[at].next.h, at);
    if (lstm) state.c = steps.with(state.c, made[at].next.c, at);
  }
  Tensor to_h = a[1].is_none() ? Tensor("zeros_like"_op(hx)) : a[1].to_tensor();
  Tensor to_c = !lstm ? Tensor() : a[2].is_none() ? Tensor("zeros_like"_op(hx)) : a[2].to_tensor();
  for (size_t k = steps.count(); k-- > 0;) {
    const size_t at = steps.order()[k];
    Tensor flowing = steps.running(to_h, at);
    if (!a[0].is_none()) flowing = "add"_op(flowing, steps.of(a[0].to_tensor(), at));
    const StepGradient g =
        step_gradient(cell, made[at].saved, previous[at].to_tensor(), made[at].next.h, flowing, lstm ? steps.running(to_c, at) : Tensor());
    to_gates[at] = g.gates, to_own[at] = g.own;
    Tensor before = "mm"_op(g.own, w);
    if (gru) before = "add"_op(before, g.direct);
    to_h = steps.with(to_h, before, at);
    if (lstm) to_c = steps.with(to_c, g.c, at);
  }
  const Tensor by_gates = steps.joined(std::move(to_gates)), own = gru ? steps.joined(std::move(to_own)) : by_gates;
  const Tensor rows = "reshape"_op(own, Sizes{-1, size_of(w, 0)}),
               states = "reshape"_op(steps.joined(std::move(previous)), Sizes{-1, size_of(w, 1)});
  const IValue nothing = "new_zeros"_op(gates, Sizes{0});
  return IValue::tuple({by_gates, gru ? IValue(own) : nothing, to_h, lstm ? IValue(to_c) : nothing, "mm"_op("t"_op(rows), states)});
}

std::shared_ptr<const void> prepare_rnn_layer(const IValue* args) { return packed_weight(args[3].as_tensor()); }

constexpr const char* kBadSize =
    "batch_sizes of a packed sequence must be positive, must not grow and must begin with the batch size, but element {place} is {value} "
    "where "
    "{limit} is the most";
constexpr const char* kBadSum = "batch_sizes of a packed sequence must have a sum of {limit}, the number of its rows, but it is {value}";

}  // namespace

void sequence_layers(Registry& r) {
  r.op("monograph::rnn_layer(Tensor gates, Tensor hx, Tensor? cx, Tensor w_hh, Tensor? b_hh, Tensor? batch_sizes, str cell, bool reverse, "
       "bool "
       "save) -> (Tensor, Tensor, Tensor, Tensor, Tensor)")
      .rule(rnn_layer_rule)
      .kernel(rnn_layer_kernel)
      .contiguous_args()
      .prepare(prepare_rnn_layer)
      .bad_data(Runtime, kBadSize, kBadSum)
      .decompose(decompose_rnn_layer, Reads::Sizes)
      .gradient(rnn_layer_gradient)
      .namespaced("_nn")
      .onnx(none("decomposes to its steps"))
      .doc(
          "One layer of a recurrent network in one direction, from the input's part of the gates: its outputs and last states and, with "
          "`save`, "
          "what its gradient needs.")
      .samples(none("PyTorch has no such operator; lstm, gru, rnn_tanh and rnn_relu are made of it"));
  r.op("monograph::rnn_layer_backward(Tensor? grad_output, Tensor? grad_h, Tensor? grad_c, Tensor gates, Tensor hx, Tensor? cx, Tensor "
       "w_hh, Tensor? "
       "b_hh, Tensor? batch_sizes, Tensor output, Tensor saved, Tensor previous, str cell, bool reverse) -> (Tensor, Tensor, Tensor, "
       "Tensor, Tensor)")
      .rule(rnn_layer_backward_rule)
      .kernel(rnn_layer_backward_kernel)
      .contiguous_args()
      .bad_data(Runtime, kBadSize, kBadSum)
      .decompose(decompose_rnn_layer_backward, Reads::Sizes)
      .namespaced("_nn")
      .onnx(none("training only"))
      .doc("The gradient of rnn_layer: by the gates, by the state's part of them (of a GRU), by hx, by cx and by w_hh.")
      .samples(none("the gradient of a layer: gradients_test has the results of lstm, gru, rnn_tanh and rnn_relu"));
}

}  // namespace monograph
