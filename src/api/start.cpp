// What must have happened before the first call of the API.
#include "api/access.h"
#include "autograd/engine.h"

namespace monograph::api {

void start() {
  static const bool ready = [] {
    capture::use_operators();
    install_autograd();
    return true;
  }();
  (void)ready;
}

}  // namespace monograph::api
