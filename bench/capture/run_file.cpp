// run_file MODEL.pt TENSORS.pt: loads what torch.jit.save wrote, calls it, and prints what it returns. The tensors are those of a dict that torch.save wrote,
// with the keys "0", "1" and so on. The results' leaves are one line of JSON, the last one: a tensor is [dtype, sizes, elements]; infinities and NaN are texts.
// `./dev coverage` runs the files of traces by it.
#include <monograph/torch.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace {

std::string number(double v) {
  if (std::isnan(v)) return "\"nan\"";
  if (std::isinf(v)) return v < 0 ? "\"-inf\"" : "\"inf\"";
  std::ostringstream out;
  out << std::setprecision(17) << v;
  const std::string text = out.str();
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return "[" + text + "]";
}

std::string name_of(monograph::Dtype dtype) {
  std::ostringstream out;
  out << dtype;
  return out.str();
}

std::string tensor(const at::Tensor& t) {
  const std::string dtype = name_of(t.dtype());
  std::vector<std::string> sizes, elements;
  for (int64_t size : t.sizes()) sizes.push_back(std::to_string(size));
  for (double v : t.values()) {
    if (dtype == "bool") elements.emplace_back(v != 0 ? "true" : "false");
    else if (dtype.find("int") != std::string::npos) elements.push_back(std::to_string(static_cast<int64_t>(v)));
    else elements.push_back(number(v));
  }
  return "[\"" + dtype + "\", " + joined(sizes) + ", " + joined(elements) + "]";
}

void add_leaves(const torch::jit::IValue& v, std::vector<std::string>& leaves) {
  if (v.isTensor()) leaves.push_back(tensor(v.toTensor()));
  else if (v.isNone()) leaves.emplace_back("null");
  else if (v.isBool()) leaves.emplace_back(v.toBool() ? "true" : "false");
  else if (v.isInt()) leaves.push_back(std::to_string(v.toInt()));
  else if (v.isDouble()) leaves.push_back(number(v.toDouble()));
  else if (v.isString()) leaves.push_back("\"" + v.toStringRef() + "\"");
  else if (v.isGenericDict())
    for (const auto& [key, value] : v.pairs()) add_leaves(value, leaves);
  else if (v.isTuple() || v.isList())
    for (size_t k = 0; k < v.count(); ++k) add_leaves(v.at(k), leaves);
  else throw std::runtime_error("a result is a " + v.tagKind());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "usage: run_file MODEL.pt TENSORS.pt\n", 2;
  try {
    torch::manual_seed(1);
    const torch::NoGradGuard no_grad;
    torch::jit::Module module = torch::jit::load(argv[1]);
    const std::map<std::string, at::Tensor> tensors = monograph::load_tensors(argv[2]);
    std::vector<torch::jit::IValue> inputs;
    for (size_t k = 0; k < tensors.size(); ++k) inputs.emplace_back(tensors.at(std::to_string(k)));
    std::vector<std::string> leaves;
    add_leaves(module.forward(inputs), leaves);
    std::cout << "\n" << joined(leaves) << "\n";
  } catch (const std::exception& e) {
    return std::cerr << e.what() << "\n", 1;
  }
}
