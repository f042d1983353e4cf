// Stands in for libFuzzer: runs a fuzz target once over every file of the folders named on the command line. With --mutate N it then runs it over N
// files that are mutations of those: as the target's own mutator makes them, or bytes changed, taken out, put in, and parts of one file in another.
// --seed S gives others. An input that crashes, or takes more memory than its size allows, is left in the file "found"; the rest is said every 100,000.
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);

namespace {

using Bytes = std::vector<uint8_t>;

std::mt19937 random_numbers;
size_t below(size_t n) { return n == 0 ? 0 : random_numbers() % n; }

void change(Bytes& bytes, const Bytes& other) {
  for (size_t times = 1 + below(4); times-- > 0;) {
    const size_t at = below(bytes.size()), count = std::min(below(9), bytes.size() - at);
    const auto begin = bytes.begin() + static_cast<ptrdiff_t>(at);
    const size_t from = below(other.size()), taken = std::min(below(65), other.size() - from);
    switch (below(5)) {
      case 0: bytes.erase(begin, begin + static_cast<ptrdiff_t>(count)); break;
      case 1: bytes.insert(begin, count, static_cast<uint8_t>(random_numbers())); break;
      case 2: bytes.insert(begin, other.data() + from, other.data() + from + taken); break;
      default:
        if (!bytes.empty())
          bytes[at] = below(2) ? static_cast<uint8_t>(random_numbers()) : static_cast<uint8_t>(bytes[at] ^ (1U << below(8)));
    }
  }
}

Bytes mutated(const std::vector<Bytes>& seeds) {
  Bytes bytes = seeds[below(seeds.size())];
  if (LLVMFuzzerCustomMutator == nullptr) {
    change(bytes, seeds[below(seeds.size())]);
    return bytes;
  }
  for (size_t times = 1 + below(2); times-- > 0;) {
    const size_t size = bytes.size();
    bytes.resize(2 * size + 65536);
    bytes.resize(LLVMFuzzerCustomMutator(bytes.data(), size, bytes.size(), static_cast<unsigned>(random_numbers())));
  }
  return bytes;
}

const Bytes* running = nullptr;  // the input that the target has now

void keep() {
  const int file = open("found", O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (running == nullptr || file < 0) return;
  (void)!write(file, running->data(), running->size());
  close(file);
}

void crashed(int signal) {
  keep();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// On a stack of its own, for one that is full.
void watch_for_crashes() {
  static std::array<char, 65536> stack;
  stack_t other{};
  other.ss_sp = stack.data(), other.ss_size = stack.size();
  sigaltstack(&other, nullptr);
  struct sigaction action{};
  action.sa_handler = crashed, action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGPROF}) sigaction(signal, &action, nullptr);
}

long peak_kb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Stops an input that computes for a minute. The time is the processor's: on a busy machine the process waits, too. 0 switches it off.
void limit_seconds(long seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

// False where the peak of the process's memory grew by more than four times the input and 64 MB.
bool run(const Bytes& bytes) {
  running = &bytes;
  const long before = peak_kb();
  limit_seconds(60);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  limit_seconds(0);
  const bool fits = peak_kb() - before <= static_cast<long>(4 * bytes.size() / 1024 + 65536);
  if (!fits) keep(), std::fprintf(stderr, "an input of %zu bytes took %ld KB\n", bytes.size(), peak_kb() - before);
  running = nullptr;
  return fits;
}

}  // namespace

// As libFuzzer has it, for mutators that are not of the form of their input.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) {
  Bytes bytes(data, data + size);
  change(bytes, Bytes(bytes));
  const size_t count = std::min(bytes.size(), max_size);
  std::copy_n(bytes.begin(), count, data);
  return count;
}

int main(int argc, char** argv) {
  int files = 0;
  long mutations = 0, seed = 0;
  std::vector<Bytes> seeds;
  bool good = true;
  watch_for_crashes();
  for (int i = 1; i < argc; ++i) {
    if (const std::string_view word = argv[i]; (word == "--mutate" || word == "--seed") && i + 1 < argc) {
      (word == "--seed" ? seed : mutations) = std::stol(argv[++i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream in(entry.path(), std::ios::binary);
      std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      seeds.push_back(std::move(bytes));
      ++files;
    }
  }
  random_numbers.seed(static_cast<unsigned>(mutations + seed));
  const auto start = std::chrono::steady_clock::now();
  for (long k = 1; k <= mutations && files > 0 && good; ++k) {
    good = run(mutated(seeds));
    if (k % 100000 && k != mutations) continue;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%ld mutations, %.0f a second, %ld MB at most\n", k, static_cast<double>(k) / seconds, peak_kb() / 1024);
    std::fflush(stdout);
  }
  std::printf("%d seeds, %ld mutations\n", files, mutations);
  return files && good ? 0 : 1;  // a corpus without seeds is a mistake
}
