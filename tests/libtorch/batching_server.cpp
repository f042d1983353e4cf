// Threads that ask, one thread that runs them in batches, as game engines and web servers do.
#include <torch/script.h>
#include <torch/torch.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <iostream>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

struct Request {
  torch::Tensor input;
  std::promise<std::pair<torch::Tensor, torch::Tensor>> answer;
};

class InferenceQueue {
 public:
  InferenceQueue(torch::jit::script::Module model, size_t batch_size) : model_(std::move(model)), batch_size_(batch_size) {
    model_.to(torch::kCPU);
    model_.eval();
    worker_ = std::thread(&InferenceQueue::work, this);
  }
  ~InferenceQueue() {
    stop_.store(true);
    ready_.notify_all();
    if (worker_.joinable()) worker_.join();
  }
  std::future<std::pair<torch::Tensor, torch::Tensor>> enqueue(const torch::Tensor& input) {
    Request request{input, {}};
    auto future = request.answer.get_future();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      queue_.push_back(std::move(request));
    }
    ready_.notify_one();
    return future;
  }
  int batches() const { return batches_; }

 private:
  void work() {
    c10::InferenceMode guard;
    while (true) {
      std::vector<Request> batch;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        ready_.wait(lock, [this] { return stop_ || !queue_.empty(); });
        if (stop_ && queue_.empty()) return;
        while (!queue_.empty() && batch.size() < batch_size_) {
          batch.push_back(std::move(queue_.front()));
          queue_.pop_front();
        }
      }
      std::vector<torch::Tensor> inputs;
      inputs.reserve(batch.size());
      for (auto& request : batch) inputs.push_back(request.input);
      try {
        std::vector<torch::jit::IValue> arguments;
        arguments.emplace_back(torch::stack(inputs).to(torch::kFloat32, /*non_blocking=*/true));
        auto output = model_.forward(arguments).toTuple();
        auto policy = output->elements()[0].toTensor().detach().cpu();
        auto value = output->elements().at(1).toTensor().cpu().contiguous();
        for (size_t i = 0; i < batch.size(); ++i) batch[i].answer.set_value({policy[i].clone(), value.select(0, i)});
      } catch (...) {
        for (auto& request : batch) request.answer.set_exception(std::current_exception());
      }
      ++batches_;
    }
  }
  torch::jit::script::Module model_;
  size_t batch_size_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Request> queue_;
  std::thread worker_;
  std::atomic<bool> stop_{false};
  std::atomic<int> batches_{0};
};

// Models by name, with any number of arguments.
class Registry {
  static std::map<std::string, torch::jit::script::Module> models;
  static inline auto to_ivalue(const torch::Tensor& t) -> torch::jit::IValue { return t; }

 public:
  static void add(const std::string& name, torch::jit::script::Module m) { models.insert({name, std::move(m)}); }
  template <typename... Args>
  static std::vector<at::Tensor> infer(const std::string& name, Args&&... args) {
    torch::NoGradGuard no_grad;
    std::vector<torch::jit::IValue> inputs = {to_ivalue(args)...};
    auto out = models.at(name).forward(inputs);
    std::vector<at::Tensor> result;
    if (out.isTensor()) result.push_back(out.toTensor());
    else
      for (const auto& item : out.toTupleRef().elements()) result.push_back(item.toTensor());
    return result;
  }
};
std::map<std::string, torch::jit::script::Module> Registry::models;

int main() {
  torch::set_num_threads(1);
  at::set_num_interop_threads(1);
  torch::jit::getExecutorMode() = false;
  torch::jit::getProfilingMode() = false;
  torch::jit::setGraphExecutorOptimize(false);
  torch::jit::FusionStrategy strategy = {{torch::jit::FusionBehavior::STATIC, 0}, {torch::jit::FusionBehavior::DYNAMIC, 1}};
  strategy.push_back({torch::jit::FusionBehavior::DYNAMIC, 3});
  torch::jit::setFusionStrategy(strategy);
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
  at::init_num_threads();

  torch::manual_seed(3);
  torch::jit::Module m("Policy");
  m.register_parameter("weight", torch::randn({8, 4}), /*is_buffer=*/false);
  m.define("def forward(self, x):\n  h = torch.mm(x, self.weight)\n  return torch.softmax(h, 1), torch.tanh(h.sum(1))\n");
  InferenceQueue server(m.clone(), 4);
  std::vector<torch::Tensor> boards;
  for (int i = 0; i < 24; ++i) boards.push_back(torch::randn({8}, torch::TensorOptions().dtype(torch::kFloat64)));
  std::vector<std::future<std::pair<torch::Tensor, torch::Tensor>>> answers(boards.size());
  std::vector<std::thread> clients;
  for (int t = 0; t < 3; ++t)
    clients.emplace_back([&, t] {
      for (size_t i = t; i < boards.size(); i += 3) answers[i] = server.enqueue(boards[i]);
    });
  for (auto& c : clients) c.join();
  Registry::add("policy", m);
  int close = 0;
  for (size_t i = 0; i < boards.size(); ++i) {
    auto [policy, value] = answers[i].get();
    auto alone = Registry::infer("policy", boards[i].unsqueeze(0).to(torch::kFloat));
    close += torch::allclose(policy, alone[0].squeeze(0), 1e-4, 1e-6) && torch::allclose(value, alone[1][0], 1e-4, 1e-6);
  }
  std::cout << close << " answers, " << (server.batches() > 0 && server.batches() <= 24) << "\n";
  auto wrong = server.enqueue(torch::ones({3}));
  try {
    wrong.get();
  } catch (const std::exception& e) {
    std::cout << "error of a request\n";
  }
  std::cout << torch::get_num_threads() << "\n";
}
