// Recurrent networks over whole sequences: layers of cells, in one or both directions, over padded or packed input. A layer in one direction is a
// product of the input for all steps, and rnn_layer.
#include <algorithm>

#include "ops/dispatch.h"
#include "ops/families/cells.h"
#include "ops/families/sequence_layers.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

constexpr const char* kOverSteps = "an error is relative to the largest element, and grows over the steps";

constexpr auto Runtime = ErrorKind::Runtime;

// Where the arguments of an operator stand.
struct RnnArguments {
  size_t hx, params, has_biases, layers, dropout, train, bidirectional;
};
constexpr RnnArguments kPadded{1, 2, 3, 4, 5, 6, 7}, kPacked{2, 3, 4, 5, 6, 7, 8};
constexpr size_t kBatchFirst = 8;  // of padded input

// How many of the weights belong to one layer in one direction.
size_t weights_each(bool biases, bool projected) { return (biases ? 4 : 2) + (projected ? 1 : 0); }

// Whether one operator has the layer's kernel and gradient: of these dtypes, without a projection.
bool has_kernel(const Tensor& gates, bool projected) { return !projected && (gates.dtype() == DType::f32 || gates.dtype() == DType::f64); }

// Whether a gradient may be asked for, so that each step is kept. The same where a capture runs the operator once more.
bool wants_gradient(const IValue& v) {
  if (v.is_list()) return std::ranges::any_of(v.items(), wants_gradient);
  return v.is_tensor() && v.as_tensor().requires_grad();
}

// One layer in one direction. `w` are its weights, as the operator has them.
RnnLine run_layer(RnnCell cell, const Tensor& input, const IValue& batch_sizes, const RnnState& first, const IValue* w, bool biases,
                  bool projected, bool reverse, bool save) {
  const IValue b_ih = biases ? w[2] : IValue(), b_hh = biases ? w[3] : IValue();
  const Tensor gates = "linear"_op(input, w[0], b_ih);
  if (!has_kernel(gates, projected)) {
    const auto sizes = batch_sizes.is_none() ? std::nullopt : std::optional<Dims>(packed_sizes(batch_sizes));
    return run_steps(cell, gates, sizes, first, {w[1], b_hh, projected ? w[biases ? 4 : 2] : IValue()}, reverse, false);
  }
  const auto made =
      "monograph::rnn_layer"_op(gates, first.h, first.c, w[1], b_hh, batch_sizes, std::string(cell_name(cell)), reverse, save).items();
  return {made[0].to_tensor(), {made[1].to_tensor(), first.c.defined() ? made[2].to_tensor() : Tensor()}, {}, {}};
}

// `batch_sizes` is None for padded input, which is (steps, batch, features) here.
IValue run_layers(RnnCell cell, const IValue* a, const RnnArguments& p, Tensor input, const IValue& batch_sizes) {
  const bool lstm = cell == RnnCell::Lstm, biases = a[p.has_biases].to_bool(), train = a[p.train].to_bool();
  const auto layers = static_cast<size_t>(a[p.layers].to_int());
  const size_t ways = a[p.bidirectional].to_bool() ? 2 : 1;
  const auto& params = a[p.params].items();
  const IValue& hx = lstm ? a[p.hx].items()[0] : a[p.hx];
  const auto h = "unbind"_op(hx, 0).items(), c = lstm ? "unbind"_op(a[p.hx].items()[1], 0).items() : std::vector<IValue>();
  const bool projected = lstm && params.size() == layers * ways * weights_each(biases, true);
  const size_t each = weights_each(biases, projected);
  const bool gradients = dispatch_state().grad_enabled || dispatch_state().inside;
  const bool save = gradients && (wants_gradient(a[0]) || wants_gradient(a[p.hx]) || wants_gradient(a[p.params]));
  std::vector<IValue> last_h, last_c;
  for (size_t layer = 0; layer < layers; ++layer) {
    std::vector<IValue> outputs;
    for (size_t way = 0; way < ways; ++way) {
      const size_t at = layer * ways + way;
      const RnnState first{h[at].to_tensor(), lstm ? c[at].to_tensor() : Tensor()};
      RnnLine line = run_layer(cell, input, batch_sizes, first, &params[at * each], biases, projected, way == 1, save);
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
  IValue out = run_layers(kCell, a, kPadded, input, {});
  if (batch_first) out.items()[0] = "transpose"_op(out.items()[0], 0, 1);  // PyTorch's layout: a dropout draws in the order of memory
  return out;
}

// On the meta device: results without elements.
IValue packed_on_meta(RnnCell cell, const IValue* a) {
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
  if (a[0].as_tensor().is_meta() || a[1].as_tensor().is_meta()) return packed_on_meta(kCell, a);
  return run_layers(kCell, a, kPacked, a[0].to_tensor(), a[1]);
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
      .special(Special::Factorization, kOverSteps)
      .doc(doc)
      .samples(samples);
  r.op(packed)
      .rule(packed_rule)
      .decompose(decompose_packed<kCell>, Reads::Symbols)
      .function_only()
      .effects(kDraws)
      .onnx(none("ONNX has no packed sequences"))
      .special(Special::Factorization, kOverSteps)
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

// Of a cell with one state, whose weights have rows for so many gates.
template <int64_t kGates>
void cell_rule(RuleCall& c) {
  check_cell(c, c.sizes(1), 0, kGates);
  c.result(c.sizes(1), c.dtype(1));
}

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
      R"(Layers of long short-term memory over sequences: the last layer's outputs, and the last states of all.

>>> x, h = torch.ones(1, 2, 1), torch.zeros(1, 1, 1)
>>> params = [torch.ones(4, 1), torch.ones(4, 1)]
>>> torch.lstm(x, (h, h), params, False, 1, 0.0, False, False, True)[0].flatten())",
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
      R"(Layers of gated recurrent units over sequences: the last layer's outputs, and the last states of all.

>>> x, h = torch.ones(1, 2, 1), torch.zeros(1, 1, 1)
>>> params = [torch.ones(3, 1), torch.ones(3, 1)]
>>> torch.gru(x, h, params, False, 1, 0.0, False, False, True)[0].flatten())",
      MONOGRAPH_GATED_SAMPLES("3"), MONOGRAPH_PACKED_SAMPLES("3"));
  add<RnnCell::Tanh>(
      r,
      "rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool "
      "bidirectional, bool batch_first) -> (Tensor, Tensor)",
      "rnn_tanh.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool "
      "train, "
      "bool bidirectional) -> (Tensor, Tensor)",
      R"(Layers of recurrence with tanh over sequences: the last layer's outputs, and the last states of all.

>>> x, h = torch.ones(1, 2, 1), torch.zeros(1, 1, 1)
>>> params = [torch.ones(1, 1), torch.ones(1, 1)]
>>> torch.rnn_tanh(x, h, params, False, 1, 0.0, False, False, True)[0].flatten())",
      MONOGRAPH_GATED_SAMPLES("1"), MONOGRAPH_PACKED_SAMPLES("1"));
  add<RnnCell::Relu>(
      r,
      "rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool "
      "bidirectional, bool batch_first) -> (Tensor, Tensor)",
      "rnn_relu.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool "
      "train, "
      "bool bidirectional) -> (Tensor, Tensor)",
      R"(Layers of recurrence with relu over sequences: the last layer's outputs, and the last states of all.

>>> x, h = torch.ones(1, 2, 1), torch.zeros(1, 1, 1)
>>> params = [torch.ones(1, 1), torch.ones(1, 1)]
>>> torch.rnn_relu(x, h, params, False, 1, 0.0, False, False, True)[0].flatten())",
      MONOGRAPH_GATED_SAMPLES("1"), MONOGRAPH_PACKED_SAMPLES("1"));
  auto
      cell =
          [&](const char* schema, RnnCell kind, const char* gates_doc, const char* samples) {
            DecomposeFn decompose = kind == RnnCell::Gru    ? +[](const IValue* a) -> IValue {
      return rnn_step(RnnCell::Gru, "linear"_op(a[0], a[2], a[4]), {a[1].to_tensor(), {}}, {a[3], a[5], {}}).h;
    }
                            : kind == RnnCell::Tanh ? +[](const IValue* a) -> IValue {
      return rnn_step(RnnCell::Tanh, "linear"_op(a[0], a[2], a[4]), {a[1].to_tensor(), {}}, {a[3], a[5], {}}).h;
    }
                                                 : +[](const IValue* a) -> IValue {
      return rnn_step(RnnCell::Relu, "linear"_op(a[0], a[2], a[4]), {a[1].to_tensor(), {}}, {a[3], a[5], {}}).h;
    };
            r.op(schema)
                .rule(kind == RnnCell::Gru ? cell_rule<3> : cell_rule<1>)
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
       R"(One step of a gated recurrent unit: the next hidden state.

w_ih: The weight for the input, of shape (3 * hidden, features): of the reset, update and new gate.
w_hh: The weight for the hidden state, of shape (3 * hidden, hidden).

>>> x, h = torch.ones(1, 2), torch.zeros(1, 1)
>>> torch.gru_cell(x, h, torch.ones(3, 2), torch.ones(3, 1)))",
       MONOGRAPH_CELL_SAMPLES("3"));
  cell("rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", RnnCell::Tanh,
       R"(One step of a recurrence with tanh: the next hidden state.

>>> x, h = torch.ones(1, 2), torch.zeros(1, 1)
>>> torch.rnn_tanh_cell(x, h, torch.ones(1, 2), torch.ones(1, 1)))",
       MONOGRAPH_CELL_SAMPLES("1"));
  cell("rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", RnnCell::Relu,
       R"(One step of a recurrence with relu: the next hidden state.

>>> x, h = torch.ones(1, 2), torch.zeros(1, 1)
>>> torch.rnn_relu_cell(x, h, torch.ones(1, 2), torch.ones(1, 1)))",
       MONOGRAPH_CELL_SAMPLES("1"));
}

}  // namespace monograph
