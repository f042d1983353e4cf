// A server of an archive of torch.jit.save: several threads take requests from a queue and answer them with one module. `script_server MODEL.pt [THREADS]`: the
// model takes images of one channel. Each answer is compared with that of a single thread. The program is written for libtorch: with #include <torch/script.h>
// in place of the first line it compiles there.
#include <monograph/torch.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <iostream>
#include <mutex>
#include <thread>

namespace {

struct Request {
  torch::Tensor image;
  std::promise<torch::Tensor> answer;
};

// Requests in the order in which they came. pop() waits for one; it gives none once the queue is closed and empty.
class Queue {
 public:
  std::future<torch::Tensor> push(torch::Tensor image) {
    Request request{std::move(image), {}};
    std::future<torch::Tensor> answer = request.answer.get_future();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      requests_.push_back(std::move(request));
    }
    ready_.notify_one();
    return answer;
  }
  bool pop(Request& request) {
    std::unique_lock<std::mutex> lock(mutex_);
    ready_.wait(lock, [this] { return closed_ || !requests_.empty(); });
    if (requests_.empty()) return false;
    request = std::move(requests_.front());
    requests_.pop_front();
    return true;
  }
  void close() {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    ready_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Request> requests_;
  bool closed_ = false;
};

class Server {
 public:
  Server(torch::jit::Module module, int threads) : module_(std::move(module)) {
    for (int t = 0; t < threads; ++t) workers_.emplace_back([this] { work(); });
  }
  ~Server() {
    queue_.close();
    for (std::thread& worker : workers_) worker.join();
  }
  std::future<torch::Tensor> ask(torch::Tensor image) { return queue_.push(std::move(image)); }

 private:
  void work() {
    torch::InferenceMode guard;
    Request request;
    while (queue_.pop(request)) {
      try {
        request.answer.set_value(module_.forward({request.image}).toTensor());
      } catch (const std::exception&) {
        request.answer.set_exception(std::current_exception());
      }
    }
  }
  torch::jit::Module module_;
  Queue queue_;
  std::vector<std::thread> workers_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::cerr << "usage: script_server MODEL.pt [THREADS]\n", 2;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 4, count = 64;
  torch::set_num_threads(1);  // of one operator: the requests share the processor
  torch::manual_seed(7);
  torch::jit::Module module = torch::jit::load(argv[1], torch::kCPU);
  module.eval();

  std::vector<torch::Tensor> images;
  for (int k = 0; k < count; ++k) images.push_back(torch::randn({1 + k % 4, 1, 12, 12}));
  std::vector<torch::Tensor> expected;
  for (const torch::Tensor& image : images) {
    torch::InferenceMode guard;
    expected.push_back(module.forward({image}).toTensor());
  }

  Server server(module, threads);
  std::vector<std::future<torch::Tensor>> answers;
  for (const torch::Tensor& image : images) answers.push_back(server.ask(image));
  std::future<torch::Tensor> wrong = server.ask(torch::ones({2, 3}));  // no image: its caller gets the error, the others their answers
  int same = 0, errors = 0;
  for (int k = 0; k < count; ++k) same += torch::equal(answers[k].get(), expected[k]);
  try {
    wrong.get();
  } catch (const std::exception&) {
    ++errors;
  }
  std::cout << same << " of " << count << " answers of " << threads << " threads equal those of one, " << errors << " error\n";
  return same == count && errors == 1 ? 0 : 1;
}
