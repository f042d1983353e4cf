#include "core/stack.h"

#include <pthread.h>

#include <cstdint>

namespace monograph {
namespace {

// The lowest address of this thread's stack; 0 where it is not known.
uintptr_t lowest_address() {
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  size_t size = 0;
  const int failed = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return failed ? 0 : reinterpret_cast<uintptr_t>(lowest);
#elif defined(__APPLE__)
  return reinterpret_cast<uintptr_t>(pthread_get_stackaddr_np(pthread_self())) - pthread_get_stacksize_np(pthread_self());
#else
  return 0;
#endif
}

}  // namespace

size_t stack_room() {
  thread_local const uintptr_t lowest = lowest_address();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here > lowest ? here - lowest : 0;
}

}  // namespace monograph
