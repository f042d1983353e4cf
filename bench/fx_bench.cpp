// torch.fx's transforms from C++ (monograph/fx.h), on the graphs of bench/transforms.py: ResNet-50, a transformer of 12 layers and a chain of 50,000 nodes.
//
//   fx_bench            every step once, in milliseconds
//   fx_bench --serve    Monograph's side of the rows fx_cpp_*: answers requests as bench/run.py does, so that rounds alternate with torch.fx's
//
// A traced graph holds operators, and a get_attr node for each tensor of a layer: more nodes than torch.fx's graph of the same model has.
#include <monograph/fx.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <stdexcept>

using namespace monograph;

namespace {

using Step = std::function<void()>;
using Forward = std::function<Tensor(const Tensor&)>;

// What a layer holds, by path. The layers of a model share one.
struct Parameters {
  Options options;
  std::map<std::string, Tensor> tensors;
  Tensor make(const std::string& path, const Ints& sizes, double value = 0.01) {
    return tensors.emplace(path, full(sizes, value, options)).first->second;
  }
};

Forward convolution(Parameters& p, const std::string& path, int64_t inputs, int64_t outputs, int64_t kernel, int64_t stride,
                    int64_t padding) {
  Tensor weight = p.make(path + ".weight", {outputs, inputs, kernel, kernel});
  return [=](const Tensor& x) { return conv2d(x, weight, {}, stride, padding); };
}

Forward batch_normed(Parameters& p, const std::string& path, int64_t width) {
  Tensor weight = p.make(path + ".weight", {width}), bias = p.make(path + ".bias", {width});
  Tensor mean = p.make(path + ".running_mean", {width}, 0), var = p.make(path + ".running_var", {width}, 1);
  return [=](const Tensor& x) { return batch_norm(x, weight, bias, mean, var, false, 0.1, 1e-5, true); };
}

Forward linear_layer(Parameters& p, const std::string& path, int64_t inputs, int64_t outputs) {
  Tensor weight = p.make(path + ".weight", {outputs, inputs}), bias = p.make(path + ".bias", {outputs});
  return [=](const Tensor& x) { return linear(x, weight, bias); };
}

Forward layer_normed(Parameters& p, const std::string& path, int64_t width) {
  Tensor weight = p.make(path + ".weight", {width}), bias = p.make(path + ".bias", {width});
  return [=](const Tensor& x) { return layer_norm(x, {width}, weight, bias); };
}

Forward in_order(std::vector<Forward> layers) {
  return [layers = std::move(layers)](Tensor x) {
    for (const Forward& layer : layers) x = layer(x);
    return x;
  };
}

Forward residual(Parameters& p, const std::string& path, int64_t inputs, int64_t width, int64_t stride) {
  const int64_t outputs = 4 * width;
  Forward conv1 = convolution(p, path + ".conv1", inputs, width, 1, 1, 0), bn1 = batch_normed(p, path + ".bn1", width);
  Forward conv2 = convolution(p, path + ".conv2", width, width, 3, stride, 1), bn2 = batch_normed(p, path + ".bn2", width);
  Forward conv3 = convolution(p, path + ".conv3", width, outputs, 1, 1, 0), bn3 = batch_normed(p, path + ".bn3", outputs);
  Forward down = in_order({});
  if (stride != 1 || inputs != outputs)
    down = in_order({convolution(p, path + ".down.0", inputs, outputs, 1, stride, 0), batch_normed(p, path + ".down.1", outputs)});
  return [=](const Tensor& x) {
    Tensor skip = down(x);
    Tensor y = relu(bn1(conv1(x)));
    y = relu(bn2(conv2(y)));
    return relu(bn3(conv3(y)) + skip);
  };
}

Forward resnet50(Parameters& p) {
  std::vector<Forward> layers = {convolution(p, "0", 3, 64, 7, 2, 3), batch_normed(p, "1", 64), [](const Tensor& x) { return relu(x); },
                                 [](const Tensor& x) { return max_pool2d(x, 3, 2, 1); }};
  int64_t inputs = 64;
  for (auto [width, count, stride] : {std::array<int64_t, 3>{64, 3, 1}, {128, 4, 2}, {256, 6, 2}, {512, 3, 2}})
    for (int64_t k = 0; k < count; ++k) {
      layers.push_back(residual(p, std::to_string(layers.size()), inputs, width, k == 0 ? stride : 1));
      inputs = 4 * width;
    }
  layers.emplace_back([](const Tensor& x) { return flatten(adaptive_avg_pool2d(x, 1), 1); });
  layers.push_back(linear_layer(p, "22", 2048, 1000));
  return in_order(layers);
}

Forward attention(Parameters& p, const std::string& path, int64_t width, int64_t heads) {
  Forward norm1 = layer_normed(p, path + ".norm1", width), norm2 = layer_normed(p, path + ".norm2", width);
  Forward qkv = linear_layer(p, path + ".qkv", width, 3 * width), out = linear_layer(p, path + ".out", width, width);
  Forward up = linear_layer(p, path + ".up", width, 4 * width), down = linear_layer(p, path + ".down", 4 * width, width);
  return [=](Tensor x) {
    std::vector<Tensor> parts = chunk(qkv(norm1(x)), 3, -1);
    for (Tensor& t : parts) t = t.unflatten(-1, {heads, width / heads}).transpose(1, 2);
    const Tensor &q = parts[0], &k = parts[1], &v = parts[2];
    Tensor a = softmax(matmul(q, k.transpose(-2, -1)) * 0.125, -1);
    x = x + out(matmul(a, v).transpose(1, 2).flatten(2));
    return x + down(gelu(up(norm2(x))));
  };
}

Forward transformer(Parameters& p) {
  std::vector<Forward> layers;
  for (int k = 0; k < 12; ++k) layers.push_back(attention(p, std::to_string(k), 64, 4));
  return in_order(layers);
}

Forward chain(Parameters&) {
  return [](Tensor x) {
    for (int k = 0; k < 25'000; ++k) {
      x = relu(x + 1);
      if (k % 2'500 == 0) x = sigmoid(x);  // the places of `replace`
    }
    return x;
  };
}

struct Model {
  const char* name;
  Forward (*make)(Parameters&);
  std::vector<int64_t> input;
};
const std::vector<Model> kModels = {
    {"resnet50", resnet50, {1, 3, 224, 224}}, {"transformer", transformer, {2, 16, 64}}, {"chain", chain, {2, 3}}};

fx::Graph traced(const Forward& forward, const Parameters& p) {
  return fx::symbolic_trace([&](const Tensor& x) { return forward(x); }, p.tensors);
}

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

Step trace(const Model& model) {
  auto p = std::make_shared<Parameters>();
  return [p, forward = model.make(*p)] { traced(forward, *p); };
}

// The code of the graph, as GraphModule::recompile writes it.
Step code(const Model& model) {
  Parameters p;
  Forward forward = model.make(p);
  return [graph = traced(forward, p)] { expect(!graph.code().empty(), "no code"); };
}

// Replaces each place of `first`, and back, so that each call finds the same graph.
Step there_and_back(fx::Graph graph, auto first, auto second) {
  return [=] {
    const size_t there = fx::replace_pattern(graph, first, second).size(), back = fx::replace_pattern(graph, second, first).size();
    expect(there >= 10 && there == back, "the pattern was not found");
  };
}

Step replace(const Model& model) {
  Parameters p;
  Forward forward = model.make(p);
  fx::Graph graph = traced(forward, p);
  if (model.make == chain)
    return there_and_back(graph, [](const Tensor& x) { return sigmoid(relu(x)); }, [](const Tensor& x) { return tanh(relu(x)); });
  return there_and_back(
      graph, [](const Tensor& x, const Tensor& y) { return x + y; }, [](const Tensor& x, const Tensor& y) { return sub(x, y); });
}

// Adds a dead node behind each call that gives a tensor, and sweeps them away. Parameters are no nodes in torch.fx's graph of the same modules.
Step dead_code(const Model& model) {
  Parameters p;
  Forward forward = model.make(p);
  fx::Graph graph = traced(forward, p);
  std::vector<fx::Node> nodes;
  for (const fx::Node& n : graph.nodes())
    if (const std::string type = n.type(); n.op() == "call_function" && (type == "Tensor" || type.ends_with(")"))) nodes.push_back(n);
  return [graph, nodes]() mutable {
    for (const fx::Node& n : nodes) {
      auto here = graph.inserting_after(n);
      graph.call_function("aten::neg", {n});
    }
    expect(graph.eliminate_dead_code(), "nothing was dead");
  };
}

// Every call is there twice, with the same arguments. The graph stays as it is, as CSEPass leaves it.
Step merged(const Model& model) {
  Parameters p;
  Forward forward = model.make(p);
  fx::Graph graph = traced(forward, p);
  const size_t before = graph.nodes().size();
  for (const fx::Node& n : graph.nodes())
    if (n.op() == "call_function" && n.target() != "aten::len.t") {
      auto here = graph.inserting_after(n);
      graph.call_function(n.target(), n.args(), n.kwargs());
    }
  return [graph, before] {
    fx::Graph once = graph.copy();
    expect(once.eliminate_common_subexpressions(), "nothing was there twice");
    expect(once.nodes().size() <= before, "a call is there twice");
  };
}

Step copied(const Model& model) {
  Parameters p;
  Forward forward = model.make(p);
  return [graph = traced(forward, p)] { (void)graph.copy(); };
}

Step shapes(const Model& model) {
  Parameters p;
  p.options = Options().device(kMeta);
  Forward forward = model.make(p);
  fx::Graph graph = traced(forward, p);
  Tensor x = empty(Ints(model.input), p.options);
  return [graph, x] {
    fx::ShapeProp(graph).propagate({x});
    expect(graph.output_node().tensor_meta().has_value(), "no shape was found");
  };
}

const std::vector<std::pair<const char*, Step (*)(const Model&)>> kSteps = {
    {"trace", trace}, {"recompile", code},  {"replace", replace},  {"dead_code", dead_code},
    {"cse", merged},  {"deepcopy", copied}, {"shape_prop", shapes}};

Step prepared(const std::string& row) {
  for (const Model& model : kModels)
    for (auto [name, start] : kSteps)
      if (row == std::string("fx_cpp_") + name + "_" + model.name) return start(model);
  throw std::runtime_error("no row " + row);
}

double seconds(const Step& step, long calls) {
  auto begin = std::chrono::steady_clock::now();
  for (long k = 0; k < calls; ++k) step();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / static_cast<double>(calls);
}

// One line of JSON for each request: {"prepare": "ROW", ...} and {"time": CALLS}.
int serve() {
  Step step;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const std::string asks = "\"prepare\": \"", times = "\"time\": ";
      if (size_t at = line.find(asks); at != std::string::npos) {
        at += asks.size();
        step = prepared(line.substr(at, line.find('"', at) - at));
        std::printf("{\"ok\": {\"numbers\": [], \"way\": null, \"ways\": null}}\n");
      } else if (at = line.find(times); at != std::string::npos) {
        std::printf("{\"ok\": %.9g}\n", seconds(step, std::atol(line.c_str() + at + times.size())));
      }
    } catch (const std::exception& e) {
      std::string text = e.what();
      for (char& c : text)
        if (c == '"' || c == '\\' || c == '\n') c = ' ';
      std::printf("{\"error\": \"%s\"}\n", text.c_str());
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && !std::strcmp(argv[1], "--serve")) return serve();
  for (const Model& model : kModels)
    for (auto [name, start] : kSteps) {
      Step step = start(model);
      step();
      std::printf("%s_%s: %.3f ms\n", name, model.name, 1e3 * seconds(step, 3));
    }
}
