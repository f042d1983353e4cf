// How much of its stack a thread has left, for what recurses over programs of the user's.
#pragma once

#include <cstddef>

namespace monograph {

// In bytes. A large number where the system does not tell it.
size_t stack_room();

}  // namespace monograph
