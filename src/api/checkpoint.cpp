// Implements monograph/checkpoint.h with the unpickler: objects of unknown classes become NamedObjects, and their states are searched for tensors.
#include "formats/pickle/checkpoint.h"
#include "api/access.h"
#include "formats/file.h"

MONOGRAPH_API_BEGIN

std::map<std::string, Tensor> load_tensors(const std::string& path) {
  return translated([&] {
    pickle::LoadOptions options;
    options.encoding = "latin1";
    options.name_all = true;
    const pickle::Checkpoint file = pickle::load_checkpoint(path, options);
    std::map<std::string, Tensor> out;
    for (const pickle::NamedTensor& t : pickle::named_tensors(file.content.value)) {
      const bool fresh = out.emplace(t.name, Tensor::Access::wrap(t.tensor)).second;
      MONOGRAPH_CHECK(fresh, File, path, ": two tensors in it have the path ", shown(t.name));
    }
    return out;
  });
}

MONOGRAPH_API_END
