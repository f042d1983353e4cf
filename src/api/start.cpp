// Initializes the library before the first call of the API.
#include "api/access.h"
#include "autograd/engine.h"

MONOGRAPH_API_BEGIN

void start() {
  static const bool ready = [] {
    capture::use_operators();
    install_autograd();
    return true;
  }();
  (void)ready;
}

MONOGRAPH_API_END
