// One layer of a recurrent network in one direction over a sequence, step by step in public operators.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/ivalue.h"

namespace monograph {

enum class RnnCell : uint8_t { Lstm, Gru, Tanh, Relu };
inline constexpr std::string_view kRnnCells[] = {"lstm", "gru", "tanh", "relu"};
inline std::string_view cell_name(RnnCell cell) { return kRnnCells[static_cast<size_t>(cell)]; }

struct RnnState {
  Tensor h, c;  // c: of an LSTM
};

struct RnnWeights {
  IValue hidden, bias, projection;
};

// What a layer gives: its output at each step, the state after the last one and, where asked for, what its gradient needs of each step.
struct RnnLine {
  Tensor output;
  RnnState last;
  Tensor saved, previous;  // the activated gates, and the h before the step
};

// One step from the input's part of the gates.
RnnState rnn_step(RnnCell cell, const IValue& gates, const RnnState& before, const RnnWeights& w);
// `gates` is the input's part of the gates, (steps, batch, gates) or, with the numbers of sequences that have each step, packed.
RnnLine run_steps(RnnCell cell, const Tensor& gates, const std::optional<Dims>& sizes, RnnState state, const RnnWeights& w, bool reverse,
                  bool save);
// batch_sizes of a packed sequence, whose elements are known.
Dims packed_sizes(const IValue& batch_sizes);

}  // namespace monograph
