// The frozen cases of tests/data/ops: their form, and calls of operators with them.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace monograph::frozen {

using Json = nlohmann::json;

inline std::optional<DType> dtype_named(std::string_view text) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (name(static_cast<DType>(i)) == text) return static_cast<DType>(i);
  return {};
}

inline Tensor read_tensor(const Json& j) {
  std::string hex = j["x"];
  DType dtype = dtype_named(j["t"].get<std::string>()).value();
  auto bytes = static_cast<int64_t>(hex.size() / 2);
  Tensor storage = empty({bytes / element_size(dtype)}, dtype);
  for (int64_t i = 0; i < bytes; ++i)
    storage.data()[i] = static_cast<char>(std::stoi(hex.substr(static_cast<size_t>(2 * i), 2), nullptr, 16));
  Dims sizes, strides;
  for (int64_t n : j["s"]) sizes.push_back(n);
  for (int64_t n : j["st"]) strides.push_back(n);
  return storage.as_strided(sizes, strides, j["o"]);
}

inline IValue read(const Json& j) {
  if (j.is_null()) return {};
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_integer()) return j.get<int64_t>();
  if (j.is_string()) return j.get<std::string>();
  if (j.is_array()) {
    std::vector<IValue> items;
    for (const Json& part : j) items.push_back(read(part));
    return IValue::list(std::move(items));
  }
  if (j.contains("t")) return read_tensor(j);
  if (j.contains("f")) return std::strtod(j["f"].get<std::string>().c_str(), nullptr);
  if (j.contains("z")) return std::complex<double>(j["z"][0], j["z"][1]);
  if (j.contains("d")) return dtype_named(j["d"].get<std::string>()).value();
  if (j.contains("c")) return Device();  // a device: the processor
  return static_cast<MemoryFormat>(j["m"].get<int>());
}

// The arguments as the schema wants them; false where binding refuses them.
inline bool bind_case(const Operator& op, const Json& j, std::vector<IValue>& args) {
  const auto& arguments = op.schema().arguments();
  args.assign(arguments.size(), {});
  for (size_t i = 0; i < arguments.size() && i < j.size(); ++i)
    if (!convertible(read(j[i]), arguments[i], args[i])) return false;
  return true;
}

inline IValue run_op(const Operator& op, const std::vector<IValue>& args) {
  IValue results[8];
  call(op, args.data(), results);
  size_t n = op.schema().returns().size();
  if (n == 1) return results[0];
  return IValue::tuple(std::vector<IValue>(results, results + n));
}

// The operator that was frozen under this name, then its copies, where the build has some (cmake/Copies.cmake).
inline const std::vector<const Operator*>& find(const std::string& original) {
  static const auto* by_name = [] {
    auto* names = new std::map<std::string, std::vector<const Operator*>>;
    for (const auto& op : Registry::global().all()) (*names)[op->original_name()].push_back(op);
    for (const auto& op : Registry::global().aliases()) (*names)[op->original_name()].push_back(op);
    return names;
  }();
  static const std::vector<const Operator*> none;
  auto found = by_name->find(original);
  return found == by_name->end() ? none : found->second;
}
inline const Operator* find(const std::string& original, uint32_t copy) {
  for (const Operator* op : find(original))
    if (op->copy == copy) return op;
  return nullptr;
}

// Every case that PyTorch computes, of every operator: f(operator, bound arguments, the line).
inline void for_each_case(const std::function<void(const Operator&, const std::vector<IValue>&, const Json&)>& f) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator("tests/data/ops")) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file);
    std::vector<const Operator*> ops;
    for (std::string line; std::getline(in, line);) {
      Json j = Json::parse(line);
      if (j.contains("op")) ops = find(j["op"].get<std::string>());
      std::vector<IValue> args;
      for (const Operator* op : ops)
        if (j.contains("r") && bind_case(*op, j["a"], args)) f(*op, args, j);
    }
  }
}

// One call as a graph: tensors are placeholders of their dtype and sizes, everything else literals. `inputs` takes the tensors in order.
inline std::unique_ptr<ir::Graph> graph_of(const Operator& op, const std::vector<IValue>& values, std::vector<IValue>& inputs) {
  auto graph = std::make_unique<ir::Graph>();
  graph->set_level(ir::Level::Operator);
  std::function<void(ir::Args&, const IValue&, const std::string&)> add = [&](ir::Args& args, const IValue& v, const std::string& name) {
    if (v.is_tensor()) {
      std::vector<SymInt> sizes(v.as_tensor().sizes().begin(), v.as_tensor().sizes().end());
      args.add(graph->placeholder(name, ir::TensorType::of(v.as_tensor().dtype(), sizes)));
      inputs.push_back(v);
    } else if (v.is_ints() || v.is_list()) {
      args.open(ir::ArgKind::List);
      if (v.is_ints())
        for (int64_t k : v.to_ints()) args.add(k);
      else
        for (const IValue& item : v.items()) add(args, item, name);
      args.close();
    } else if (v.is_none()) {
      args.none();
    } else if (v.is_bool()) {
      args.add(v.to_bool());
    } else if (v.is_int()) {
      args.add(v.to_int());
    } else if (v.is_float()) {
      args.add(v.to_double());
    } else if (v.is_complex()) {
      args.add(v.to_complex());
    } else if (v.is_string()) {
      args.add(v.to_string());
    } else if (v.tag() == IValue::Tag::Dtype) {
      args.add(v.to_dtype());
    } else if (v.tag() == IValue::Tag::MemoryFormat) {
      args.add(v.to_memory_format());
    } else if (v.tag() == IValue::Tag::Device) {
      args.add(v.to_device());
    } else {
      args.layout();
    }
  };
  ir::Args args;
  const auto& places = op.schema().arguments();
  for (size_t k = 0; k < places.size(); ++k) {
    if (places[k].kwarg_only) args.name(places[k].name);
    add(args, values[k], places[k].name);
  }
  ir::Node* n = graph->call(op, args, "result");
  if (!n->multi()) {
    graph->set_output(ir::Args(n));
  } else {
    ir::Args results;
    results.open(ir::ArgKind::Tuple);
    for (size_t k = 0; k < op.results(); ++k) results.add(graph->project(n, k));
    results.close();
    graph->set_output(results);
  }
  ir::infer_types(*graph);
  return graph;
}

}  // namespace monograph::frozen
