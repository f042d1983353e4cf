// Values that go into a method and come out of it: tuples, dicts, lists, None, strings, classes.
#include <torch/script.h>
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

const char* kSource = R"(
def tuples(x: Tensor) -> Tuple[Tensor, Tuple[int, float]]:
  return x + 1, (x.size(0), 0.5)
def dicts(d: Dict[str, Tensor], scale: float = 2.0) -> Dict[str, Tensor]:
  out: Dict[str, Tensor] = {}
  for k, v in d.items():
    out[k] = v * scale
  out["sum"] = d["pos"].sum()
  return out
def lists(xs: List[Tensor]) -> List[Tensor]:
  return [x * 2 for x in xs]
def numbers(n: List[int], s: str, flag: bool, f: Optional[float]) -> Tuple[List[int], str, bool, Optional[float], List[float], List[str]]:
  return [k + 1 for k in n], s + "!", not flag, f, [0.25, 0.5], ["a", s]
def nested(x: Tensor) -> Dict[str, List[Tuple[Tensor, int]]]:
  none: List[Tuple[Tensor, int]] = []
  return {"a": [(x, 1), (x + 1, 2)], "b": none}
def table(n: Dict[int, int]) -> Dict[int, int]:
  n[7] = 49
  return n
)";

void show(const torch::jit::IValue& v, int depth = 0) {
  std::string pad(depth * 2, ' ');
  if (v.isTensor()) {
    std::cout << pad << "tensor " << v.toTensor().sizes() << "\n";
  } else if (v.isTuple()) {
    std::cout << pad << "tuple of " << v.toTuple()->elements().size() << "\n";
    for (const auto& item : v.toTuple()->elements()) show(item, depth + 1);
  } else if (v.isList()) {
    std::cout << pad << "list of " << v.toListRef().size() << "\n";
    for (const torch::jit::IValue& item : v.toListRef()) show(item, depth + 1);
  } else if (v.isGenericDict()) {
    std::cout << pad << "dict of " << v.toGenericDict().size() << "\n";
    for (const auto& entry : v.toGenericDict()) {
      std::cout << pad << entry.key() << ":\n";
      show(entry.value(), depth + 1);
    }
  } else if (v.isNone()) {
    std::cout << pad << "None\n";
  } else if (v.isString()) {
    std::cout << pad << "'" << v.toStringRef() << "' " << v.toStringView().size() << "\n";
  } else if (v.isInt()) {
    std::cout << pad << v.toInt() << "\n";
  } else if (v.isDouble()) {
    std::cout << pad << v.toDouble() << "\n";
  } else if (v.isBool()) {
    std::cout << pad << std::boolalpha << v.toBool() << "\n";
  } else {
    std::cout << pad << v.tagKind() << "\n";
  }
}

int main() {
  auto unit = torch::jit::compile(kSource);
  auto x = torch::ones({3, 2});

  auto pair = unit->run_method("tuples", x).toTuple();
  std::cout << pair->elements()[0].toTensor().sum().item<float>() << " " << pair->elements()[1].toTuple()->elements()[0].toInt() << " "
            << pair->elements()[1].toTupleRef().elements()[1].toDouble() << "\n";
  auto typed = unit->run_method("tuples", x).to<std::tuple<at::Tensor, std::tuple<int64_t, double>>>();
  std::cout << std::get<0>(typed).sizes() << std::get<0>(std::get<1>(typed)) << "\n";

  c10::Dict<std::string, at::Tensor> input;
  input.insert("pos", x);
  input.insert_or_assign("cell", torch::eye(3));
  std::cout << input.contains("pos") << input.size() << input.at("cell").size(0) << "\n";
  auto output = unit->run_method("dicts", input, 3.0).toGenericDict();
  std::cout << output.at("sum").toTensor().item<float>() << " " << output.at("pos").toTensor()[0][0].item<float>() << "\n";
  for (const auto& entry : output) std::cout << entry.key().toStringRef() << " " << entry.value().toTensor().sizes() << "\n";
  std::unordered_map<std::string, at::Tensor> results;
  for (auto& item : output) results.emplace(item.key().toStringRef(), item.value().toTensor());
  std::cout << results.size() << (results.find("cell") != results.end()) << "\n";
  auto typed_dict = c10::impl::toTypedDict<std::string, at::Tensor>(output);
  std::cout << typed_dict.at("cell").sizes() << (typed_dict.find("nothing") == typed_dict.end()) << "\n";
  c10::impl::GenericDict generic(c10::StringType::get(), c10::TensorType::get());
  generic.insert("pos", x * 4);
  show(unit->run_method("dicts", generic));
  std::unordered_map<std::string, torch::jit::IValue> kwargs{{"scale", 0.5}, {"d", input}};
  show(unit->get_function("dicts")({}, kwargs));

  std::vector<at::Tensor> tensors{x, x * 2};
  auto doubled = unit->run_method("lists", tensors);
  std::cout << doubled.isTensorList() << doubled.isList() << doubled.toTensorVector().size() << doubled.toTensorList().size() << "\n";
  c10::List<at::Tensor> list = doubled.toTensorList();
  for (size_t i = 0; i < list.size(); i++) std::cout << list.get(i).sum().item<float>() << " ";
  for (const at::Tensor& t : list.vec()) std::cout << t.sizes() << " ";
  for (at::Tensor t : list) std::cout << t.dim() << " ";
  c10::List<at::Tensor> made;
  made.push_back(x);
  made.emplace_back(x + 1);
  made.set(0, x - 1);
  std::cout << made.size() << made.empty() << "\n";
  show(unit->run_method("lists", made));
  c10::List<at::Tensor> literal({x, x});
  torch::List<int64_t> ints({1, 2, 3});
  std::vector<torch::jit::IValue> arguments;
  arguments.push_back(ints);
  arguments.emplace_back("word");
  arguments.emplace_back(true);
  arguments.emplace_back();
  auto all = unit->get_function("numbers")(arguments);
  show(all);
  auto parts = all.toTuple()->elements();
  std::cout << parts[0].toIntVector().size() << parts[0].toIntList().get(0) << parts[4].toDoubleVector()[1]
            << parts[4].toDoubleList().size() << parts[0].isIntList() << parts[4].isDoubleList() << "\n";
  std::cout << parts[3].toOptional<double>().has_value() << " " << parts[1].toString()->string() << " " << parts[5].toList().size() << " "
            << std::string(parts[5].toList().get(1).toStringView()) << "\n";
  show(unit->run_method("nested", x));
  auto nested = unit->run_method("nested", x).toGenericDict().at("a").toList();
  for (const c10::IValue& item : nested.vec()) std::cout << item.toTuple()->elements()[1].toInt() << "\n";
  c10::Dict<int64_t, int64_t> squares;
  for (int64_t k = 1; k < 4; ++k) squares.insert(k, k * k);
  auto grown = unit->run_method("table", squares).to<c10::Dict<int64_t, int64_t>>();
  std::cout << grown.size() << " " << grown.at(7) << " " << squares.size() << "\n";

  torch::jit::IValue v = 3, w(2.5), s("text"), none, t(torch::zeros({2})), tuple = c10::ivalue::Tuple::create({1, 2.5, torch::ones({1})});
  std::cout << v.isInt() << w.isDouble() << s.isString() << none.isNone() << t.isTensor() << tuple.isTuple() << v.isScalar() << "\n";
  std::cout << v << " " << w << " " << s << " " << none << " " << v.tagKind() << " " << w.tagKind() << " " << s.tagKind() << " "
            << none.tagKind() << " " << t.tagKind() << " " << tuple.tagKind() << "\n";
  std::cout << v.toScalar().toInt() << w.toScalar().toDouble() << v.to<int64_t>() << s.to<std::string>() << "\n";
  try {
    v.toTensor();
  } catch (const c10::Error& e) {
    std::cout << "an int is no tensor\n";
  }
}
