// Recurrent networks over whole sequences: lstm, gru, rnn_tanh and rnn_relu, with layers in one or both directions, over padded or packed input. One layer in
// one direction is a matrix product of the input for all steps, then monograph::rnn_layer (sequence_layers.h). Also here: the cells with one state, and the
// operators that pack and pad sequences.
#include <algorithm>

#include "ops/dispatch.h"
#include "ops/families/cells.h"
#include "ops/families/error_kinds.h"
#include "ops/families/sequence_layers.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

constexpr const char* kOverSteps = "an error is relative to the largest element, and grows over the steps";

// The positions of the arguments.
struct RnnArguments {
  size_t hx, params, has_biases, layers, dropout, train, bidirectional;
};
constexpr RnnArguments kPadded{1, 2, 3, 4, 5, 6, 7}, kPacked{2, 3, 4, 5, 6, 7, 8};
constexpr size_t kBatchFirst = 8;  // only for padded input

// How many weights one layer in one direction has.
size_t weights_per_layer(bool biases, bool projected) { return (biases ? 4 : 2) + (projected ? 1 : 0); }

// Whether rnn_layer has a kernel for this layer: in float32 and float64, without a projection.
bool has_kernel(const Tensor& gates, bool projected) { return !projected && (gates.dtype() == DType::f32 || gates.dtype() == DType::f64); }

// Whether a value requires grad, so that each step must be saved for the gradient.
bool wants_gradient(const IValue& v) {
  if (v.is_list()) return std::ranges::any_of(v.items(), wants_gradient);
  return v.is_tensor() && v.as_tensor().requires_grad();
}

bool is_projected(const IValue* a, const RnnArguments& p) {
  const size_t each = weights_per_layer(a[p.has_biases].to_bool(), true), directions = a[p.bidirectional].to_bool() ? 2 : 1;
  return a[p.params].items().size() == static_cast<size_t>(a[p.layers].to_int()) * directions * each;
}

// One layer in one direction. `w` points to its weights, in the order of the argument `params`.
RnnLayerResults run_layer(RnnCell cell, const Tensor& input, const IValue& batch_sizes, const RnnState& first, const IValue* w, bool biases,
                          bool projected, bool reverse, bool save) {
  const IValue b_ih = biases ? w[2] : IValue();
  IValue b_hh = biases ? w[3] : IValue();
  if (biases && (b_hh.as_tensor().dim() == 0 || size_of(b_hh.as_tensor(), 0).is(1)))  // one number for all rows
    b_hh = "expand"_op(b_hh, Sizes{size_of(w[1].as_tensor(), 0)});
  const Tensor gates = "linear"_op(input, w[0], b_ih);
  if (!has_kernel(gates, projected)) {
    const auto sizes = batch_sizes.is_none() ? std::nullopt : std::optional<Dims>(packed_sizes(batch_sizes));
    return run_steps(cell, gates, sizes, first, {w[1], b_hh, projected ? w[biases ? 4 : 2] : IValue()}, reverse, false);
  }
  const auto made =
      "monograph::rnn_layer"_op(gates, first.h, first.c, w[1], b_hh, batch_sizes, std::string(cell_name(cell)), reverse, save).items();
  return {made[0].to_tensor(), {made[1].to_tensor(), first.c.defined() ? made[2].to_tensor() : Tensor()}, {}, {}};
}

// All layers. For padded input `batch_sizes` is None, and the input has the shape (steps, batch, features).
IValue run_layers(RnnCell cell, const IValue* a, const RnnArguments& p, Tensor input, const IValue& batch_sizes) {
  const bool lstm = cell == RnnCell::Lstm, biases = a[p.has_biases].to_bool(), train = a[p.train].to_bool();
  const auto layers = static_cast<size_t>(a[p.layers].to_int());
  const size_t directions = a[p.bidirectional].to_bool() ? 2 : 1;
  const auto& params = a[p.params].items();
  const IValue& hx = lstm ? a[p.hx].items()[0] : a[p.hx];
  const auto h = "unbind"_op(hx, 0).items(), c = lstm ? "unbind"_op(a[p.hx].items()[1], 0).items() : std::vector<IValue>();
  const bool projected = lstm && is_projected(a, p);
  const size_t each = weights_per_layer(biases, projected);
  const bool gradients = dispatch_state().grad_enabled || dispatch_state().grad_mode_set_by_library;
  const bool save = gradients && (wants_gradient(a[0]) || wants_gradient(a[p.hx]) || wants_gradient(a[p.params]));
  std::vector<IValue> last_h, last_c;
  for (size_t layer = 0; layer < layers; ++layer) {
    std::vector<IValue> outputs;
    for (size_t direction = 0; direction < directions; ++direction) {
      const size_t at = layer * directions + direction;
      const RnnState first{h[at].to_tensor(), lstm ? c[at].to_tensor() : Tensor()};
      RnnLayerResults made = run_layer(cell, input, batch_sizes, first, &params[at * each], biases, projected, direction == 1, save);
      outputs.emplace_back(made.output), last_h.emplace_back(made.last.h);
      if (lstm) last_c.emplace_back(made.last.c);
    }
    input = directions == 1 ? outputs[0].to_tensor() : Tensor("cat"_op(IValue::list(std::move(outputs)), -1));
    if (train && a[p.dropout].to_double() != 0 && layer + 1 < layers) input = "dropout"_op(input, a[p.dropout], true);
  }
  const Tensor final_h = "stack"_op(IValue::list(std::move(last_h)), 0);
  if (!lstm) return IValue::tuple({input, final_h});
  return IValue::tuple({input, final_h, "stack"_op(IValue::list(std::move(last_c)), 0)});
}

template <RnnCell kCell>
IValue decompose_padded(const IValue* given) {
  std::vector<IValue> args(given, given + kBatchFirst + 1);
  // In a region of torch.autocast PyTorch casts all tensors of an LSTM, for which oneDNN has a kernel. The other layers are cast in their parts.
  if (kCell == RnnCell::Lstm && dispatch_state().autocast && dispatch_hooks().lower_precision && !is_projected(given, kPadded))
    for (const size_t k : {size_t{0}, kPadded.hx, kPadded.params}) args[k] = dispatch_hooks().lower_precision("aten::lstm", args[k]);
  const IValue* a = args.data();
  const bool batch_first = a[kBatchFirst].to_bool();
  Tensor input = a[0].to_tensor();
  if (batch_first) input = "transpose"_op(input, 0, 1);
  IValue out = run_layers(kCell, a, kPadded, input, {});
  if (batch_first) out.items()[0] = "transpose"_op(out.items()[0], 0, 1);  // PyTorch's layout; a later dropout draws in memory order
  return out;
}

// The results on the meta device, where batch_sizes has no elements to read.
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

// What the rule of a sequence knows: the sizes of the input, the hidden states and the cells of an LSTM, and the numbers that say how many weights there are.
struct SequenceSizes {
  SizesRef x, h, cells;
  std::optional<size_t> states, weights, layers;
  std::optional<bool> bidirectional, biases;
  size_t directions() const { return *bidirectional ? 2 : 1; }
  bool counted() const { return layers && weights && bidirectional && biases; }  // whether it is known what each weight is
};

SequenceSizes checked_states(const RuleCall& c, const RnnArguments& p, bool lstm, bool padded) {
  SequenceSizes s;
  s.x = c.sizes(0);
  c.check(!s.x.ranked() || s.x.size() == (padded ? 3 : 2), Runtime, "expected input of ", padded ? 3 : 2, " dims, but got size ", s.x);
  s.states = lstm ? c.count(p.hx) : std::optional<size_t>(1);
  c.check(!s.states || *s.states == (lstm ? 2 : 1), Runtime, "lstm expects two hidden states, but got ", s.states.value_or(0));
  if (!lstm) s.h = c.sizes(p.hx);
  else if (s.states) s.h = c.item_sizes(p.hx, 0), s.cells = c.item_sizes(p.hx, 1);
  c.check(!s.h.ranked() || s.h.size() == 3, Runtime, "expected hidden states of 3 dims, but got size ", s.h);
  if (s.h.ranked() && s.cells.ranked())
    c.check(s.cells.size() == 3 && s.cells[0] == s.h[0] && s.cells[1] == s.h[1], Runtime,
            "Expected the two states h_0 and c_0 to have equal sizes in dimensions 0 and 1, but got sizes ", s.h, " and ", s.cells);
  if (const auto layers = c.integer(p.layers)) s.layers = static_cast<size_t>(std::max<int64_t>(*layers, 0));
  s.bidirectional = c.truth(p.bidirectional), s.weights = c.count(p.params), s.biases = c.truth(p.has_biases);
  return s;
}

// Checks the weights of one layer in one direction. `first` is the place of its first weight in the argument `params`.
void check_layer(const RuleCall& c, const RnnArguments& p, const SequenceSizes& s, RnnCell cell, size_t at, size_t first, bool projected) {
  const size_t layer = at / s.directions();
  const char* direction = at % s.directions() ? "_reverse" : "";
  const Size hidden = cell == RnnCell::Lstm ? s.cells[2] : s.h[2], rows = hidden * gate_blocks(cell);
  auto check = [&](const char* name, size_t k, const Sizes& wanted) {
    const SizesRef w = c.item_sizes(p.params, first + k);
    Truth fits = !w.ranked() || w.size() == wanted.size();
    for (size_t d = 0; d < w.size(); ++d) fits = fits && w[d] == wanted[d];
    c.check(fits, Runtime, "expected ", name, "_l", layer, direction, " of size ", wanted, ", but got size ", w);
  };
  auto check_bias = [&](const char* name, size_t k) {
    const SizesRef b = c.item_sizes(p.params, first + k);
    c.check(!b.ranked() || b.empty() || (b.size() == 1 && (b[0] == rows || b[0] == 1)), Runtime, "expected ", name, "_l", layer, direction,
            " of size [", rows, "], but got size ", b);
  };
  check("weight_ih", 0, {rows, layer == 0 ? s.x.back() : s.h[2] * static_cast<int64_t>(s.directions())});
  check("weight_hh", 1, {rows, s.h[2]});
  if (*s.biases) check_bias("bias_ih", 2), check_bias("bias_hh", 3);
  if (projected) check("weight_hr", *s.biases ? 4 : 2, {s.h[2], hidden});
}

void check_weights(const RuleCall& c, const RnnArguments& p, const SequenceSizes& s, RnnCell cell) {
  const size_t total = *s.layers * s.directions(), each = weights_per_layer(*s.biases, false);
  const bool projected = cell == RnnCell::Lstm && *s.weights == total * weights_per_layer(*s.biases, true);
  c.check(total > 0 && (projected || *s.weights == total * each), Runtime, "expected ", each,
          " weights for each layer in each direction, which makes ", total * each, ", but got ", *s.weights);
  c.check(!s.h.ranked() || s.h[0] == static_cast<int64_t>(total), Runtime, "Expected hidden states of size [", total,
          ", batch, features], with one entry for each layer in each direction, but got size ", s.h);
  const SizesRef w_ih = c.item_sizes(p.params, 0), w_hh = c.item_sizes(p.params, 1);
  c.check(w_ih.size() != 2 || w_ih[1] == s.x.back(), Runtime, "input.size(-1) must be equal to input_size. Expected ", w_ih[1], ", got ",
          s.x.back());
  c.check(w_hh.size() != 2 || w_hh[1] == s.h[2], Runtime, "Expected hidden states with ", w_hh[1], " features, but got size ", s.h);
  c.check(projected || !s.h.ranked() || !s.cells.ranked() || s.h[2] == s.cells[2], Runtime,
          "Expected hidden states of one size, because no weight projects them, but got sizes ", s.h, " and ", s.cells);
  for (size_t at = 0; at < total; ++at) check_layer(c, p, s, cell, at, at * weights_per_layer(*s.biases, projected), projected);
}

// The states after the call have the sizes of those before it. The output holds the states of the last layer at each step.
void sequence_rule(RuleCall& c, const RnnArguments& p, RnnCell cell, bool padded) {
  const bool lstm = cell == RnnCell::Lstm;
  const SequenceSizes s = checked_states(c, p, lstm, padded);
  const SizesRef x = s.x, h = s.h;
  if (s.counted()) check_weights(c, p, s, cell);
  const std::optional<DType> dtype = c.dtype(0);
  if (!x.ranked() || !h.ranked() || !s.bidirectional) {
    c.result({}, dtype);
  } else {
    if (padded) {
      const auto batch_first = c.truth(kBatchFirst);
      const Size batch = batch_first ? x[*batch_first ? 0 : 1] : Size();
      c.check(h[1] == batch, Runtime, "Expected hidden states of size [", h[0], ", ", batch, ", features] for a batch of ", batch,
              ", but got size ", h);
      c.check(!batch_first || x[*batch_first ? 1 : 0] != 0, Runtime, "Expected sequence length to be larger than 0 in RNN");
    }
    Sizes out = x;
    out.set(x.size() - 1, h[2] * static_cast<int64_t>(s.directions()));
    c.result(out, dtype);
    if (padded && c.eager() && c.truth(kBatchFirst).value_or(false)) c.lay_out(Sizes{out[2], out[0] * out[2], 1});
  }
  c.result(h, dtype);
  if (lstm) c.result(s.cells, dtype);
}
template <RnnCell kCell>
void padded_rule(RuleCall& c) {
  sequence_rule(c, kPadded, kCell, true);
}
template <RnnCell kCell>
void packed_rule(RuleCall& c) {
  sequence_rule(c, kPacked, kCell, false);
}

template <RnnCell kCell>
void add(Registry& r, const char* padded, const char* packed, const char* doc, const char* samples, const char* packed_samples) {
  r.op(padded)
      .rule(padded_rule<kCell>)
      .decompose(decompose_padded<kCell>, Reads::Symbols)
      .function_only()
      .effects(kDraws)
      .onnx(none("its weights are in another order"))
      .special(Special::Factorization, kOverSteps)
      .doc(doc)
      .samples(samples);
  r.op(packed)
      .rule(packed_rule<kCell>)
      .decompose(decompose_packed<kCell>, Reads::Symbols)
      .function_only()
      .effects(kDraws)
      .onnx(none("ONNX has no packed sequences"))
      .special(Special::Factorization, kOverSteps)
      .doc(doc)
      .samples(packed_samples);
}

// Samples for layers of cells with this many gates.
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

// One step of a cell with one state, whose weights have rows for kGates gates.
template <RnnCell kCell, int64_t kGates>
void add_cell(Registry& r, const char* schema, const char* doc, const char* samples) {
  r.op(schema)
      .rule([](RuleCall& c) {
        check_cell(c, c.sizes(1), 0, kGates);
        c.result(c.sizes(1), c.dtype(1));
      })
      .decompose(
          [](const IValue* a) -> IValue {
            return rnn_step(kCell, "linear"_op(a[0], a[2], a[4]), {a[1].to_tensor(), {}}, {a[3], a[5], {}}).h;
          },
          Reads::Nothing)
      .function_only()
      .onnx(none("decomposes to its gates"))
      .doc(doc)
      .samples(samples);
}

// --- Packed sequences. The rows of one step stand together, those of the longest sequences first. batch_sizes says how many sequences have each step, lengths
// how many steps each sequence has. Neither ever grows, and each follows from the other.

// batch_sizes from lengths (n: the number of steps), or lengths from batch_sizes (n: the number of sequences).
IValue other_counts(const Tensor& counts, int64_t n) {
  const Tensor places = "arange"_op(0, n, DType::i64);
  return "sum"_op("gt"_op("unsqueeze"_op(counts, 0), "unsqueeze"_op(places, 1)), Dims{1}, false);
}

void check_counts(RuleCall& c, const char* name) {
  const auto dtype = c.dtype(1);
  c.check((!dtype || *dtype == DType::i64) && (!c.sizes(1).ranked() || c.sizes(1).size() == 1), Runtime, "'", name,
          "' argument should be a 1D CPU int64 tensor, but got ", scalar_type(dtype), " of size ", c.sizes(1));
}

void pack_rule(RuleCall& c) {
  check_counts(c, "lengths");
  SizesRef x = c.sizes(0);
  const auto batch_first = c.truth(2);
  c.check(!x.ranked() || x.size() >= 2, ErrorKind::Index,
          "_pack_padded_sequence: expected padded sequences of 2 or more dims, but got size ", x);
  if (x.ranked() && batch_first && c.sizes(1).ranked()) {
    const Size batch = x[*batch_first ? 0 : 1];
    c.check(element_count(x) != 0, Runtime, "Cannot pack empty tensors.");
    c.check(c.sizes(1)[0] == batch, Runtime, "Expected `len(lengths)` to be equal to batch_size, but got ", c.sizes(1)[0],
            " (batch_size=", batch, ")");
  }
  Sizes rows = x.ranked() ? Sizes{Size()} : Sizes::unranked();
  for (size_t k = 2; x.ranked() && k < x.size(); ++k) rows.push_back(x[k]);
  c.result(rows, c.dtype(0));
  c.result(Sizes{Size()}, DType::i64);
  c.wait_for_elements();
}

IValue pack(const IValue* a) {
  Tensor x = a[0].to_tensor();
  if (a[2].to_bool()) x = "transpose"_op(x, 0, 1);
  const Tensor lengths = "contiguous"_op(a[1]);
  MONOGRAPH_CHECK(lengths->kind == TensorImpl::Kind::Dense && !lengths.is_meta(), NotImplemented,
                  "lengths of sequences to be packed must be a tensor whose elements are known");
  const int64_t* n = lengths.data_as<int64_t>();
  const int64_t batch = lengths.numel(), steps = n[0];
  for (int64_t k = 0; k < batch; ++k) {
    MONOGRAPH_CHECK(n[k] > 0, Runtime, "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0");
    MONOGRAPH_CHECK(k == 0 || n[k] <= n[k - 1], Runtime,
                    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` "
                    "to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability.");
  }
  MONOGRAPH_CHECK(steps <= x.size(0), Runtime, "Expected lengths of at most ", x.size(0), " steps, but got ", steps);
  std::vector<IValue> rows;
  int64_t present = batch;
  for (int64_t step = 0; step < steps; ++step) {
    while (n[present - 1] <= step) --present;
    rows.emplace_back("narrow"_op("select"_op(x, 0, step), 0, 0, present));
  }
  return IValue::tuple({"cat"_op(IValue::list(std::move(rows)), 0), other_counts(lengths, steps)});
}

void pad_rule(RuleCall& c) {
  check_counts(c, "batch_sizes");
  SizesRef x = c.sizes(0);
  const auto batch_first = c.truth(2);
  c.check(!x.ranked() || x.size() >= 1, Runtime, "_pad_packed_sequence: expected rows, but got size ", x);
  const Size present = c.sizes(1).ranked() ? c.sizes(1)[0] : Size(), total = c.size(4);
  c.check(present != 0, Runtime, "batch_sizes can not be empty");
  c.check(!(total > 0) || total >= present, Runtime,
          "Expected total_length to be at least the length of the longest sequence in input, but got ", "total_length=", total,
          " and max sequence length being ", present);
  if (!x.ranked() || !batch_first) {
    c.result(Sizes::unranked(), c.dtype(0));
  } else {
    const Size steps = certainly(total > 0) ? total : certainly(total <= 0) ? present : Size();
    Sizes out = *batch_first ? Sizes{Size(), steps} : Sizes{steps, Size()};
    for (size_t k = 1; k < x.size(); ++k) out.push_back(x[k]);
    c.result(out, c.dtype(0));
  }
  c.result(Sizes{Size()}, DType::i64);
  c.wait_for_elements();
}

IValue pad(const IValue* a) {
  const Tensor data = a[0].to_tensor(), batch_sizes = a[1].to_tensor();
  const Dims present = packed_sizes(batch_sizes);
  const int64_t batch = present[0];
  int64_t sum = 0;
  for (const int64_t n : present) sum += n;
  MONOGRAPH_CHECK(sum == data.size(0), Runtime, "batch_sizes of a packed sequence must have a sum of ", data.size(0),
                  ", the number of its rows, but it is ", sum);
  const auto padding = [&](Dims front) {
    for (int64_t k = 1; k < data.dim(); ++k) front.push_back(data.size(k));
    return "full"_op(front, a[3], data.dtype(), nullptr, data.device());
  };
  std::vector<IValue> steps;
  int64_t begin = 0;
  for (const int64_t n : present) {
    const IValue rows = "narrow"_op(data, 0, begin, n);
    steps.push_back(n == batch ? rows : "cat"_op(IValue::list({rows, padding({batch - n})}), 0));
    begin += n;
  }
  IValue padded = "stack"_op(IValue::list(std::move(steps)), 0);
  if (const int64_t more = a[4].to_int() - static_cast<int64_t>(present.size()); more > 0)
    padded = "cat"_op(IValue::list({padded, padding({more, batch})}), 0);
  if (a[2].to_bool()) padded = "transpose"_op(padded, 0, 1);
  return IValue::tuple({padded, other_counts(batch_sizes, batch)});
}

void packed_sequences(Registry& r) {
  constexpr const char* kOnnx = "ONNX has no packed sequences";
  r.op("_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)")
      .rule(pack_rule)
      .sized_by_elements(pack)
      .decompose(pack)
      .function_only()
      .gradient([](GradCall& c) {
        const bool batch_first = c.value(2).to_bool();
        const Size steps = size_of(c.arg(0), batch_first ? 1 : 0);
        c.set(0, "_pad_packed_sequence"_op(c.grad(), c.result(1), batch_first, 0, steps).items()[0].to_tensor());
      })
      .onnx(none(kOnnx))
      .doc("The rows of a padded batch without its padding, those of the first step first, and how many sequences have each step.")
      .samples(
          "[[t(d, 4, 3, 2), at([3, 2, 1]), False] for d in (f32, f64)] + [[t(f64, 3, 4, 2), at([4, 4, 1]), True], [t(f64, 4, 2), at([2, "
          "2]), "
          "False], [t(f64, 2, 3, 2, 2), at([3, 1]), True], [t(f64, 4, 3, 2), at([2, 3, 1]), False], [t(f64, 4, 3, 2), at([2, 1, 0]), "
          "False], [t(f64, 4, 3, 2), at([2, 1]), False], [index(9, 4, 3), at([4, 1, 1]), False]]");
  r.op("_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, int total_length) -> (Tensor, "
       "Tensor)")
      .rule(pad_rule)
      .sized_by_elements(pad)
      .decompose(pad)
      .function_only()
      .gradient([](GradCall& c) { c.set(0, "_pack_padded_sequence"_op(c.grad(), c.result(1), c.value(2)).items()[0].to_tensor()); })
      .onnx(none(kOnnx))
      .doc("Packed rows as a padded batch, and how many steps each sequence has.")
      .samples(
          "[[t(d, 6, 2), at([3, 2, 1]), f, 0.0, n] for d in (f32, f64) for f in (False, True) for n in (-1, 5)] + [[t(f64, 5), at([3, 2]), "
          "False, -1.5, 2], [t(f64, 6, 2), at([3, 2, 1]), False, 0.0, 2], [index(9, 5), at([3, 2]), True, 1.5, 3]]");
}

}  // namespace

void sequences(Registry& r) {
  packed_sequences(r);
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

#define MONOGRAPH_CELL_SAMPLES(gates) \
  "[[t(d, n, i), t(d, n, h), t(d, " gates " * h, i), t(d, " gates " * h, h), *([t(d, " gates " * h), t(d, " gates \
  " * h)] if bias else [None, None])] for d in (f32, f64) for n, i, h in ((2, 3, 4), (1, 5, 2), (3, 1, 1)) for bias in (True, False)]"
  add_cell<RnnCell::Gru, 3>(r,
                            "gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
                            R"(One step of a gated recurrent unit: the next hidden state.

w_ih: The weight for the input, of shape (3 * hidden, features): of the reset, update and new gate.
w_hh: The weight for the hidden state, of shape (3 * hidden, hidden).

>>> x, h = torch.ones(1, 2), torch.zeros(1, 1)
>>> torch.gru_cell(x, h, torch.ones(3, 2), torch.ones(3, 1)))",
                            MONOGRAPH_CELL_SAMPLES("3"));
  add_cell<RnnCell::Tanh, 1>(
      r, "rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
      R"(One step of a recurrence with tanh: the next hidden state.

>>> x, h = torch.ones(1, 2), torch.zeros(1, 1)
>>> torch.rnn_tanh_cell(x, h, torch.ones(1, 2), torch.ones(1, 1)))",
      MONOGRAPH_CELL_SAMPLES("1"));
  add_cell<RnnCell::Relu, 1>(
      r, "rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
      R"(One step of a recurrence with relu: the next hidden state.

>>> x, h = torch.ones(1, 2), torch.zeros(1, 1)
>>> torch.rnn_relu_cell(x, h, torch.ones(1, 2), torch.ones(1, 1)))",
      MONOGRAPH_CELL_SAMPLES("1"));
}

}  // namespace monograph
