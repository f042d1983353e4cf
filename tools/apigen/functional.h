// What apigen writes for nn::functional: one line for each function of torch.nn.functional, from the sources of the Python package.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace monograph::apigen {

// The text of init.inc: the functions of nn/init.py that return a tensor.
std::string init_text(const std::filesystem::path& package);

// The parameters of a function of the public API, and whether each has a default there.
using Parameters = std::vector<std::pair<std::string, bool>>;

// `package` is python/monograph; `functions` are those of functions.inc, by name.
std::string functional_text(const std::filesystem::path& package, const std::map<std::string, std::vector<Parameters>>& functions);

}  // namespace monograph::apigen
