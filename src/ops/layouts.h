// Memory formats of results. As in PyTorch, convolutions, pools and the like give a result whose channels are innermost if some of their arguments have that
// layout. The shape rule says which arguments decide (keep_channels_last), and everything else follows from the rule: eager calls, the meta device, out= forms
// and decompositions. A kernel fills the layout that the rule states. A kernel that takes its arguments contiguous writes contiguous results, which are then
// copied into that layout.
#pragma once

#include <initializer_list>
#include <span>

#include "core/ivalue.h"
#include "core/tensor.h"

namespace monograph {

class Operator;
class RuleCall;

// The strides of sizes in a MemoryFormat other than Preserve.
Dims strides_of_format(std::span<const int64_t> sizes, MemoryFormat format);
// ChannelsLast or ChannelsLast3d if the strides have that order, with or without gaps, else Contiguous. Unlike Tensor::is_contiguous, it reads the strides
// of dims with one element too: an image with one channel is Contiguous unless the stride of its channels is the smallest.
MemoryFormat format_of(std::span<const int64_t> sizes, std::span<const int64_t> strides);
MemoryFormat suggested_format(const Tensor& t);

// The format of the first of these arguments whose channels are innermost; Contiguous if there is none, or if it is a node of a graph. `batched`: a tensor
// with fewer dims than this counts as a batch of one.
MemoryFormat format_of_any(std::initializer_list<const IValue*> arguments, size_t batched = 0);
// Gives the last result of a rule, if it has as many dims, the format of the first of these arguments whose channels are innermost.
void keep_channels_last(RuleCall& c, std::initializer_list<size_t> arguments, size_t batched = 0);
// For gradients: `t` with the channels innermost if the format says so, else with the channels outermost. Other orders of dims stay.
Tensor in_format(const Tensor& t, MemoryFormat format);

// The format of the first result of a call, where its rule keeps the channels innermost (keep_channels_last); else Contiguous.
MemoryFormat kept_format(const Operator& op, const IValue* args);
// Copies the results of a decomposition whose rule says that channels are innermost, where they have another layout.
void keep_layouts(const Operator& op, const IValue* args, IValue* results);

}  // namespace monograph
