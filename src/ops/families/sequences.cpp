// Recurrent networks over whole sequences: layers of cells, in one or both directions, over padded or packed input. They are made of the products of
// their gates: that of the input at once for all steps, that of the state step by step.
#include <algorithm>
#include <functional>

#include "ops/dispatch.h"
#include "ops/families/cells.h"
#include "ops/pointwise.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

constexpr auto Runtime = ErrorKind::Runtime;

enum class RnnCell : uint8_t { Lstm, Gru, Tanh, Relu };

struct RnnState {
  Tensor h, c;  // c: of an LSTM
};

struct RnnWeights {
  IValue input, hidden, input_bias, hidden_bias, projection;
};

// One step from the input's part of the gates.
RnnState step(RnnCell cell, const IValue& gates, const RnnState& before, const RnnWeights& w) {
  const Tensor own = "linear"_op(before.h, w.hidden, w.hidden_bias);
  if (cell == RnnCell::Tanh) return {"tanh"_op("add"_op(gates, own)), {}};
  if (cell == RnnCell::Relu) return {"relu"_op("add"_op(gates, own)), {}};
  if (cell == RnnCell::Gru) {
    const auto in = "chunk"_op(gates, 3, -1).items(), state = "chunk"_op(own, 3, -1).items();
    const Tensor reset = "sigmoid"_op("add"_op(state[0], in[0])), keep = "sigmoid"_op("add"_op(state[1], in[1]));
    const Tensor fresh = "tanh"_op("add"_op(in[2], "mul"_op(state[2], reset)));
    return {"add"_op("mul"_op("sub"_op(before.h, fresh), keep), fresh), {}};
  }
  const auto parts = "chunk"_op("add"_op(gates, own), 4, -1).items();
  const Tensor in = "sigmoid"_op(parts[0]), forget = "sigmoid"_op(parts[1]), fresh = "tanh"_op(parts[2]), out = "sigmoid"_op(parts[3]);
  const Tensor c = "add"_op("mul"_op(forget, before.c), "mul"_op(in, fresh));
  Tensor h = "mul"_op(out, "tanh"_op(c));
  if (!w.projection.is_none()) h = "linear"_op(h, w.projection);
  return {h, c};
}

struct Line {
  Tensor output;
  RnnState last;
};

// One layer in one direction over (steps, batch, features).
Line run_padded(RnnCell cell, const Tensor& input, RnnState state, const RnnWeights& w, bool backward) {
  const auto steps = "unbind"_op("linear"_op(input, w.input, w.input_bias), 0).items();
  std::vector<IValue> outputs(steps.size());
  for (size_t k = 0; k < steps.size(); ++k) {
    const size_t at = backward ? steps.size() - 1 - k : k;
    state = step(cell, steps[at], state, w);
    outputs[at] = state.h;
  }
  return {"stack"_op(IValue::list(std::move(outputs)), 0), state};
}

Tensor rows(const Tensor& t, int64_t first, int64_t count) { return "narrow"_op(t, 0, first, count); }
RnnState rows(const RnnState& s, int64_t first, int64_t count) {
  return {rows(s.h, first, count), s.c.defined() ? rows(s.c, first, count) : Tensor()};
}
Tensor joined(const Tensor& a, const Tensor& b) { return "cat"_op(IValue::list({a, b}), 0); }
RnnState joined(const RnnState& a, const RnnState& b) { return {joined(a.h, b.h), a.c.defined() ? joined(a.c, b.c) : Tensor()}; }

// The same over packed rows: of step t, the first sizes[t] sequences. Forward, sequences end; backward, they begin.
Line run_packed(RnnCell cell, const Tensor& data, const Dims& sizes, const RnnState& first, const RnnWeights& w, bool backward) {
  const Tensor gates = "linear"_op(data, w.input, w.input_bias);
  std::vector<IValue> outputs(sizes.size());
  int64_t begin = 0;
  Dims begins;
  for (const int64_t n : sizes) begins.push_back(begin), begin += n;
  if (backward) {
    RnnState state = rows(first, 0, sizes.back());
    for (size_t t = sizes.size(), last = t; t-- > 0; last = t) {
      const int64_t before = sizes[std::min(last, sizes.size() - 1)];
      if (sizes[t] > before) state = joined(state, rows(first, before, sizes[t] - before));
      state = step(cell, rows(gates, begins[t], sizes[t]), state, w);
      outputs[t] = state.h;
    }
    return {"cat"_op(IValue::list(std::move(outputs)), 0), state};
  }
  RnnState state = first, ended;  // of the sequences after those that still run
  for (size_t t = 0; t < sizes.size(); ++t) {
    const int64_t before = t ? sizes[t - 1] : sizes[0];
    if (sizes[t] < before) {
      const RnnState done = rows(state, sizes[t], before - sizes[t]);
      ended = ended.h.defined() ? joined(done, ended) : done;
      state = rows(state, 0, sizes[t]);
    }
    state = step(cell, rows(gates, begins[t], sizes[t]), state, w);
    outputs[t] = state.h;
  }
  return {"cat"_op(IValue::list(std::move(outputs)), 0), ended.h.defined() ? joined(state, ended) : state};
}

// Where the arguments of an operator stand.
struct RnnArguments {
  size_t hx, params, has_biases, layers, dropout, train, bidirectional;
};
constexpr RnnArguments kPadded{1, 2, 3, 4, 5, 6, 7}, kPacked{2, 3, 4, 5, 6, 7, 8};
constexpr size_t kBatchFirst = 8;  // of padded input

// How many of the weights belong to one layer in one direction.
size_t weights_each(bool biases, bool projected) { return (biases ? 4 : 2) + (projected ? 1 : 0); }

template <class Run>
IValue run_layers(RnnCell cell, const IValue* a, const RnnArguments& p, Tensor input, Run run) {
  const bool lstm = cell == RnnCell::Lstm, biases = a[p.has_biases].to_bool(), train = a[p.train].to_bool();
  const auto layers = static_cast<size_t>(a[p.layers].to_int());
  const size_t ways = a[p.bidirectional].to_bool() ? 2 : 1;
  const auto& params = a[p.params].items();
  const IValue& hx = lstm ? a[p.hx].items()[0] : a[p.hx];
  const auto h = "unbind"_op(hx, 0).items(), c = lstm ? "unbind"_op(a[p.hx].items()[1], 0).items() : std::vector<IValue>();
  const bool projected = lstm && params.size() == layers * ways * weights_each(biases, true);
  const size_t each = weights_each(biases, projected);
  std::vector<IValue> last_h, last_c;
  for (size_t layer = 0; layer < layers; ++layer) {
    std::vector<IValue> outputs;
    for (size_t way = 0; way < ways; ++way) {
      const size_t at = layer * ways + way;
      const IValue* w = &params[at * each];
      const RnnWeights weights{w[0], w[1], biases ? w[2] : IValue(), biases ? w[3] : IValue(), projected ? w[each - 1] : IValue()};
      const RnnState first{h[at].to_tensor(), lstm ? c[at].to_tensor() : Tensor()};
      Line line = run(input, first, weights, way == 1);
      outputs.emplace_back(line.output), last_h.emplace_back(line.last.h);
      if (lstm) last_c.emplace_back(line.last.c);
    }
    input = ways == 1 ? outputs[0].to_tensor() : Tensor("cat"_op(IValue::list(std::move(outputs)), -1));
    if (train && a[p.dropout].to_double() != 0 && layer + 1 < layers) input = "dropout"_op(input, a[p.dropout], true);
  }
  const Tensor final_h = "stack"_op(IValue::list(std::move(last_h)), 0);
  if (!lstm) return IValue::tuple({input, final_h});
  return IValue::tuple({input, final_h, "stack"_op(IValue::list(std::move(last_c)), 0)});
}

template <RnnCell kCell>
IValue decompose_padded(const IValue* a) {
  const bool batch_first = a[kBatchFirst].to_bool();
  Tensor input = a[0].to_tensor();
  if (batch_first) input = "transpose"_op(input, 0, 1);
  IValue out = run_layers(kCell, a, kPadded, input, [](const Tensor& x, const RnnState& first, const RnnWeights& w, bool backward) {
    return run_padded(kCell, x, first, w, backward);
  });
  if (batch_first) out.items()[0] = "transpose"_op(out.items()[0], 0, 1);  // PyTorch's layout: a dropout draws in the order of memory
  return out;
}

// On the meta device: results without elements.
IValue packed_sizes(RnnCell cell, const IValue* a) {
  const bool lstm = cell == RnnCell::Lstm;
  const Tensor& x = a[0].as_tensor();
  const IValue& h = lstm ? a[kPacked.hx].items()[0] : a[kPacked.hx];
  auto made = [&](const Sizes& sizes) { return Tensor("zeros"_op(sizes, x.dtype(), nullptr, x.device())); };
  const Size features = size_of(h.as_tensor(), 2) * (a[kPacked.bidirectional].to_bool() ? 2 : 1);
  std::vector<IValue> out{made({size_of(x, 0), features}), made(sizes_of(h.as_tensor()))};
  if (lstm) out.emplace_back(made(sizes_of(a[kPacked.hx].items()[1].as_tensor())));
  return IValue::tuple(std::move(out));
}

template <RnnCell kCell>
IValue decompose_packed(const IValue* a) {
  if (a[0].as_tensor().is_meta() || a[1].as_tensor().is_meta()) return packed_sizes(kCell, a);
  const Tensor counts = contiguous(a[1].to_tensor());
  MONOGRAPH_CHECK(counts->kind == TensorImpl::Kind::Dense && !counts.is_meta() && counts.dtype() == DType::i64 && counts.dim() == 1,
                  Runtime, "batch_sizes of a packed sequence must be a 1-d int64 tensor whose elements are known");
  Dims sizes;
  for (int64_t k = 0; k < counts.numel(); ++k) sizes.push_back(counts.data_as<int64_t>()[k]);
  MONOGRAPH_CHECK(!sizes.empty() && sizes.back() > 0 && std::ranges::is_sorted(sizes, std::greater<>()), Runtime,
                  "batch_sizes of a packed sequence must be positive and must not grow, but they are ", to_string(sizes));
  return run_layers(kCell, a, kPacked, a[0].to_tensor(), [&](const Tensor& x, const RnnState& first, const RnnWeights& w, bool backward) {
    return run_packed(kCell, x, sizes, first, w, backward);
  });
}

// The states after a call are like those before; the output has those of the last layer at each step.
void sequence_rule(RuleCall& c, const RnnArguments& p, bool padded) {
  const bool lstm = c.op.results() == 3;
  SizesRef x = c.sizes(0);
  c.check(!x.ranked() || x.size() == (padded ? 3 : 2), Runtime, "expected input of ", padded ? 3 : 2, " dims, but got size ", x);
  const auto states = lstm ? c.count(p.hx) : std::optional<size_t>(1);
  c.check(!states || *states == (lstm ? 2 : 1), Runtime, "lstm expects two hidden states, but got ", states.value_or(0));
  const SizesRef h = lstm ? (states ? c.item_sizes(p.hx, 0) : SizesRef()) : c.sizes(p.hx);
  c.check(!h.ranked() || h.size() == 3, Runtime, "expected hidden states of 3 dims, but got size ", h);
  if (const SizesRef cells = lstm && states ? c.item_sizes(p.hx, 1) : SizesRef(); h.ranked() && cells.ranked())
    c.check(cells.size() == 3 && cells[0] == h[0] && cells[1] == h[1], Runtime, "Expected hidden states of size [layers and directions, ",
            "batch, features], but got sizes ", h, " and ", cells);
  const auto layers = c.integer(p.layers);
  const auto ways = c.truth(p.bidirectional);
  const auto count = c.count(p.params);
  const auto biases = c.truth(p.has_biases);
  if (layers && ways && count && biases) {
    const size_t lines = static_cast<size_t>(std::max<int64_t>(*layers, 0)) * (*ways ? 2 : 1);
    c.check(*layers > 0 && (*count == lines * weights_each(*biases, false) || (lstm && *count == lines * weights_each(*biases, true))),
            Runtime, "expected ", weights_each(*biases, false), " weights for each of ", lines, " layers and directions, but got ", *count);
    c.check(!h.ranked() || h[0] == static_cast<int64_t>(lines), Runtime, "Expected hidden size of ", lines, " layers and directions, got ",
            h);
    const SizesRef w = c.item_sizes(p.params, 0), w_hh = c.item_sizes(p.params, 1);
    c.check(!w.ranked() || !x.ranked() || w.size() != 2 || w[1] == x.back(), Runtime,
            "input.size(-1) must be equal to input_size. Expected ", w.size() == 2 ? w[1] : Size(), ", got ", x.back());
    c.check(!h.ranked() || !w_hh.ranked() || w_hh.size() != 2 || w_hh[1] == h[2], Runtime, "Expected hidden states with ",
            w_hh.size() == 2 ? w_hh[1] : Size(), " features, but got size ", h);
  }
  const std::optional<DType> dtype = c.dtype(0);
  if (!x.ranked() || !h.ranked() || !ways) {
    c.result({}, dtype);
  } else {
    if (padded) {
      const auto batch_first = c.truth(kBatchFirst);
      const Size batch = batch_first ? x[*batch_first ? 0 : 1] : Size();
      c.check(h[1] == batch, Runtime, "Expected hidden states of size [layers and directions, batch, features] for a batch of ", batch,
              ", but got size ", h);
      c.check(!batch_first || x[*batch_first ? 1 : 0] != 0, Runtime, "Expected sequence length to be larger than 0 in RNN");
    }
    Sizes out = x;
    out.set(x.size() - 1, h[2] * (*ways ? 2 : 1));
    c.result(out, dtype);
    if (padded && c.eager() && c.truth(kBatchFirst).value_or(false)) c.lay_out(Sizes{out[2], out[0] * out[2], 1});
  }
  c.result(h, dtype);
  if (lstm) c.result(states ? c.item_sizes(p.hx, 1) : SizesRef(), dtype);
}
void padded_rule(RuleCall& c) { sequence_rule(c, kPadded, true); }
void packed_rule(RuleCall& c) { sequence_rule(c, kPacked, false); }

constexpr ir::Effects kDraws{ir::Effects::Random, ir::Effects::Random, false, false, false};

template <RnnCell kCell>
void add(Registry& r, const char* padded, const char* packed, const char* doc, const char* samples, const char* packed_samples) {
  r.op(padded)
      .rule(padded_rule)
      .decompose(decompose_padded<kCell>, Reads::Symbols)
      .function_only()
      .effects(kDraws)
      .onnx(none("its weights are in another order"))
      .doc(doc)
      .samples(samples);
  r.op(packed)
      .rule(packed_rule)
      .decompose(decompose_packed<kCell>, Reads::Sizes)
      .function_only()
      .effects(kDraws)
      .onnx(none("ONNX has no packed sequences"))
      .doc(doc)
      .samples(packed_samples);
}

// Samples of a cell with this many gates.
#define MONOGRAPH_GATED_SAMPLES(gates) \
  "[[t(d, 3, 2, 4), t(d, n * w, 2, 5), [x for l in range(n) for _ in range(w) for x in (t(d, " gates \
  " * 5, 4 if l == 0 else 5 * w, low=-0.5, high=0.5), t(d, " gates " * 5, 5, low=-0.5, high=0.5), *((t(d, " gates " * 5), t(d, " gates \
  " * 5)) if b else ()))], b, n, 0.0, False, w == 2, False] for d in (f32, f64) for n, w, b in ((1, 1, True), (2, 2, True), (2, 1, " \
  "False))] + [[t(f64, 2, 3, 4), t(f64, 1, 2, 5), [t(f64, " gates " * 5, 4), t(f64, " gates \
  " * 5, 5)], False, 1, 0.0, False, False, True], [t(f64, 2, 3, 4), t(f64, 1, 3, 5), [t(f64, " gates " * 5, 3), t(f64, " gates \
  " * 5, 5)], False, 1, 0.0, False, False, False]]"
#define MONOGRAPH_PACKED_SAMPLES(gates) \
  "[[t(d, 6, 4), at([3, 2, 1]), t(d, n * w, 3, 5), [x for l in range(n) for _ in range(w) for x in (t(d, " gates \
  " * 5, 4 if l == 0 else 5 * w, low=-0.5, high=0.5), t(d, " gates " * 5, 5, low=-0.5, high=0.5), *((t(d, " gates " * 5), t(d, " gates \
  " * 5)) if b else ()))], b, n, 0.0, False, w == 2] for d in (f32, f64) for n, w, b in ((1, 1, True), (2, 2, True), (2, 1, False))]"

}  // namespace

void sequences(Registry& r) {
  add<RnnCell::Lstm>(
      r,
      "lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool "
      "bidirectional, "
      "bool batch_first) -> (Tensor, Tensor, Tensor)",
      "lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool "
      "train, "
      "bool bidirectional) -> (Tensor, Tensor, Tensor)",
      "Layers of long short-term memory over sequences: the last layer's outputs, and the last states of all.",
      R"([[t(d, 3, 2, 4), [t(d, n * w, 2, q or 5), t(d, n * w, 2, 5)], [x for l in range(n) for _ in range(w) for x in (t(d, 20, 4 if l == 0 else (q or 5) * w, low=-1.0, high=1.0),
             t(d, 20, q or 5, low=-1.0, high=1.0), *((t(d, 20), t(d, 20)) if b else ()), *((t(d, q, 5),) if q else ()))], b, n, 0.0, False, w == 2, False]
           for d in (f32, f64) for n, w, b, q in ((1, 1, True, 0), (2, 2, True, 0), (2, 1, False, 0), (2, 2, True, 3))]
         + [[t(f64, 2, 3, 4), [t(f64, 1, 2, 5), t(f64, 1, 2, 5)], [t(f64, 20, 4), t(f64, 20, 5)], False, 1, 0.0, False, False, True],
            [t(f64, 2, 3, 4), [t(f64, 1, 3, 5)], [t(f64, 20, 4), t(f64, 20, 5)], False, 1, 0.0, False, False, False]])",
      R"([[t(d, 6, 4), at([3, 2, 1]), [t(d, n * w, 3, q or 5), t(d, n * w, 3, 5)], [x for l in range(n) for _ in range(w) for x in (t(d, 20, 4 if l == 0 else (q or 5) * w, low=-1.0, high=1.0),
             t(d, 20, q or 5, low=-1.0, high=1.0), *((t(d, 20), t(d, 20)) if b else ()), *((t(d, q, 5),) if q else ()))], b, n, 0.0, False, w == 2]
           for d in (f32, f64) for n, w, b, q in ((1, 1, True, 0), (2, 2, True, 0), (2, 1, False, 0), (1, 1, True, 3))])");
  add<RnnCell::Gru>(
      r,
      "gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, "
      "bool batch_first) -> (Tensor, Tensor)",
      "gru.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, "
      "bool "
      "bidirectional) -> (Tensor, Tensor)",
      "Layers of gated recurrent units over sequences: the last layer's outputs, and the last states of all.", MONOGRAPH_GATED_SAMPLES("3"),
      MONOGRAPH_PACKED_SAMPLES("3"));
  add<RnnCell::Tanh>(
      r,
      "rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool "
      "bidirectional, bool batch_first) -> (Tensor, Tensor)",
      "rnn_tanh.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool "
      "train, "
      "bool bidirectional) -> (Tensor, Tensor)",
      "Layers of recurrence with tanh over sequences: the last layer's outputs, and the last states of all.", MONOGRAPH_GATED_SAMPLES("1"),
      MONOGRAPH_PACKED_SAMPLES("1"));
  add<RnnCell::Relu>(
      r,
      "rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool "
      "bidirectional, bool batch_first) -> (Tensor, Tensor)",
      "rnn_relu.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool "
      "train, "
      "bool bidirectional) -> (Tensor, Tensor)",
      "Layers of recurrence with relu over sequences: the last layer's outputs, and the last states of all.", MONOGRAPH_GATED_SAMPLES("1"),
      MONOGRAPH_PACKED_SAMPLES("1"));
  auto cell = [&](const char* schema, RnnCell kind, const char* gates_doc, const char* samples) {
    DecomposeFn decompose = kind == RnnCell::Gru    ? +[](const IValue* a) -> IValue {
      return step(RnnCell::Gru, "linear"_op(a[0], a[2], a[4]), {a[1].to_tensor(), {}}, {a[2], a[3], a[4], a[5], {}}).h;
    }
                            : kind == RnnCell::Tanh ? +[](const IValue* a) -> IValue {
      return step(RnnCell::Tanh, "linear"_op(a[0], a[2], a[4]), {a[1].to_tensor(), {}}, {a[2], a[3], a[4], a[5], {}}).h;
    }
                                                 : +[](const IValue* a) -> IValue {
      return step(RnnCell::Relu, "linear"_op(a[0], a[2], a[4]), {a[1].to_tensor(), {}}, {a[2], a[3], a[4], a[5], {}}).h;
    };
    r.op(schema)
        .rule([](RuleCall& c) {
          check_cell(c, c.sizes(1), 0);
          c.result(c.sizes(1), c.dtype(1));
        })
        .decompose(decompose, Reads::Nothing)
        .function_only()
        .onnx(none("decomposes to its gates"))
        .doc(gates_doc)
        .samples(samples);
  };
#define MONOGRAPH_CELL_SAMPLES(gates) \
  "[[t(d, n, i), t(d, n, h), t(d, " gates " * h, i), t(d, " gates " * h, h), *([t(d, " gates " * h), t(d, " gates \
  " * h)] if bias else [None, None])] for d in (f32, f64) for n, i, h in ((2, 3, 4), (1, 5, 2), (3, 1, 1)) for bias in (True, False)]"
  cell("gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", RnnCell::Gru,
       "One step of a gated recurrent unit: the next hidden state.", MONOGRAPH_CELL_SAMPLES("3"));
  cell("rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", RnnCell::Tanh,
       "One step of a recurrence with tanh: the next hidden state.", MONOGRAPH_CELL_SAMPLES("1"));
  cell("rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", RnnCell::Relu,
       "One step of a recurrence with relu: the next hidden state.", MONOGRAPH_CELL_SAMPLES("1"));
}

}  // namespace monograph
