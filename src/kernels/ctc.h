// The loss of connectionist temporal classification (Graves et al., 2006): minus the log of the probability of a sequence of labels, summed over
// all alignments of the labels with the time steps.
//
// Labels are a matrix with one row for each sequence, or a vector that holds all sequences one after another. Blanks may stand between labels and
// at both ends. Probabilities are added as logarithms with the C library's exp and log, so the last bits are those of that library.
#pragma once

#include "kernels/call.h"

namespace monograph {

// _ctc_loss(log_probs [times, batch, classes], targets, input_lengths, target_lengths, blank) -> (neg_log_likelihood [batch], log_alpha).
// log_probs is float32 or float64. The lengths are lists of ints or int64 vectors. log_alpha holds, for each sequence, time step and position in
// the labels with blanks, the log of the probability of all alignments up to there. BadValue: a label is not a class. BadSecond: a length in a
// vector is out of range.
MONOGRAPH_KERNEL(ctc_loss);
// (grad, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, zero_infinity). It needs ctc_scratch() bytes.
MONOGRAPH_KERNEL(ctc_loss_backward);
// `positions`: those of the longest sequence of labels with its blanks.
constexpr int64_t ctc_scratch(int64_t batch, int64_t positions) { return batch * 2 * positions * 8; }

}  // namespace monograph
