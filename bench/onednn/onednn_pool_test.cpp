// oneDNN runs on our thread pool and on nothing else: right results alone, with many callers, after fork, beside a libgomp of the host's.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/threads/pool.h"
#include "onednn/onednn.h"

namespace monograph {
namespace {

using namespace std::chrono_literals;

int os_threads() {
  int n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++n;
  return n;
}

bool mapped(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(library) != std::string::npos) return true;
  }
  return false;
}

// A product with padded rows, and whether oneDNN's result is within the contract's bound of the one in float64: k eps sum |a| |b| + eps |c|.
struct Product {
  int64_t M, N, K, lda, ldb, ldc;
  std::vector<float> a, b;
  std::vector<double> exact, magnitude;

  Product(int64_t M, int64_t N, int64_t K, unsigned seed = 1, int64_t pad = 0)
      : M(M), N(N), K(K), lda(K + pad), ldb(N + pad), ldc(N + 2 * pad), a(M * lda), b(K * ldb), exact(M * N), magnitude(M * N) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> draw(-1, 1);
    for (float& v : a) v = draw(engine);
    for (float& v : b) v = draw(engine);
    for (int64_t i = 0; i < M; ++i) {
      for (int64_t k = 0; k < K; ++k) {
        for (int64_t j = 0; j < N; ++j) {
          const double term = double{a[i * lda + k]} * double{b[k * ldb + j]};
          exact[i * N + j] += term;
          magnitude[i * N + j] += std::fabs(term);
        }
      }
    }
  }

  bool right(int threads) const {
    constexpr float kUntouched = -77;
    std::vector<float> c(M * ldc, kUntouched);
    onednn::matmul_f32(M, N, K, a.data(), lda, b.data(), ldb, c.data(), ldc, threads);
    constexpr double eps = std::numeric_limits<float>::epsilon();
    for (int64_t i = 0; i < M; ++i) {
      for (int64_t j = 0; j < ldc; ++j) {
        const float got = c[i * ldc + j];
        if (j >= N) {
          if (got != kUntouched) return false;
          continue;
        }
        const double want = exact[i * N + j];
        if (!(std::fabs(got - want) <= static_cast<double>(K) * eps * magnitude[i * N + j] + eps * std::fabs(want))) return false;
      }
    }
    return true;
  }
};

struct OneDnn : testing::Test {
  void SetUp() override {
    if (!onednn::built()) GTEST_SKIP() << "this build found no libdnnl to copy";
    ASSERT_TRUE(onednn::available()) << onednn::status();
    set_num_threads(4);
  }
};

TEST_F(OneDnn, ProductsAreRightOnAnyNumberOfThreads) {
  for (const Product& product : {Product(1, 1, 1), Product(5, 7, 3, 2, 3), Product(64, 96, 128, 3, 5), Product(128, 384, 384, 4),
                                 Product(257, 33, 511, 5, 1), Product(1, 1000, 300, 6), Product(300, 1, 1000, 7), Product(8, 8, 4096, 8)}) {
    for (int threads : {1, 2, 3, 4, 0})
      EXPECT_TRUE(product.right(threads)) << product.M << " " << product.N << " " << product.K << ", " << threads << " threads";
  }
  EXPECT_TRUE(Product(4, 6, 0).right(0)) << "an empty sum is zero";
  EXPECT_TRUE(Product(0, 6, 5).right(0));
}

// Products do run on the pool's workers: the pool makes them where there were none.
TEST_F(OneDnn, RunsOnThePool) {
  const Product product(256, 384, 384);
  const pid_t child = fork();
  if (child == 0) {
    const int before = os_threads();
    const bool right = product.right(3);
    _exit(before != 1 ? 2 : !right ? 3 : os_threads() != 3 ? 4 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(OneDnn, OneThreadWhileThePoolIsBusyAndInsideARegion) {
  const Product product(128, 128, 128);
  {
    Gang gang(2);
    ASSERT_TRUE(gang);
    EXPECT_TRUE(product.right(4));
  }
  std::atomic<int> right{0};
  ASSERT_TRUE(run_team(4, [&](int, int) { right += product.right(4); }));
  EXPECT_EQ(right, 4);
}

TEST_F(OneDnn, EightCallersAtOnce) {
  const int threads = std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
  const pid_t child = fork();  // where no earlier test has made workers
  if (child == 0) {
    set_num_threads(threads);
    std::atomic<int> wrong{0}, most{0}, start{0};
    auto call = [&](int t) {
      const Product mine(96 + t, 200, 150 + t, t), common(128, 128, 128);
      ++start;
      while (start < 8) std::this_thread::yield();
      for (int i = 0; i < 25; ++i) {
        wrong += !mine.right(0) + !common.right(0);
        const int now = os_threads();
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
      }
    };
    std::vector<std::thread> callers;
    for (int t = 0; t < 7; ++t) callers.emplace_back(call, t);
    call(7);
    for (auto& caller : callers) caller.join();
    _exit(wrong != 0 ? 1 : most < 9 ? 2 : most > threads + 8 ? 3 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// A region, fork, a region in the child: where libgomp hangs.
TEST_F(OneDnn, AfterFork) {
  const Product product(200, 384, 256), fresh(201, 100, 77);
  ASSERT_TRUE(product.right(4));
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(product.right(4) && fresh.right(4) ? 0 : 1);
  }
  EXPECT_TRUE(product.right(4));
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Children forked again and again while other threads make and run primitives.
TEST_F(OneDnn, ForkWhileOthersMakePrimitives) {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> others;
  for (int t = 0; t < 2; ++t) {
    others.emplace_back([&, t] {
      for (int i = 0; !stop; ++i) wrong += !Product(8 + i % 200, 16 + t, 8).right(2);
    });
  }
  const Product product(64, 64, 64);
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(product.right(2) && Product(9, 300 + i, 9).right(2) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "fork " << i << ", status " << status;
  }
  stop = true;
  for (auto& other : others) other.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(OneDnn, ManyShapesStayRight) {  // more than the cache holds, twice around
  for (int round = 0; round < 2; ++round) {
    for (int i = 1; i <= 100; ++i) ASSERT_TRUE(Product(i, 5, 6).right(1 + i % 2)) << i;
  }
}

TEST_F(OneDnn, NeedsNoLibgompAndShowsNoForeignNames) {
  EXPECT_TRUE(mapped("libmonograph_dnnl.so"));
  EXPECT_FALSE(mapped("libgomp"));
  for (const char* name :
       {"dnnl_matmul_desc_init", "monograph_dnnl_matmul_desc_init", "GOMP_parallel", "omp_get_max_threads", "monograph_GOMP_parallel"}) {
    EXPECT_EQ(dlsym(RTLD_DEFAULT, name), nullptr) << name;
  }
}

// In a process of its own: libgomp and the system's libdnnl are there first, for everybody to see, and libgomp has a team already.
TEST(OneDnnInNewProcess, DISABLED_BesideLibgomp) {
  void* gomp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(gomp, nullptr) << dlerror();
  ASSERT_NE(dlopen("libdnnl.so.2", RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  auto parallel = reinterpret_cast<void (*)(void (*)(void*), void*, unsigned, unsigned)>(dlsym(gomp, "GOMP_parallel"));
  static std::atomic<int> members{0};
  parallel([](void*) { ++members; }, nullptr, 3, 0);
  ASSERT_EQ(members, 3);
  const int before = os_threads();
  ASSERT_EQ(before, 3);
  ASSERT_TRUE(onednn::available()) << onednn::status();
  set_num_threads(2);
  EXPECT_TRUE(Product(128, 384, 384).right(2));
  EXPECT_EQ(os_threads(), before + 1) << "one worker of ours, none of libgomp's";
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(Product(128, 384, 384).right(2) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(OneDnnInNewProcess, DISABLED_FolderWithoutIt) {
  EXPECT_FALSE(onednn::available());
  EXPECT_NE(onednn::status().find("/nowhere"), std::string::npos) << onednn::status();
  float x = 1;
  EXPECT_THROW(onednn::matmul_f32(1, 1, 1, &x, 1, &x, 1, &x, 1), std::exception);
}

int in_new_process(const char* test, const char* folder) {
  const pid_t child = fork();
  if (child == 0) {
    if (folder != nullptr) setenv("MONOGRAPH_ONEDNN_DIR", folder, 1);
    const std::string filter = std::string("--gtest_filter=OneDnnInNewProcess.DISABLED_") + test;
    execl("/proc/self/exe", "onednn_pool_test", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(OneDnn, InNewProcesses) {
  EXPECT_EQ(in_new_process("BesideLibgomp", nullptr), 0);
  EXPECT_EQ(in_new_process("FolderWithoutIt", "/nowhere"), 0);
}

}  // namespace
}  // namespace monograph
