// Loads a .mgraph file and runs it from several threads. `serve FILE.mgraph [THREADS]`: the file is one that example_capture wrote, or any
// program of two float inputs of sizes [n, 3]. Each thread runs its own requests; every answer is compared with that of a single thread.
#include <monograph/monograph.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <thread>

using namespace monograph;

namespace {

constexpr int kRequests = 64;

struct Request {
  Tensor x, y;
};

// Different values for each request, and different numbers of rows where the graph takes them.
std::vector<Request> requests(const Graph& graph) {
  bool any_rows = true;
  try {
    graph.run({ones({5, 3}), ones({5, 3})});
  } catch (const Exception& e) {
    any_rows = false;
    std::cout << "the graph is made for one number of rows: " << e.what() << "\n";
  }
  Generator generator(7);
  std::vector<Request> list;
  for (int k = 0; k < kRequests; ++k) {
    const int64_t rows = any_rows ? 1 + k % 5 : 2;
    list.push_back({randn({rows, 3}, generator), rand({rows, 3}, generator)});
  }
  return list;
}

// Takes requests until none is left. Running a graph changes nothing in it, so that all threads share it.
class Server {
 public:
  Server(const Graph& graph, const std::vector<Request>& requests) : graph_(graph), requests_(requests), answers_(requests.size()) {}
  void work() {
    try {
      for (size_t k; (k = next_++) < requests_.size();) answers_[k] = graph_({requests_[k].x, requests_[k].y});
    } catch (const Exception& e) {
      std::lock_guard lock(mutex_);
      error_ = e.what();
    }
  }
  std::vector<Tensor> run(int threads) {
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t) workers.emplace_back([this] { work(); });
    for (std::thread& w : workers) w.join();
    if (!error_.empty()) throw RuntimeError(error_);
    return answers_;
  }

 private:
  const Graph& graph_;
  const std::vector<Request>& requests_;
  std::vector<Tensor> answers_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  std::string error_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::cerr << "usage: serve FILE.mgraph [THREADS]\n", 2;
  try {
    const int threads = argc > 2 ? std::atoi(argv[2]) : 4;
    Graph graph = load_graph(argv[1]);
    const std::vector<Request> all = requests(graph);
    const std::vector<Tensor> alone = Server(graph, all).run(1), together = Server(graph, all).run(threads);
    int same = 0;
    for (size_t k = 0; k < all.size(); ++k) same += (alone[k] != together[k]).sum().item<int64_t>() == 0;
    std::cout << same << " of " << all.size() << " answers of " << threads << " threads equal those of one\n";
    return same == kRequests ? 0 : 1;
  } catch (const OSError& e) {
    return std::cerr << "cannot load the program: " << e.what() << "\n", 3;
  } catch (const Exception& e) {
    return std::cerr << e.what() << "\n", 1;
  }
}
