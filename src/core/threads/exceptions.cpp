// The C++ side of the pool: exceptions of the functions that run in a region reach the caller, and a wrong setting raises an error. The pool itself
// (pool.cpp) uses no exceptions, because it is a part of the C library too.
#include <atomic>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>

#include "core/error.h"
#include "core/threads/pool.h"

namespace monograph {
namespace {

// The exception of the lowest index among those captured.
class FirstError {
 public:
  // In a catch block.
  void capture(int64_t index) {
    std::lock_guard lock(mutex_);
    if (index >= index_.load(std::memory_order_relaxed)) return;
    error_ = std::current_exception();
    index_.store(index, std::memory_order_relaxed);
  }
  int64_t index() const { return index_.load(std::memory_order_relaxed); }
  void rethrow() {
    if (error_) std::rethrow_exception(std::move(error_));
  }

 private:
  std::mutex mutex_;
  std::atomic<int64_t> index_{std::numeric_limits<int64_t>::max()};
  std::exception_ptr error_;
};

void check_process(bool has_all_threads) {
  MONOGRAPH_CHECK(has_all_threads, Runtime,
                  "a child process was forked inside a parallel region and went on with it: the region's other threads exist in the parent "
                  "only; fork outside of the region, or leave the child by _exit or exec");
}

}  // namespace

int num_threads() {
  const int n = detail::threads_or_zero();
  MONOGRAPH_CHECK(n != 0, Value, "expected MONOGRAPH_NUM_THREADS to be a number from 1 to ", kMaxThreads, " but got '",
                  std::getenv("MONOGRAPH_NUM_THREADS"),
                  "': set it to the number of threads, or unset it: the default is one thread for each CPU");
  return n;
}

void set_num_threads(int n) {
  MONOGRAPH_CHECK(n >= 1 && n <= kMaxThreads, Value, "set_num_threads: expected a number from 1 to ", kMaxThreads, " but got ", n);
  detail::use_threads(n);
}

void detail::run_throwing_blocks(int64_t begin, int64_t end, int64_t grain, BlockFunction f, void* context) {
  MONOGRAPH_ASSERT(grain >= 1);
  struct Guarded {
    BlockFunction f;
    void* context;
    FirstError error;
  } guarded{f, context, {}};
  const bool whole = run_blocks(
      begin, end, grain,
      [](void* memory, int64_t b, int64_t e) {
        Guarded& region = *static_cast<Guarded*>(memory);
        if (b > region.error.index()) return;
        try {
          region.f(region.context, b, e);
        } catch (...) {
          region.error.capture(b);
        }
      },
      &guarded);
  check_process(whole);
  guarded.error.rethrow();
}

void detail::run_throwing_members(Team* team, int members, MemberFunction f, void* context) {
  struct Guarded {
    MemberFunction f;
    void* context;
    FirstError error;
  } guarded{f, context, {}};
  const bool whole = run_members(
      team, members,
      [](void* memory, int rank, int count) {
        Guarded& region = *static_cast<Guarded*>(memory);
        try {
          region.f(region.context, rank, count);
        } catch (...) {
          region.error.capture(rank);
        }
      },
      &guarded);
  check_process(whole);
  guarded.error.rethrow();
}

Gang::Gang(int size) {
  MONOGRAPH_ASSERT(size >= 1);
  if (size > 1) team_ = size > num_threads() ? nullptr : detail::hold_team(size);
  if (size == 1 || team_ != nullptr) size_ = size;
}

Gang::~Gang() {
  if (team_ != nullptr) detail::release_team(team_);
}

void Gang::run_members(int members, detail::MemberFunction f, void* context) {
  MONOGRAPH_ASSERT(members >= 1 && members <= size_);
  detail::run_throwing_members(team_, members, f, context);
}

void Gang::barrier() { detail::meet_members(team_); }

}  // namespace monograph
