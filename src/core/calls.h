// The calls that lead to a place in the user's program, where the body of a called function stands in the place of its call.
//
// A span says by its file in which call it lies: for each call there is one more copy of the file's name. So a span takes no more room, and only those who
// write a message or a file look for the call. The copies are kept for the life of the process, as the names of files are.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace monograph {

struct CallInPlace {
  std::string function, caller;  // their names, for messages: "relu", "Block.forward of 'blocks.1'"
  Span at;  // in the caller; it lies in a call itself if the body of the caller stands in the place of a call
  bool operator==(const CallInPlace&) const = default;
};

// The same pointer for equal calls, for ever. These functions are safe from any thread.
const CallInPlace* intern_call(CallInPlace call);
// The call in which a place lies; null for none.
const CallInPlace* call_of(const Span& span);
// The same place in this call; null: in none.
Span in_call(const Span& span, const CallInPlace* call);

// The same place, where what leads to it in its own text is called by `call`.
Span below_call(const Span& span, const CallInPlace* call);

// Adds the user's line to an error that has none, and the calls that lead to it; whether it did.
bool locate_with_calls(Error& e, const Span& span);
// Adds that `function` is called at this place, and the calls that lead there.
void note_call(Error& e, std::string_view function, std::string_view caller, const Span& at);

}  // namespace monograph
