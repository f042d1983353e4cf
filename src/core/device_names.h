// The names of devices in the texts of programs.
#pragma once

#include <string_view>

#include "core/tensor.h"

namespace monograph {

// The device that this text names, or an error (Runtime) with the names that there are. `where` stands before its words: "zeros(): argument 'device': ".
Device device_named(std::string_view text, std::string_view where = "");

// The accelerator of this number, as in x.to(0), or the CPU that stands for it (with_fallback). An error (Runtime) where there is neither.
Device device_numbered(int64_t number);

}  // namespace monograph
