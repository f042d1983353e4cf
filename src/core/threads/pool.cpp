// One flag says who holds the pool, each worker sleeps on a word of its own, the caller on a counter of workers that are still busy. A fork leaves
// the child without workers; it makes a new team at its first region. Pthreads and futexes alone, no exceptions and no C++ runtime: the C library of
// kernels has it too (cmake/Kernels.cmake).
#include "core/threads/pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <new>

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

// A number that threads wait on. Changes are in one order with the looks at `sleepers`, so that none is missed and an idle word costs no call
// into the kernel. (std::atomic has the same, with an exception of the C++ runtime in it.)
struct Word {
  std::atomic<uint32_t> value{0};
  std::atomic<uint32_t> sleepers{0};
};

void wake(Word& word, int threads) {
  if (word.sleepers.load() != 0) syscall(SYS_futex, &word.value, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

// Waits until the word is no longer `value`: about a millisecond awake, since the regions of a program that computes follow each other within it
// and a sleeper takes from five microseconds to fifty, in a virtual machine, to wake; then asleep in the kernel. (OpenMP's runtimes stay awake for
// 7 to 200 ms.) The yields let another thread have the processor where there are more threads than processors.
uint32_t wait_while(Word& word, uint32_t value) {
  constexpr int kRounds = 800, kPausesPerRound = 40;
  uint32_t now = word.value.load(std::memory_order_acquire);
  for (int round = 0; round < kRounds && now == value; ++round) {
    for (int i = 0; i < kPausesPerRound && now == value; ++i) {
      pause();
      now = word.value.load(std::memory_order_acquire);
    }
    if (now == value) sched_yield(), now = word.value.load(std::memory_order_acquire);
  }
  if (now != value) return now;
  word.sleepers.fetch_add(1);
  while ((now = word.value.load()) == value) syscall(SYS_futex, &word.value, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
  word.sleepers.fetch_sub(1);
  return now;
}

thread_local constinit bool in_region = false;

}  // namespace

namespace detail {

struct alignas(64) Worker {
  Word regions;  // that this worker was called to; it sleeps on this word
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

  Worker* workers[kMaxThreads - 1];
  int worker_count = 0;

  void (*function)(void*, int, int) = nullptr;
  void* context = nullptr;
  int members = 0;
  FloatMode mode{};
  alignas(64) Word running;  // workers still in the region; the caller sleeps on this word

  alignas(64) std::atomic<uint32_t> arrived{0};  // at the barrier
  Word barriers;  // passed so far; members sleep on this word
};

struct Hired {  // what a new thread is told
  Team* team;
  Worker* worker;
};

}  // namespace detail

namespace {

using detail::BlockFunction;
using detail::Hired;
using detail::MemberFunction;
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

// Memory for a T at its alignment, or null.
template <class T>
T* make() {
  void* memory = std::aligned_alloc(alignof(T), sizeof(T));
  return memory ? new (memory) T : nullptr;
}

Team* make_or_find_team() {
  Team* found = current_team.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  Team* made = make<Team>();
  if (made == nullptr || current_team.compare_exchange_strong(found, made, std::memory_order_acq_rel)) return made;
  std::free(made);
  return found;
}

[[noreturn]] void work(Team* team, Worker* self) {
  in_region = true;  // for good: what a worker calls runs in it
  for (uint32_t seen = 0;;) {
    seen = wait_while(self->regions, seen);
    if (!self->answer(seen)) continue;
    set_float_mode(team->mode);
    team->function(team->context, self->rank, team->members);
    // A region's body that forked in this thread and returned: the child has nobody to return to.
    if (current_team.load(std::memory_order_relaxed) != team) _exit(70);
    if (team->running.value.fetch_sub(1) == 1) wake(team->running, 1);
  }
}

void* begin_work(void* memory) {
  const Hired hired = *static_cast<Hired*>(memory);
  std::free(memory);
  work(hired.team, hired.worker);
}

// One more worker, if the system has the memory and the thread.
bool hire_one(Team* team, const pthread_attr_t& detached) {
  Worker* worker = make<Worker>();
  Hired* hired = make<Hired>();
  pthread_t thread;
  if (worker != nullptr && hired != nullptr) {
    worker->rank = team->worker_count + 1;
    *hired = {team, worker};
    if (pthread_create(&thread, &detached, begin_work, hired) == 0) {
      team->workers[team->worker_count++] = worker;
      pthread_setname_np(thread, "monograph");
      return true;
    }
  }
  std::free(worker), std::free(hired);
  return false;
}

// Brings the team to `count` workers, as far as the system lets it.
bool hire(Team* team, int count) {
  if (team->worker_count >= count) return true;
  pthread_attr_t detached;
  if (pthread_attr_init(&detached) != 0) return false;
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  // Signals are for the application's threads, but for those that a fault in the thread itself raises.
  sigset_t mask, before;
  sigfillset(&mask);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&mask, fault);
  pthread_sigmask(SIG_SETMASK, &mask, &before);
  while (team->worker_count < count && hire_one(team, detached)) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&detached);
  return team->worker_count >= count;
}

// What MONOGRAPH_NUM_THREADS says, else the CPUs; 0 where it says no number from 1 to kMaxThreads.
int first_thread_count() {
  const char* text = std::getenv("MONOGRAPH_NUM_THREADS");
  if (text == nullptr || *text == 0) return std::min(available_cpus(), kMaxThreads);
  if (*text < '0' || *text > '9') return 0;  // strtol would take blanks and a sign
  char* stop = nullptr;
  const long n = std::strtol(text, &stop, 10);
  return *stop == 0 && n >= 1 && n <= kMaxThreads ? static_cast<int>(n) : 0;
}

}  // namespace

int detail::threads_or_zero() {
  int n = thread_count.load(std::memory_order_relaxed);
  if (n != 0) [[likely]]
    return n;
  const int first = first_thread_count();
  return thread_count.compare_exchange_strong(n, first, std::memory_order_relaxed) ? first : n;
}

void detail::use_threads(int n) {
  thread_count_set.store(true, std::memory_order_relaxed);
  thread_count.store(n, std::memory_order_relaxed);
}

bool in_parallel_region() { return in_region; }

Team* detail::hold_team(int size) {
  if (in_region || size > threads_or_zero()) return nullptr;
  Team* team = make_or_find_team();
  if (team == nullptr || team->busy.load(std::memory_order_relaxed) != 0 || team->busy.exchange(1, std::memory_order_acquire) != 0)
    return nullptr;
  if (hire(team, size - 1)) return team;
  release_team(team);
  return nullptr;
}

void detail::release_team(Team* team) { team->busy.store(0, std::memory_order_release); }

namespace {

// A caller waits for a worker that has not begun (it sleeps, or its processor is taken), or goes on without it: then f must do all of the
// work on any number of threads.
enum class Late { WaitFor, GoOnWithout };

// False in a child that was forked inside of the region.
bool run_region(Team* team, int members, MemberFunction f, void* context, Late late) {
  team->members = members;
  team->function = f;
  team->context = context;
  team->mode = float_mode();
  team->running.value.store(static_cast<uint32_t>(members) - 1, std::memory_order_relaxed);
  for (int i = 0; i < members - 1; ++i) {
    Word& regions = team->workers[i]->regions;
    regions.value.fetch_add(1);
    wake(regions, 1);
  }
  in_region = true;
  f(context, 0, members);
  in_region = false;
  if (current_team.load(std::memory_order_relaxed) != team) return false;
  if (late == Late::GoOnWithout)
    for (int i = 0; i < members - 1; ++i) {
      Worker& worker = *team->workers[i];
      if (worker.answer(worker.regions.value.load(std::memory_order_relaxed))) team->running.value.fetch_sub(1, std::memory_order_relaxed);
    }
  for (uint32_t left = team->running.value.load(std::memory_order_acquire); left != 0;) left = wait_while(team->running, left);
  return true;
}

}  // namespace

bool detail::run_members(Team* team, int members, MemberFunction f, void* context) {
  if (team != nullptr) {
    if (current_team.load(std::memory_order_relaxed) != team) return false;
    team->members = members;
  }
  if (members > 1) return run_region(team, members, f, context, Late::WaitFor);
  f(context, 0, 1);
  return true;
}

void detail::meet_members(Team* team) {
  if (team == nullptr || team->members == 1) return;
  const uint32_t passed = team->barriers.value.load(std::memory_order_relaxed);
  if (team->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<uint32_t>(team->members)) {
    team->arrived.store(0, std::memory_order_relaxed);
    team->barriers.value.store(passed + 1);
    wake(team->barriers, INT_MAX);
  } else {
    wait_while(team->barriers, passed);
  }
}

bool detail::run_blocks(int64_t begin, int64_t end, int64_t grain, BlockFunction f, void* context) {
  const int64_t blocks = (end - begin - 1) / grain + 1;
  const int size = static_cast<int>(std::min<int64_t>(threads_or_zero(), blocks));
  Team* team = size > 1 ? hold_team(size) : nullptr;
  if (team == nullptr) {
    f(context, begin, end);
    return true;
  }
  // Each member begins with its own part of the range, which is the same part in the next region over the same tensors: what it wrote is still in its
  // cache. Then it helps the others. Pieces are handed out in ascending order, some for each thread so that a late one costs little.
  constexpr int kPiecesPerThread = 8, kMostParts = 16;
  const int64_t piece = std::max<int64_t>(1, blocks / (int64_t{size} * kPiecesPerThread));
  const int parts = std::min(size, kMostParts);
  struct alignas(64) Part {
    std::atomic<int64_t> next;
    int64_t end;
  } shares[kMostParts];
  for (int p = 0; p < parts; ++p) {
    shares[p].next.store(blocks * p / parts, std::memory_order_relaxed);
    shares[p].end = blocks * (p + 1) / parts;
  }
  auto part = [&](int rank) {
    for (int p = 0; p < parts; ++p) {
      Part& share = shares[(rank + p) % parts];
      for (int64_t first; (first = share.next.fetch_add(piece, std::memory_order_relaxed)) < share.end;) {
        const int64_t last = std::min(first + piece, share.end);
        f(context, begin + first * grain, last == blocks ? end : begin + last * grain);
      }
    }
  };
  const bool whole =
      run_region(team, size, [](void* body, int rank, int) { (*static_cast<decltype(part)*>(body))(rank); }, &part, Late::GoOnWithout);
  release_team(team);
  return whole;
}

}  // namespace monograph
