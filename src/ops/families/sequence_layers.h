// One layer of a recurrent network in one direction over a sequence, computed step by step with public operators.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/ivalue.h"

namespace monograph {

enum class RnnCell : uint8_t { Lstm, Gru, Tanh, Relu };
inline constexpr std::string_view kRnnCells[] = {"lstm", "gru", "tanh", "relu"};
inline std::string_view cell_name(RnnCell cell) { return kRnnCells[static_cast<size_t>(cell)]; }

// How many blocks of hidden_size columns the gates have.
constexpr int64_t gate_blocks(RnnCell cell) { return cell == RnnCell::Lstm ? 4 : cell == RnnCell::Gru ? 3 : 1; }

struct RnnState {
  Tensor h, c;  // c only for an LSTM
};

struct RnnWeights {
  IValue hidden, bias, projection;
};

// The results of a layer: its output at each step, the state after the last step and, if asked for, what its gradient needs of each step.
struct RnnLayerResults {
  Tensor output;
  RnnState last;
  Tensor saved, previous;  // the activated gates of each step, and the h before it
};

// One step. `gates` is the input's part of the gates: linear(input, w_ih, b_ih).
RnnState rnn_step(RnnCell cell, const IValue& gates, const RnnState& before, const RnnWeights& w);
// All steps. `gates` is the input's part of the gates, of shape (steps, batch, gates). For a packed sequence its shape is (rows, gates), and `sizes` says how
// many sequences have each step.
RnnLayerResults run_steps(RnnCell cell, const Tensor& gates, const std::optional<Dims>& sizes, RnnState state, const RnnWeights& w,
                          bool reverse, bool save);
// The elements of the batch_sizes of a packed sequence. Error if they are not known, not positive, or grow.
Dims packed_sizes(const IValue& batch_sizes);

}  // namespace monograph
