// The thread pool: one per process, for our kernels and for the libraries that run below us (docs/design/threads.md).
//
// A Gang gets all its threads at once, or none. A parallel_for does not wait for threads that have not started when the work is done. One caller at a
// time holds the pool; others run their regions alone, so the process has at most its own threads and one pool. A nested region runs in the thread
// that starts it. Threads are made at the first region that needs them, and sleep between regions. They take the caller's floating-point mode
// (rounding, subnormals) for each region. A child process makes its own after fork.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

namespace monograph {

// Threads that a region may use, the calling one included. At first use: MONOGRAPH_NUM_THREADS, else the CPUs that the process may use by its
// affinity mask and cgroup quota. A child process asks again after fork, unless the number was set. Raises where the variable is no such number.
#if __cpp_exceptions
int num_threads();
#endif
// From 1 to kMaxThreads; holds for the process, from the next region on.
void set_num_threads(int n);
inline constexpr int kMaxThreads = 1024;

// True in a thread that is running its part of a region.
bool in_parallel_region();

// The pool itself (pool.cpp), which knows no exceptions: the C library of kernels has it too. A function that a region calls must not throw.
namespace detail {
struct Team;
using BlockFunction = void (*)(void* context, int64_t begin, int64_t end);
using MemberFunction = void (*)(void* context, int rank, int members);
int threads_or_zero();  // num_threads(), or 0 where MONOGRAPH_NUM_THREADS is no number from 1 to kMaxThreads
void use_threads(int n);
Team* hold_team(int size);  // the pool with at least size - 1 workers, held for the caller; null where it is not to be had
void release_team(Team* team);
// Both answer false in a child process that was forked inside of the region and went on with it: the other threads exist in the parent only.
[[nodiscard]] bool run_blocks(int64_t begin, int64_t end, int64_t grain, BlockFunction f, void* context);
[[nodiscard]] bool run_members(Team* team, int members, MemberFunction f, void* context);
void meet_members(Team* team);
// The same with exceptions (exceptions.cpp): that of the lowest block or rank reaches the caller.
void run_throwing_blocks(int64_t begin, int64_t end, int64_t grain, BlockFunction f, void* context);
void run_throwing_members(Team* team, int members, MemberFunction f, void* context);
}  // namespace detail

// Calls f(b, e) on pieces that cover [begin, end) once. Every border lies at begin + k * grain (or is end), whatever the number of threads.
// A piece is one block of `grain` or several blocks in a row, on any thread, in any order: f's results must depend on its blocks only, never
// on how they come in pieces. (A reduction writes one partial result a block and combines them afterwards, in the order of blocks.)
//
// An exception in f reaches the caller: that of the lowest piece if several throw; pieces above it may not run. With one thread, one block,
// inside a region or while the pool is busy it is one plain call f(begin, end): no lock, no allocation. It never allocates after the first
// region, and f is called by reference.
#if __cpp_exceptions
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, F&& f) {
  if (begin >= end) return;
  if (end - begin <= grain || num_threads() == 1) {
    f(begin, end);
    return;
  }
  using Body = std::remove_reference_t<F>;
  detail::run_throwing_blocks(
      begin, end, grain, [](void* context, int64_t b, int64_t e) { (*static_cast<Body*>(context))(b, e); },
      const_cast<void*>(static_cast<const void*>(&f)));
}
#else
// In the sources of the C library, which are compiled without exceptions (cmake/Kernels.cmake). Under another name for the linker.
inline namespace without_exceptions {
inline int num_threads() {
  const int n = detail::threads_or_zero();
  return n > 0 ? n : 1;
}
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, F&& f) {
  if (begin >= end) return;
  if (end - begin <= grain || num_threads() == 1) {
    f(begin, end);
    return;
  }
  using Body = std::remove_reference_t<F>;
  const bool whole = detail::run_blocks(
      begin, end, grain, [](void* context, int64_t b, int64_t e) { (*static_cast<Body*>(context))(b, e); },
      const_cast<void*>(static_cast<const void*>(&f)));
  if (!whole) __builtin_trap();  // no kernel forks
}
}  // namespace without_exceptions
#endif

// The pool, held: `size` threads that are all there until the Gang ends, for code that must not run on fewer (it meets at barriers). False if
// the pool is busy, the calling thread is in a region, `size` is above num_threads(), or the system has no more threads to give. A gang of one
// is the calling thread and always there.
class Gang {
 public:
  explicit Gang(int size);
  ~Gang();
  Gang(const Gang&) = delete;
  Gang& operator=(const Gang&) = delete;

  explicit operator bool() const { return size_ > 0; }
  int size() const { return size_; }

  // Runs f(rank, members) on `members` threads at once (at most size()), rank 0 on the calling thread. The exception of the lowest rank reaches
  // the caller; f must not throw past a barrier that others wait at.
  template <class F>
  void run(int members, F&& f) {
    using Body = std::remove_reference_t<F>;
    run_members(
        members, [](void* context, int rank, int count) { (*static_cast<Body*>(context))(rank, count); },
        const_cast<void*>(static_cast<const void*>(&f)));
  }
  // Inside run: returns when every member has called it.
  void barrier();

 private:
  void run_members(int members, detail::MemberFunction f, void* context);

  detail::Team* team_ = nullptr;  // null for a gang of one
  int size_ = 0;
};

// Runs f(rank, n) on exactly n threads at once, or returns false and calls nothing.
template <class F>
bool run_team(int n, F&& f) {
  Gang gang(n);
  if (!gang) return false;
  gang.run(n, f);
  return true;
}

}  // namespace monograph
