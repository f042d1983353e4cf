// Work that nobody waits for: freeing what a large capture has recorded, after a Ctrl-C.
#pragma once

#include <memory>

namespace monograph {

// What derives from it is freed by its destructor, on another thread. That thread has no Python lock; who needs it there takes it.
class Leftover {
 public:
  virtual ~Leftover() = default;
};

// Frees it on a thread of its own, or here where there can be none. The process waits for it where it ends (wait_for_background()).
void free_in_background(std::unique_ptr<Leftover> what);

// Waits until all that was given is freed. Python calls it before its interpreter ends, since a destructor may need it; C++ programs do at exit.
void wait_for_background();

}  // namespace monograph
