// The shape checks that the cells of recurrent networks (lstm_cell, gru_cell, rnn_tanh_cell) share.
#pragma once

#include "ops/rule.h"

namespace monograph {

// Checks a cell (input, hx, w_ih, w_hh, ...): its input, its weights with hidden_size rows for each of the `gates`, and state number k with sizes `state`.
inline void check_cell(const RuleCall& c, SizesRef state, size_t k, int64_t gates) {
  constexpr auto Runtime = ErrorKind::Runtime;
  const SizesRef x = c.sizes(0), w_ih = c.sizes(2), w_hh = c.sizes(3);
  if (x.ranked()) {
    c.check(x.size() == 1 || x.size() == 2, ErrorKind::Value, "expected an input of size [batch, features] or [features], but got ", x);
    c.check(!w_ih.ranked() || w_ih.size() != 2 || x.back() == w_ih[1], Runtime, "input has inconsistent input_size: got ", x.back(),
            " expected ", w_ih.size() == 2 ? w_ih[1] : Size());
  }
  if (!state.ranked()) return;
  c.check(state.size() == 1 || state.size() == 2, ErrorKind::Value, "expected hidden", k, " of size [batch, hidden] or [hidden], but got ",
          state);
  c.check(!x.ranked() || x.size() == state.size(), Runtime, "expected hidden", k, " to have as many dims as the input, but got size ",
          state, " for an input of size ", x);
  if (x.ranked() && x.size() == 2)
    c.check(x[0] == state[0], Runtime, "Input batch size ", x[0], " doesn't match hidden", k, " batch size ", state[0]);
  c.check(!w_hh.ranked() || w_hh.size() != 2 || state.empty() || state.back() == w_hh[1], Runtime, "hidden", k,
          " has inconsistent hidden_size: got ", state.empty() ? Size() : state.back(), ", expected ", w_hh.size() == 2 ? w_hh[1] : Size());
  if (state.empty()) return;
  const Size rows = state.back() * gates;
  c.check(!w_ih.ranked() || w_ih.empty() || w_ih[0] == rows, Runtime, "weight_ih first dim must be ", gates, " * hidden_size = ", rows,
          ", but got ", w_ih.empty() ? Size() : w_ih[0]);
  c.check(!w_hh.ranked() || w_hh.empty() || w_hh[0] == rows, Runtime, "weight_hh first dim must be ", gates, " * hidden_size = ", rows,
          ", but got ", w_hh.empty() ? Size() : w_hh[0]);
}

}  // namespace monograph
