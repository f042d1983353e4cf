// lstm_cell: one step of an LSTM, as a decomposition into linear and the gates. The cells with one state are in sequences.cpp.
#include "ops/dispatch.h"
#include "ops/families/cells.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

IValue decompose_lstm_cell(const IValue* a) {
  const auto& state = a[1].items();
  Tensor gates = "add"_op("linear"_op(a[0], a[2], a[4]), "linear"_op(state[0], a[3], a[5]));
  const Size rows = size_of(gates, -1);
  MONOGRAPH_CHECK(!rows.is_int() || rows.as_int() % 4 == 0, Runtime, "[aten::lstm_cell] expected weights of four gates, but they have ",
                  rows.as_int(), " rows; give w_ih and w_hh 4 * hidden_size rows");
  auto parts = "split_with_sizes"_op(gates, Sizes(4, floordiv(rows, 4)), -1).items();
  Tensor in = "sigmoid"_op(parts[0]), forget = "sigmoid"_op(parts[1]), cell = "tanh"_op(parts[2]), out = "sigmoid"_op(parts[3]);
  Tensor next = "add"_op("mul"_op(forget, state[1]), "mul"_op(in, cell));
  Tensor hidden = "mul"_op(out, "tanh"_op(next));
  return IValue::tuple({hidden, next});
}

// Each next state has the sizes and the dtype of the state before.
void lstm_cell_rule(RuleCall& c) {
  const auto states = c.count(1);
  c.check(!states || *states == 2, ErrorKind::Runtime, "expected hx to be the two states (h, c), but got ", states.value_or(0));
  for (size_t k = 0; k < 2; ++k) {
    if (states) check_cell(c, c.item_sizes(1, k), k, 4);
    auto dtype = states ? c.item_dtype(1, k) : std::nullopt;
    c.result(states ? c.item_sizes(1, k) : SizesRef(), dtype ? dtype : c.dtype(0));
  }
}

}  // namespace

void recurrent(Registry& r) {
  r.op("lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)")
      .decompose(decompose_lstm_cell, Reads::Symbols)
      .rule(lstm_cell_rule)
      .onnx(none("LSTM runs whole sequences, with its weights in another order"))
      .doc(R"(One step of an LSTM: the next hidden and cell state.

w_ih: The weight for the input, of shape (4 * hidden, features): of the input, forget, cell and output gate.
w_hh: The weight for the hidden state, of shape (4 * hidden, hidden).

>>> x, h, c = torch.ones(1, 2), torch.zeros(1, 1), torch.zeros(1, 1)
>>> torch.lstm_cell(x, [h, c], torch.ones(4, 2), torch.ones(4, 1)))")
      .samples(R"([[t(d, n, i), [t(d, n, h), t(d, n, h)], t(d, 4 * h, i), t(d, 4 * h, h),
                  *([t(d, 4 * h), t(d, 4 * h)] if bias else [None, None])] for d in (f32, f64)
                  for n, i, h in ((2, 3, 4), (1, 5, 2), (3, 1, 1)) for bias in (True, False)])");
}

}  // namespace monograph
