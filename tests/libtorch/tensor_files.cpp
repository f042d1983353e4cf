// Tensors in files and in bytes.
#include <torch/script.h>
#include <torch/torch.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

std::vector<char> get_the_bytes(const std::string& filename) {
  std::ifstream input(filename, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(input)), (std::istreambuf_iterator<char>()));
  input.close();
  return bytes;
}

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  torch::manual_seed(0);
  torch::Tensor x = torch::arange(6, torch::kFloat).view({2, 3}), y;
  torch::save(x, folder + "/tensor_files_one.pt");
  torch::load(y, folder + "/tensor_files_one.pt");
  std::cout << torch::equal(x, y) << "\n";
  std::vector<torch::Tensor> several{x, x.to(torch::kLong), torch::ones({2}, torch::kBool)}, read;
  torch::save(several, folder + "/tensor_files_list.pt");
  torch::load(read, folder + "/tensor_files_list.pt");
  std::cout << read.size() << " " << torch::toString(read[1].scalar_type()) << " " << torch::toString(read.at(2).scalar_type()) << "\n";
  std::stringstream stream;
  torch::save(x, stream);
  torch::Tensor z;
  torch::load(z, stream);
  std::cout << torch::equal(x, z) << "\n";

  std::vector<char> bytes = torch::pickle_save(x);
  torch::IValue value = torch::pickle_load(bytes);
  std::cout << value.isTensor() << torch::equal(value.toTensor(), x) << "\n";
  c10::Dict<std::string, at::Tensor> weights;
  weights.insert("weight", x);
  weights.insert("bias", x[0]);
  auto data = torch::jit::pickle_save(weights);
  std::ofstream out(folder + "/tensor_files_dict.pt", std::ios::out | std::ios::binary);
  out.write(data.data(), data.size());
  out.close();
  auto f = get_the_bytes(folder + "/tensor_files_dict.pt");
  torch::IValue iv = torch::jit::pickle_load(f);
  std::cout << iv.isGenericDict() << "\n";
  for (const auto& kv : iv.toGenericDict()) std::cout << kv.key().toStringRef() << " " << kv.value().toTensor().sizes() << "\n";
  auto mixed = torch::pickle_load(torch::pickle_save(c10::ivalue::Tuple::create({1, 2.5, "text", x})));
  std::cout << mixed.toTuple()->elements().size() << " " << mixed.toTuple()->elements()[2].toStringRef() << "\n";
  try {
    torch::pickle_load(std::vector<char>{'a', 'b'});
  } catch (const c10::Error& e) {
    std::cout << "no pickle\n";
  }
  try {
    torch::load(y, folder + "/no_such_file.pt");
  } catch (const c10::Error& e) {
    std::cout << "no file\n";
  }
}
