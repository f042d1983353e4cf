// The thread pool's promises (docs/design/threads.md): borders, gangs, fork, affinity and quota, the floating-point mode, exceptions, thread counts.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/threads/cpus.h"
#include "core/threads/pool.h"
#include "sanitizers.h"

#if defined(MONOGRAPH_THREAD_SANITIZER)
// The sanitizer otherwise ends a child that forked from several threads and makes threads of its own: what is tested here.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif

namespace monograph {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

int os_threads() {
  int n = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/task")) ++n;
  return n;
}

// Runs f in a forked child: its result (0 to 255) is the child's exit code; -1 if it is still running after 20 seconds or dies of a signal.
template <class F>
int in_child(F f) {
  const pid_t child = fork();
  if (child == 0) {
    int code = 200;
    try {
      code = f();
    } catch (const std::exception& error) {
      fprintf(stderr, "in the child: %s\n", error.what());
    }
    _exit(code);
  }
  int status = 0;
  for (int i = 0; i < 4000; ++i) {
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::this_thread::sleep_for(5ms);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}

// A region that computes sum of i^2 for i < n over blocks, and the threads it ran on.
struct Squares {
  int64_t sum = 0;
  size_t threads = 0;
};
Squares squares(int64_t n, int64_t grain) {
  std::atomic<int64_t> sum{0};
  std::mutex mutex;
  std::set<std::thread::id> ids;
  parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
    int64_t part = 0;
    for (int64_t i = begin; i < end; ++i) part += i * i;
    sum += part;
    std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  return {sum, ids.size()};
}
int64_t squares_below(int64_t n) { return (n - 1) * n * (2 * n - 1) / 6; }

// Both members of a gang of n are there at once, or this never returns.
bool gang_meets(int n) {
  std::atomic<int> there{0};
  return run_team(n, [&](int, int members) {
    ++there;
    while (there < members) std::this_thread::yield();
  });
}

struct Threads : testing::Test {
  void SetUp() override { set_num_threads(4); }
};

TEST_F(Threads, CoverTheRangeOnceAtBordersOfGrain) {
  for (int threads : {1, 2, 3, 4}) {
    set_num_threads(threads);
    for (int64_t n : {1, 7, 64, 65, 1000, 4096}) {
      for (int64_t grain : {1, 3, 64, 5000}) {
        const int64_t origin = 11;
        std::vector<std::atomic<int>> hits(n);
        std::atomic<int> off_border{0}, empty{0};
        parallel_for(origin, origin + n, grain, [&](int64_t begin, int64_t end) {
          off_border += (begin - origin) % grain != 0;
          off_border += end != origin + n && (end - origin) % grain != 0;
          empty += begin >= end;
          for (int64_t i = begin; i < end; ++i) ++hits[i - origin];
        });
        for (auto& hit : hits) ASSERT_EQ(hit, 1) << threads << " threads, " << n << " by " << grain;
        EXPECT_EQ(off_border, 0) << threads << " threads, " << n << " by " << grain;
        EXPECT_EQ(empty, 0);
      }
    }
  }
  bool called = false;
  parallel_for(5, 5, 1, [&](int64_t, int64_t) { called = true; });
  parallel_for(5, 2, 1, [&](int64_t, int64_t) { called = true; });
  EXPECT_FALSE(called);
}

// Regions so short that their workers mostly come too late and are called off; then a gang calls them, and needs all.
TEST_F(Threads, AThreadThatCameTooLateComesToTheNextRegion) {
  for (int round = 0; round < 3000; ++round) {
    std::atomic<int> hits{0};
    parallel_for(0, 4, 1, [&](int64_t begin, int64_t end) { hits += static_cast<int>(end - begin); });
    ASSERT_EQ(hits, 4);
    if (round % 50 == 0) ASSERT_TRUE(gang_meets(4));
  }
}

// A sum whose order follows the blocks has the same bits on any number of threads.
TEST_F(Threads, BlockwiseSumHasTheSameBitsOnAnyThreadCount) {
  constexpr int64_t n = 100'003, grain = 256;
  std::vector<float> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = std::sin(static_cast<float>(i)) * 1e3f;
  auto sum = [&] {
    std::vector<float> partial((n + grain - 1) / grain);
    parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; block += grain) {
        float s = 0;
        for (int64_t i = block; i < std::min(block + grain, end); ++i) s += values[i];
        partial[block / grain] = s;
      }
    });
    float total = 0;
    for (float p : partial) total += p;
    return total;
  };
  set_num_threads(1);
  const float alone = sum();
  for (int threads : {2, 3, 4, 7}) {
    set_num_threads(threads);
    for (int i = 0; i < 20; ++i) ASSERT_EQ(sum(), alone) << threads;
  }
}

TEST_F(Threads, AGangIsThereAtOnce) {
  EXPECT_TRUE(gang_meets(1));
  EXPECT_TRUE(gang_meets(2));
  EXPECT_TRUE(gang_meets(4));
  EXPECT_FALSE(run_team(5, [](int, int) { FAIL() << "more members than num_threads()"; }));
}

TEST_F(Threads, BarrierSeparatesPhases) {
  Gang gang(4);
  ASSERT_TRUE(gang);
  std::atomic<int> count{0}, wrong{0};
  for (int members : {4, 2, 3, 1, 4}) {
    count = 0;
    gang.run(members, [&](int, int n) {
      for (int phase = 1; phase <= 50; ++phase) {
        ++count;
        gang.barrier();
        wrong += count != phase * n;
        gang.barrier();
      }
    });
    EXPECT_EQ(count, 50 * members);
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(Threads, WhileThePoolIsHeldOthersRunAlone) {
  Gang gang(2);
  ASSERT_TRUE(gang);
  EXPECT_FALSE(run_team(2, [](int, int) { FAIL(); }));
  const Squares result = squares(1000, 10);
  EXPECT_EQ(result.sum, squares_below(1000));
  EXPECT_EQ(result.threads, 1u);
}

TEST_F(Threads, NestedRegionsRunInline) {
  std::atomic<int> moved{0}, outside{0}, gangs{0};
  std::atomic<int64_t> sum{0};
  EXPECT_FALSE(in_parallel_region());
  ASSERT_TRUE(run_team(4, [&](int, int) {
    const auto self = std::this_thread::get_id();
    outside += !in_parallel_region();
    gangs += run_team(2, [](int, int) {});
    parallel_for(0, 100, 1, [&](int64_t begin, int64_t end) {
      moved += std::this_thread::get_id() != self;
      sum += end - begin;
    });
  }));
  EXPECT_FALSE(in_parallel_region());
  EXPECT_EQ(moved, 0);
  EXPECT_EQ(outside, 0);
  EXPECT_EQ(gangs, 0);
  EXPECT_EQ(sum, 400);
}

TEST_F(Threads, TheFirstExceptionByIndexReachesTheCaller) {
  for (int late : {0, 1}) {  // whichever of the two comes later in time
    std::string seen;
    try {
      parallel_for(0, 1000, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          if (i != 37 && i != 70) continue;
          if ((i == 70) == (late == 1)) std::this_thread::sleep_for(20ms);
          throw std::runtime_error(std::to_string(i));
        }
      });
    } catch (const std::runtime_error& error) {
      seen = error.what();
    }
    EXPECT_EQ(seen, "37");
    try {
      run_team(4, [&](int rank, int) {
        if (rank < 2) return;
        if ((rank == 3) == (late == 1)) std::this_thread::sleep_for(20ms);
        throw std::runtime_error("rank " + std::to_string(rank));
      });
      ADD_FAILURE() << "the exception was lost";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "rank 2");
    }
  }
  EXPECT_TRUE(gang_meets(4)) << "the pool is free again";
}

#if defined(__x86_64__)
TEST_F(Threads, WorkersAdoptTheCallersFloatMode) {
  constexpr unsigned kFlushAndZero = 0x8040, kTowardZero = 0x6000;
  const unsigned before = __builtin_ia32_stmxcsr();
  auto observe = [](unsigned control) {  // in every member: does a subnormal product survive, and the mode
    std::atomic<int> flushed{0}, same{0};
    run_team(4, [&](int, int) {
      volatile float small = 1e-30f;
      volatile float product = small * 1e-10f;
      flushed += product == 0;
      same += (__builtin_ia32_stmxcsr() & ~0x3fu) == (control & ~0x3fu);
      __builtin_ia32_ldmxcsr(0x1f80);  // left changed: the next region must not see it
    });
    return std::pair<int, int>(flushed, same);
  };
  __builtin_ia32_ldmxcsr(before | kFlushAndZero);
  const auto flush = observe(before | kFlushAndZero);
  __builtin_ia32_ldmxcsr(before | kTowardZero);
  const auto round = observe(before | kTowardZero);
  __builtin_ia32_ldmxcsr(before);
  const auto plain = observe(before);
  __builtin_ia32_ldmxcsr(before);
  EXPECT_EQ(flush, std::make_pair(4, 4));
  EXPECT_EQ(round, std::make_pair(0, 4));
  EXPECT_EQ(plain, std::make_pair(0, 4));
}
#endif

TEST_F(Threads, EightCallersAtOnce) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  // In a child, where no earlier test has made workers.
  const int code = in_child([&] {
    set_num_threads(std::max(cores, 2));
    std::atomic<int> most{0}, wrong{0}, start{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 7; ++t) callers.emplace_back();
    auto call = [&](int t) {
      ++start;
      while (start < 8) std::this_thread::yield();
      for (int i = 0; i < 60; ++i) {
        const int64_t n = 200'000 + 1000 * t + i;
        wrong += squares(n, 100).sum != squares_below(n);
        const int now = os_threads();
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
      }
    };
    for (int t = 0; t < 7; ++t) callers[t] = std::thread(call, t);
    call(7);
    for (auto& caller : callers) caller.join();
    if (wrong != 0) return 1;
    if (most < 9) return 2;  // eight callers and a worker: the pool was used
#if defined(MONOGRAPH_THREAD_SANITIZER)
    most -= 1;  // the sanitizer's own
#endif
    return most <= std::max(cores, 2) + 8 ? 0 : 3;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(Threads, ForkThenRegionInChildAndInParent) {
  ASSERT_TRUE(gang_meets(4));
  auto child = [] {
    if (os_threads() > 2) return 1;  // 2: a sanitizer's own thread
    if (!gang_meets(4)) return 2;
    if (squares(5000, 10).sum != squares_below(5000)) return 3;
    return in_child([] { return gang_meets(4) && squares(100, 1).sum == squares_below(100) ? 0 : 4; });  // and a child of the child
  };
  EXPECT_EQ(in_child(child), 0);
  ASSERT_TRUE(gang_meets(4)) << "the parent's pool is its own";
  EXPECT_EQ(squares(5000, 10).sum, squares_below(5000));
}

// The fork comes while another thread holds the pool: the child's pool is free all the same.
TEST_F(Threads, ForkWhileAnotherThreadIsInARegion) {
#if defined(MONOGRAPH_THREAD_SANITIZER)
  GTEST_SKIP() << "the sanitizer dies in such a child: glibc gives its new threads the ids of the ones that stayed behind";
#endif
  std::atomic<bool> inside{false}, leave{false};
  std::thread other([&] {
    run_team(2, [&](int, int) {
      inside = true;
      while (!leave) std::this_thread::yield();
    });
  });
  while (!inside) std::this_thread::yield();
  EXPECT_EQ(in_child([] { return gang_meets(4) ? 0 : 1; }), 0);
  leave = true;
  other.join();
  EXPECT_TRUE(gang_meets(4));
}

// A child that comes out of a region it was forked in gets an error instead of waiting for threads that it does not have.
TEST_F(Threads, ForkInsideARegion) {
  for (int forking : {0, 1}) {
    std::atomic<int> code{-2};
    const pid_t parent = getpid();
    auto body = [&](int rank, int) {
      if (rank != forking) return;
      const pid_t child = fork();
      if (child == 0) return;  // goes on with the region, in the child
      int status = 0;
      for (int i = 0; i < 4000 && waitpid(child, &status, WNOHANG) == 0; ++i) std::this_thread::sleep_for(5ms);
      kill(child, SIGKILL);
      code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    };
    try {
      EXPECT_TRUE(run_team(2, body));
    } catch (const Error&) {
      _exit(getpid() == parent ? 1 : 70);
    }
    if (getpid() != parent) _exit(2);
    EXPECT_EQ(code, 70) << "forked by rank " << forking;
  }
}

TEST_F(Threads, AffinityLimitsTheNumberOfThreads) {
  const int code = in_child([] {
    cpu_set_t mask, one;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 1;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) CPU_SET(cpu, &one);
    }
    if (sched_setaffinity(0, sizeof one, &one) != 0) return 2;
    if (available_cpus() != 1) return 3;
    return 0;
  });
  EXPECT_EQ(code, 0);
}

// The whole program again, under the names of the tests below that are disabled otherwise: a process that has used no pool yet.
int in_new_process(const char* test, const char* threads_variable) {
  const pid_t child = fork();
  if (child == 0) {
    if (threads_variable != nullptr) {
      setenv("MONOGRAPH_NUM_THREADS", threads_variable, 1);
    } else {
      unsetenv("MONOGRAPH_NUM_THREADS");
    }
    const std::string filter = std::string("--gtest_filter=InNewProcess.DISABLED_") + test;
    execl("/proc/self/exe", "threads_test", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(InNewProcess, DISABLED_OneCpu) {
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &mask)) ++cpu;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
  EXPECT_EQ(num_threads(), 1);
  EXPECT_EQ(squares(5000, 10).threads, 1u);
  EXPECT_LE(os_threads(), 2);  // 2: a sanitizer's own thread
}
TEST(InNewProcess, DISABLED_ChildAsksAgain) {
  EXPECT_EQ(num_threads(), available_cpus());
  EXPECT_EQ(in_child([] {
              cpu_set_t mask;
              sched_getaffinity(0, sizeof mask, &mask);
              int cpu = 0;
              while (!CPU_ISSET(cpu, &mask)) ++cpu;
              CPU_ZERO(&mask);
              CPU_SET(cpu, &mask);
              sched_setaffinity(0, sizeof mask, &mask);
              return num_threads();
            }),
            1);
}
TEST(InNewProcess, DISABLED_VariableIsThree) { EXPECT_EQ(num_threads(), 3); }
TEST(InNewProcess, DISABLED_VariableIsWrong) {
  try {
    num_threads();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Value);
    EXPECT_NE(std::string(error.what()).find("MONOGRAPH_NUM_THREADS"), std::string::npos);
  }
}

TEST(Settings, InNewProcesses) {
  EXPECT_EQ(in_new_process("OneCpu", nullptr), 0);
  EXPECT_EQ(in_new_process("ChildAsksAgain", nullptr), 0);
  EXPECT_EQ(in_new_process("VariableIsThree", "3"), 0);
  for (const char* wrong : {"0", "-2", "two", "3x", "99999"}) EXPECT_EQ(in_new_process("VariableIsWrong", wrong), 0) << wrong;
}

TEST(Settings, SetNumThreads) {
  set_num_threads(3);
  EXPECT_EQ(num_threads(), 3);
  EXPECT_THROW(set_num_threads(0), Error);
  EXPECT_THROW(set_num_threads(kMaxThreads + 1), Error);
  EXPECT_EQ(num_threads(), 3);
}

// A /proc and /sys of our own making.
struct Cgroups : testing::Test {
  std::string root = fs::temp_directory_path() / ("monograph_cgroups_" + std::to_string(getpid()));
  void SetUp() override { fs::remove_all(root); }
  void TearDown() override { fs::remove_all(root); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
};

TEST_F(Cgroups, Version2) {
  EXPECT_EQ(cgroup_cpus(root.c_str()), 0) << "no files at all";
  write("/proc/self/mountinfo",
        "23 28 0:21 / /proc rw,nosuid - proc proc rw\n"
        "31 23 0:28 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  write("/proc/self/cgroup", "0::/work.slice/job\n");
  EXPECT_EQ(cgroup_cpus(root.c_str()), 0) << "no quota anywhere";
  write("/sys/fs/cgroup/work.slice/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cpus(root.c_str()), 0);
  write("/sys/fs/cgroup/work.slice/job/cpu.max", "250000 100000\n");
  EXPECT_EQ(cgroup_cpus(root.c_str()), 3) << "2.5 CPUs";
  write("/sys/fs/cgroup/work.slice/cpu.max", "200000 100000\n");
  EXPECT_EQ(cgroup_cpus(root.c_str()), 2) << "the cgroup around it binds too";
  write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_cpus(root.c_str()), 1) << "half a CPU is one thread";
  write("/sys/fs/cgroup/cpu.max", "garbage");
  EXPECT_EQ(cgroup_cpus(root.c_str()), 2);
}

TEST_F(Cgroups, Version1) {
  write("/proc/self/mountinfo",
        "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n");
  write("/proc/self/cgroup", "5:cpuset:/other\n4:cpu,cpuacct:/box/a\n1:name=systemd:/init\n0::/\n");
  write("/sys/fs/cgroup/cpu,cpuacct/box/a/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/box/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpus(root.c_str()), 0);
  write("/sys/fs/cgroup/cpu,cpuacct/box/a/cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(cgroup_cpus(root.c_str()), 4);
  write("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "150000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(cgroup_cpus(root.c_str()), 3);
}

TEST_F(Cgroups, ContainersSeeAPartOfTheTree) {
  write("/proc/self/mountinfo", "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
  write("/proc/self/cgroup", "4:cpu:/docker/abc/inner\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "600000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpus(root.c_str()), 6);
  write("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "500000\n");
  write("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpus(root.c_str()), 5);
  write("/proc/self/cgroup", "4:cpu:/docker/abcdef\n");  // another container's name that begins alike
  EXPECT_EQ(cgroup_cpus(root.c_str()), 6);
}

TEST(Cpus, AtLeastOneAndAtMostTheMachine) {
  EXPECT_GE(available_cpus(), 1);
  EXPECT_LE(available_cpus(), sysconf(_SC_NPROCESSORS_CONF));
}

}  // namespace
}  // namespace monograph
