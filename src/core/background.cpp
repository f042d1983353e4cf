#include "core/background.h"

#include <pthread.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>

namespace monograph {
namespace {

struct State {
  std::mutex mutex;
  std::condition_variable done;
  int running = 0;
};
// Never destroyed: a thread may still use it while the process ends.
State& state() {
  static State* const made = [] {
    auto* s = new State;
    std::atexit(wait_for_background);
    pthread_atfork([] { state().mutex.lock(); }, [] { state().mutex.unlock(); },
                   [] {  // the threads stay with the parent
                     state().running = 0;
                     state().mutex.unlock();
                   });
    return s;
  }();
  return *made;
}

}  // namespace

void free_in_background(std::unique_ptr<Leftover> what) {
  State& s = state();
  {
    const std::lock_guard lock(s.mutex);
    ++s.running;
  }
  Leftover* const given = what.release();
  const auto work = [given, &s] {
    delete given;
    const std::lock_guard lock(s.mutex);
    --s.running;
    s.done.notify_all();
  };
  try {
    std::thread(work).detach();
  } catch (const std::system_error&) {  // no more threads
    work();
  }
}

void wait_for_background() {
  State& s = state();
  std::unique_lock lock(s.mutex);
  s.done.wait(lock, [&] { return s.running == 0; });
}

}  // namespace monograph
