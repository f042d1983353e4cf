// Cells of recurrent networks.
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace monograph {
namespace {

IValue decompose_lstm_cell(const IValue* a) {
  const auto& state = a[1].items();
  MONOGRAPH_CHECK(state.size() == 2, Runtime, "[aten::lstm_cell] lstm_cell expects two hidden states, but got ", state.size());
  Tensor gates = "add"_op("linear"_op(a[0], a[2], a[4]), "linear"_op(state[0], a[3], a[5]));
  auto parts = "chunk"_op(gates, 4, -1).items();
  Tensor in = "sigmoid"_op(parts[0]), forget = "sigmoid"_op(parts[1]), cell = "tanh"_op(parts[2]), out = "sigmoid"_op(parts[3]);
  Tensor next = "add"_op("mul"_op(forget, state[1]), "mul"_op(in, cell));
  Tensor hidden = "mul"_op(out, "tanh"_op(next));
  return IValue::tuple({hidden, next});
}

void infer_lstm_cell(InferCall& c) {
  const auto& state = c.arg(1).items;
  for (size_t k = 0; k < 2; ++k) {
    ir::TensorType t = state && state->size() == 2 ? (*state)[k].tensor : ir::TensorType();
    c.tensor(t.sizes, t.dtype ? t.dtype : c.dtype(0));
  }
}

}  // namespace

void recurrent(Registry& r) {
  r.op("lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)")
      .decompose(decompose_lstm_cell, Reads::Nothing)
      .infer(infer_lstm_cell)
      .onnx(none("LSTM runs whole sequences, with its weights in another order"))
      .doc("One step of an LSTM: the next hidden and cell state.")
      .samples(R"([[t(d, n, i), [t(d, n, h), t(d, n, h)], t(d, 4 * h, i), t(d, 4 * h, h),
                  *([t(d, 4 * h), t(d, 4 * h)] if bias else [None, None])] for d in (f32, f64)
                  for n, i, h in ((2, 3, 4), (1, 5, 2), (3, 1, 1)) for bias in (True, False)])");
}

}  // namespace monograph
