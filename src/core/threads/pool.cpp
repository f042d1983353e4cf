// One flag says who holds the pool, each worker sleeps on a word of its own, the caller on a counter of workers that are still busy. A fork leaves the child without workers; it
// makes a new team at its first region.
#include "core/threads/pool.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/threads/cpus.h"

namespace monograph {
namespace {

// --- the floating-point mode: what a region hands from its caller to its workers

#if defined(__x86_64__)
constexpr unsigned kStickyFlags = 0x3f;  // exceptions raised so far: each thread's own
using FloatMode = unsigned;
FloatMode float_mode() { return __builtin_ia32_stmxcsr() & ~kStickyFlags; }
void set_float_mode(FloatMode mode) {
  if (float_mode() != mode) __builtin_ia32_ldmxcsr(mode);
}
#elif defined(__aarch64__)
using FloatMode = uint64_t;
FloatMode float_mode() {
  FloatMode mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
void set_float_mode(FloatMode mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
using FloatMode = int;
FloatMode float_mode() { return 0; }
void set_float_mode(FloatMode) {}
#endif

// --- waiting

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Waits until `word` is no longer `value`: a few microseconds awake, for regions that follow each other closely, then asleep in the kernel.
uint32_t wait_while(const std::atomic<uint32_t>& word, uint32_t value) {
  constexpr int kSpins = 64;
  uint32_t now = word.load(std::memory_order_acquire);
  for (int i = 0; i < kSpins && now == value; ++i) {
    pause();
    now = word.load(std::memory_order_acquire);
  }
  while (now == value) {
    word.wait(value, std::memory_order_acquire);
    now = word.load(std::memory_order_acquire);
  }
  return now;
}

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

thread_local constinit bool in_region = false;

}  // namespace

namespace detail {

struct alignas(64) Worker {
  std::atomic<uint32_t> regions{0};  // that this worker was called to; it sleeps on this word
  std::atomic<uint32_t> answered{0};  // of these, those that it began, or that its caller ended without it
  int rank = 0;
  // Answers call number `call`: true for one of the two who try, the worker and a caller that would wait no longer.
  bool answer(uint32_t call) {
    uint32_t before = call - 1;
    return answered.compare_exchange_strong(before, call, std::memory_order_acq_rel);
  }
};

// The pool's state. Whoever turned `busy` from 0 to 1 owns all of it until the store of 0; workers read the region's fields between their
// word's increment and their decrement of `running`.
struct Team {
  std::atomic<uint32_t> busy{0};
  Team* before = nullptr;  // the team of the parent process, which has no threads here; kept reachable

  std::vector<std::unique_ptr<Worker>> workers;

  void (*function)(void*, int, int) = nullptr;
  void* context = nullptr;
  int members = 0;
  FloatMode mode{};
  FirstError* error = nullptr;
  alignas(64) std::atomic<uint32_t> running{0};  // workers still in the region; the caller sleeps on this word

  alignas(64) std::atomic<uint32_t> arrived{0};  // at the barrier
  std::atomic<uint32_t> barriers{0};  // passed so far; members sleep on this word

  void check_process() const;
};

}  // namespace detail

namespace {

using detail::Team;
using detail::Worker;

// Constant-initialized and never destroyed: regions may run before main and in static destructors.
constinit std::atomic<Team*> current_team{nullptr};
constinit std::atomic<int> thread_count{0};  // 0: not asked yet
constinit std::atomic<bool> thread_count_set{false};

// In the child only the thread that forked lives on. Its team stays with the parent; the next region makes one for the child.
void after_fork_in_child() {
  if (Team* old = current_team.load(std::memory_order_relaxed)) {
    static Team* abandoned = nullptr;
    old->before = abandoned;
    abandoned = old;
    current_team.store(nullptr, std::memory_order_relaxed);
  }
  if (!thread_count_set.load(std::memory_order_relaxed)) thread_count.store(0, std::memory_order_relaxed);
}

// Registered at load, not at the first region, so that no fork falls between a team and its handler; children inherit the registration.
[[gnu::constructor]] void watch_forks() { pthread_atfork(nullptr, nullptr, after_fork_in_child); }

Team* make_or_find_team() {
  Team* found = current_team.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  auto made = std::make_unique<Team>();
  if (!current_team.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel)) return found;
  return made.release();
}

void run_part(Team* team, int rank) {
  try {
    team->function(team->context, rank, team->members);
  } catch (...) {
    team->error->capture(rank);
  }
}

[[noreturn]] void work(Team* team, Worker* self) {
  in_region = true;  // for good: what a worker calls runs in it
  for (uint32_t seen = 0;;) {
    seen = wait_while(self->regions, seen);
    if (!self->answer(seen)) continue;
    set_float_mode(team->mode);
    run_part(team, self->rank);
    // A region's body that forked in this thread and returned: the child has nobody to return to.
    if (current_team.load(std::memory_order_relaxed) != team) _exit(70);
    if (team->running.fetch_sub(1, std::memory_order_acq_rel) == 1) team->running.notify_one();
  }
}

// Brings the team to `count` workers, as far as the system lets it.
bool hire(Team* team, size_t count) {
  if (team->workers.size() >= count) return true;
  // Signals are for the application's threads, but for those that a fault in the thread itself raises.
  sigset_t mask, before;
  sigfillset(&mask);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&mask, fault);
  pthread_sigmask(SIG_SETMASK, &mask, &before);
  try {
    team->workers.reserve(count);
    while (team->workers.size() < count) {
      auto worker = std::make_unique<Worker>();
      worker->rank = static_cast<int>(team->workers.size()) + 1;
      std::thread thread(work, team, worker.get());
      team->workers.push_back(std::move(worker));
      pthread_setname_np(thread.native_handle(), "monograph");
      thread.detach();
    }
  } catch (const std::system_error&) {  // no more threads to be had
  } catch (const std::bad_alloc&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return team->workers.size() >= count;
}

int first_thread_count() {
  const char* text = std::getenv("MONOGRAPH_NUM_THREADS");
  if (text == nullptr || *text == 0) return std::min(available_cpus(), kMaxThreads);
  int n = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, status] = std::from_chars(text, end, n);
  MONOGRAPH_CHECK(status == std::errc() && stop == end && n >= 1 && n <= kMaxThreads, Value,
                  "expected MONOGRAPH_NUM_THREADS to be a number from 1 to ", kMaxThreads, " but got '", text,
                  "': set it to the number of threads, or unset it for one a CPU");
  return n;
}

}  // namespace

int num_threads() {
  int n = thread_count.load(std::memory_order_relaxed);
  if (n != 0) [[likely]]
    return n;
  const int first = first_thread_count();
  return thread_count.compare_exchange_strong(n, first, std::memory_order_relaxed) ? first : n;
}

void set_num_threads(int n) {
  MONOGRAPH_CHECK(n >= 1 && n <= kMaxThreads, Value, "set_num_threads: expected a number from 1 to ", kMaxThreads, " but got ", n);
  thread_count_set.store(true, std::memory_order_relaxed);
  thread_count.store(n, std::memory_order_relaxed);
}

bool in_parallel_region() { return in_region; }

void detail::Team::check_process() const {
  MONOGRAPH_CHECK(
      current_team.load(std::memory_order_relaxed) == this, Runtime,
      "a child process was forked inside a parallel region and went on with it: the region's other threads exist in the parent only; fork "
      "outside of the region, or leave the child by _exit or exec");
}

namespace {

// The pool with at least size - 1 workers, held for the caller; null where it is not to be had.
Team* hold_team(int size) {
  if (in_region || size > num_threads()) return nullptr;
  Team* team = make_or_find_team();
  if (team->busy.load(std::memory_order_relaxed) != 0 || team->busy.exchange(1, std::memory_order_acquire) != 0) return nullptr;
  if (hire(team, static_cast<size_t>(size) - 1)) return team;
  team->busy.store(0, std::memory_order_release);
  return nullptr;
}

// A caller waits for a worker that has not begun (it sleeps, or its processor is taken), or goes on without it: then f must do all of the
// work on any number of threads.
enum class Late { WaitFor, GoOnWithout };

void run_region(Team* team, int members, void (*f)(void*, int, int), void* context, Late late) {
  FirstError error;
  team->members = members;
  team->function = f;
  team->context = context;
  team->mode = float_mode();
  team->error = &error;
  team->running.store(static_cast<uint32_t>(members) - 1, std::memory_order_relaxed);
  for (int i = 0; i < members - 1; ++i) {
    std::atomic<uint32_t>& regions = team->workers[i]->regions;
    regions.fetch_add(1, std::memory_order_release);
    regions.notify_one();
  }
  in_region = true;
  run_part(team, 0);
  in_region = false;
  team->check_process();
  if (late == Late::GoOnWithout)
    for (int i = 0; i < members - 1; ++i) {
      Worker& worker = *team->workers[i];
      if (worker.answer(worker.regions.load(std::memory_order_relaxed))) team->running.fetch_sub(1, std::memory_order_relaxed);
    }
  for (uint32_t left = team->running.load(std::memory_order_acquire); left != 0;) left = wait_while(team->running, left);
  error.rethrow();
}

}  // namespace

Gang::Gang(int size) {
  MONOGRAPH_ASSERT(size >= 1);
  if (size > 1) team_ = hold_team(size);
  if (size == 1 || team_ != nullptr) size_ = size;
}

Gang::~Gang() {
  if (team_ != nullptr) team_->busy.store(0, std::memory_order_release);
}

void Gang::run_members(int members, MemberFunction f, void* context) {
  MONOGRAPH_ASSERT(members >= 1 && members <= size_);
  if (team_ != nullptr) {
    team_->check_process();
    team_->members = members;
  }
  if (members == 1) f(context, 0, 1);
  else run_region(team_, members, f, context, Late::WaitFor);
}

void Gang::barrier() {
  if (team_ == nullptr || team_->members == 1) return;
  const uint32_t passed = team_->barriers.load(std::memory_order_relaxed);
  if (team_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<uint32_t>(team_->members)) {
    team_->arrived.store(0, std::memory_order_relaxed);
    team_->barriers.store(passed + 1, std::memory_order_release);
    team_->barriers.notify_all();
  } else {
    wait_while(team_->barriers, passed);
  }
}

void detail::parallel_blocks(int64_t begin, int64_t end, int64_t grain, BlockFunction f, void* context) {
  MONOGRAPH_ASSERT(grain >= 1);
  const int64_t blocks = (end - begin - 1) / grain + 1;
  const int size = static_cast<int>(std::min<int64_t>(num_threads(), blocks));
  Team* team = size > 1 ? hold_team(size) : nullptr;
  if (team == nullptr) {
    f(context, begin, end);
    return;
  }
  struct Release {
    Team* team;
    ~Release() { team->busy.store(0, std::memory_order_release); }
  } release{team};
  // Pieces are handed out in ascending order, some for each thread so that a late one costs little.
  constexpr int kPiecesPerThread = 8;
  const int64_t piece = std::max<int64_t>(1, blocks / (int64_t{size} * kPiecesPerThread));
  std::atomic<int64_t> next{0};
  FirstError error;
  auto part = [&] {
    while (true) {
      const int64_t first = next.fetch_add(piece, std::memory_order_relaxed);
      if (first >= blocks || first > error.index()) return;
      const int64_t last = std::min(first + piece, blocks);
      try {
        f(context, begin + first * grain, last == blocks ? end : begin + last * grain);
      } catch (...) {
        error.capture(first);
      }
    }
  };
  run_region(team, size, [](void* body, int, int) { (*static_cast<decltype(part)*>(body))(); }, &part, Late::GoOnWithout);
  error.rethrow();
}

}  // namespace monograph
