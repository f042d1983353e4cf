// The loss of connectionist temporal classification: how probable a sequence of labels is, over all ways to spread it over the times.
//
// Labels stand in a matrix, one row for each sequence, or one after another in a vector. Between them, and at both ends, there may be blanks. Sums of
// probabilities are taken in logarithms, with the C library's exp and log: their last bits are those of that library.
#pragma once

#include "kernels/call.h"

namespace monograph {

// Args log_probs [times, batch, classes], targets, input_lengths, target_lengths, blank. The lengths are lists, or vectors of int64. Results: minus the logarithm of the probability of each
// sequence; for each, each time and each place of the labels with blanks, the logarithm of the probability so far. Of float32 and float64. A label that
// is no class is a bad value; a length in a vector that does not fit is the second.
MONOGRAPH_KERNEL(ctc_loss);
// Args grad, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, zero_infinity. It needs ctc_scratch().
MONOGRAPH_KERNEL(ctc_loss_backward);
constexpr int64_t ctc_scratch(int64_t batch, int64_t places) { return batch * 2 * places * 8; }

}  // namespace monograph
