// Graphs that are an argument of a node, as a text: the backward of a torch.autograd.Function.
#pragma once

namespace monograph::exec {

// Sets run_function_text.
void install_function_texts();

}  // namespace monograph::exec
