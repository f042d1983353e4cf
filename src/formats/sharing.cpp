// Saving groups the attributes by storage and cuts each group where neighbours do not overlap. Loading allocates a memory for each group and fills
// it from the attributes' values, which must agree where they overlap.
#include "formats/sharing.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/error.h"
#include "exec/interpreter.h"

namespace monograph {
namespace {

using nlohmann::ordered_json;

// A shared memory may have parts that belong to no attribute and are not in the file. It has at most this many times the elements of its attributes.
constexpr int64_t kMaxElementsPerHeld = 16;

// An attribute and its place in its storage.
struct TensorView {
  size_t module = 0, attribute = 0;  // indices in the Unit's modules and in the module's attributes
  // Set while saving only:
  Tensor tensor;
  int64_t begin = 0, end = 0;  // the bytes of its storage that it reaches
};

std::string name_of(const ir::Unit& unit, const TensorView& v) {
  return concat("m", v.module, ".", unit.modules()[v.module]->type().attributes[v.attribute].name);
}

// How many elements a view reaches, from its first to its last; nullopt if a number is negative or the result does not fit in 64 bits.
std::optional<int64_t> extent(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int64_t last = 0, part = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || strides[d] < 0) return std::nullopt;
    if (sizes[d] == 0) return 0;
    if (__builtin_mul_overflow(sizes[d] - 1, strides[d], &part) || __builtin_add_overflow(last, part, &last)) return std::nullopt;
  }
  return last == INT64_MAX ? std::nullopt : std::optional(last + 1);
}

// --- writing

// The attributes that are live tensors, one list for each storage, sorted by where they begin.
std::vector<std::vector<TensorView>> views_by_storage(const ir::Unit& unit) {
  std::map<const Storage*, size_t> index;
  std::vector<std::vector<TensorView>> lists;
  for (size_t m = 0; m < unit.modules().size(); ++m)
    for (size_t k = 0; k < unit.modules()[m]->values.size(); ++k) {
      const ir::Args& value = unit.modules()[m]->values[k].value;
      if (value.size() != 1 || !value[0].is(ir::ArgKind::Tensor)) continue;
      const auto* live = dynamic_cast<const exec::LiveTensor*>(&value[0].as_tensor());
      if (live == nullptr || live->tensor()->storage.get() == nullptr || live->tensor().numel() == 0) continue;
      const Tensor& t = live->tensor();
      const int64_t size = element_size(t.dtype()), begin = t->offset * size;
      const auto [at, is_new] = index.try_emplace(t->storage.get(), lists.size());
      if (is_new) lists.emplace_back();
      lists[at->second].push_back({m, k, t, begin, begin + extent(t.sizes(), t.strides()).value_or(0) * size});
    }
  for (auto& list : lists)
    std::stable_sort(list.begin(), list.end(), [](const TensorView& a, const TensorView& b) { return a.begin < b.begin; });
  return lists;
}

// Splits sorted views into runs of views that overlap.
std::vector<std::span<const TensorView>> overlapping_runs(const std::vector<TensorView>& views) {
  std::vector<std::span<const TensorView>> out;
  int64_t end = 0;
  for (size_t k = 0, first = 0; k < views.size(); ++k) {
    end = std::max(end, views[k].end);
    if (k + 1 < views.size() && views[k + 1].begin < end) continue;
    out.push_back(std::span(views).subspan(first, k + 1 - first));
    first = k + 1;
  }
  return out;
}

ordered_json memory_json(const ir::Unit& unit, std::span<const TensorView> views, std::string_view path) {
  const DType dtype = views[0].tensor.dtype();
  const int64_t size = element_size(dtype), first = views[0].begin;
  int64_t end = 0, held = 0;
  ordered_json list = ordered_json::array();
  for (const TensorView& v : views) {
    const Tensor& t = v.tensor;
    MONOGRAPH_CHECK(t.dtype() == dtype, Value, path, ": cannot save: ", name_of(unit, views[0]), " and ", name_of(unit, v),
                    " share memory that the graph writes, one as ", name(dtype), " and the other as ", name(t.dtype()),
                    "; make one of them a clone(), or compute it from the other in forward");
    end = std::max(end, v.end), held += t.numel();
    list.push_back({{"module", v.module},
                    {"attribute", unit.modules()[v.module]->type().attributes[v.attribute].name},
                    {"offset", (v.begin - first) / size},
                    {"strides", std::vector<int64_t>(t.strides().begin(), t.strides().end())}});
  }
  const int64_t elements = (end - first) / size;
  MONOGRAPH_CHECK(elements / kMaxElementsPerHeld <= held, Value, path, ": cannot save: ", name_of(unit, views[0]), " and ",
                  name_of(unit, views.back()), " share memory that the graph writes, and hold ", held, " of its ", elements,
                  " elements; make one of them a clone(), or register the whole memory as a buffer");
  return {{"elements", elements}, {"views", list}};
}

// --- reading

// Reads the description of one memory after another. Each check has its own message, because nlohmann's exceptions do not say what was expected.
class SharingReader {
 public:
  explicit SharingReader(ir::Unit& unit) : unit_(unit) {}

  void read(const ordered_json& memory) {
    const int64_t elements = whole(memory, "elements");
    std::vector<TensorView> views;
    std::vector<int64_t> offsets;
    std::vector<Dims> strides;
    std::optional<DType> dtype;
    int64_t held = 0;
    for (const ordered_json& entry : list(memory, "views")) {
      const TensorView v = place(entry);
      const ir::TensorConstant& constant = constant_of(v);
      MONOGRAPH_CHECK(seen_.emplace(v.module, v.attribute).second, File, name_of(unit_, v), " is there twice");
      MONOGRAPH_CHECK(!dtype || *dtype == constant.dtype(), File, name_of(unit_, v), " is ", name(constant.dtype()), " in memory of ",
                      name(*dtype));
      dtype = constant.dtype();
      const int64_t offset = whole(entry, "offset");
      Dims steps;
      for (const ordered_json& stride : list(entry, "strides")) steps.push_back(number(stride, "a stride"));
      MONOGRAPH_CHECK(steps.size() == constant.sizes().size(), File, name_of(unit_, v), " has ", constant.sizes().size(), " dims and ",
                      steps.size(), " strides");
      const std::optional<int64_t> reach = extent(constant.sizes(), steps);
      MONOGRAPH_CHECK(reach && offset <= elements && *reach <= elements - offset, File, name_of(unit_, v), " reaches beyond its memory of ",
                      elements, " elements");
      MONOGRAPH_CHECK(!__builtin_add_overflow(held, constant.numel(), &held), File, "its sizes leave 64 bits");
      views.push_back(v), offsets.push_back(offset), strides.push_back(steps);
    }
    MONOGRAPH_CHECK(!views.empty(), File, "a memory has no views");
    // The attributes' elements lie in the file, so this bounds the memory by the size of the file.
    MONOGRAPH_CHECK(elements / kMaxElementsPerHeld <= held, File, "a memory of ", elements, " elements has views of ", held, " alone");
    fill(views, offsets, strides, *dtype, elements);
  }

 private:
  static const ordered_json& member(const ordered_json& v, const char* key) {
    MONOGRAPH_CHECK(v.is_object() && v.contains(key), File, "expected an object with \"", key, "\"");
    return v.at(key);
  }
  static const ordered_json& list(const ordered_json& v, const char* key) {
    const ordered_json& found = member(v, key);
    MONOGRAPH_CHECK(found.is_array(), File, "\"", key, "\" is not a list");
    return found;
  }
  static int64_t number(const ordered_json& n, const char* what) {
    MONOGRAPH_CHECK(n.is_number_unsigned() && n.get<uint64_t>() <= INT64_MAX, File, what, " is not a whole number");
    return n.get<int64_t>();
  }
  static int64_t whole(const ordered_json& v, const char* key) { return number(member(v, key), key); }

  TensorView place(const ordered_json& entry) const {
    TensorView v;
    const int64_t module = whole(entry, "module");
    MONOGRAPH_CHECK(static_cast<uint64_t>(module) < unit_.modules().size(), File, "there is no module m", module);
    v.module = static_cast<size_t>(module);
    const ordered_json& name = member(entry, "attribute");
    MONOGRAPH_CHECK(name.is_string(), File, "\"attribute\" is not a string");
    const int at = unit_.modules()[v.module]->type().index_of(name.get_ref<const std::string&>());
    MONOGRAPH_CHECK(at >= 0, File, "m", module, " has no attribute ", name.get_ref<const std::string&>());
    v.attribute = static_cast<size_t>(at);
    return v;
  }
  ir::Args& value_of(const TensorView& v) const { return unit_.modules()[v.module]->values[v.attribute].value; }
  const ir::TensorConstant& constant_of(const TensorView& v) const {
    const ir::Args& value = value_of(v);
    MONOGRAPH_CHECK(value.size() == 1 && value[0].is(ir::ArgKind::Tensor), File, name_of(unit_, v), " is not a tensor");
    return value[0].as_tensor();
  }

  void fill(const std::vector<TensorView>& views, const std::vector<int64_t>& offsets, const std::vector<Dims>& strides, DType dtype,
            int64_t elements) {
    const int64_t sizes[] = {elements};
    const Tensor memory = empty(sizes, dtype);
    std::memset(memory.data(), 0, memory.nbytes());
    std::vector<bool> filled(static_cast<size_t>(elements));
    for (size_t k = 0; k < views.size(); ++k) {
      const ir::TensorConstant& constant = constant_of(views[k]);
      MONOGRAPH_CHECK(copy_into(constant, strides[k], memory, offsets[k], filled), File, name_of(unit_, views[k]),
                      " has other contents than what shares its memory");
      const Tensor view = memory.as_strided(constant.sizes(), strides[k], offsets[k]);
      value_of(views[k]) = ir::Args(ir::TensorRef(std::make_shared<exec::LiveTensor>(view)));
    }
  }
  // Copies the constant's elements into the memory; false if an element is already there with other bits.
  static bool copy_into(const ir::TensorConstant& constant, const Dims& strides, const Tensor& memory, int64_t offset,
                        std::vector<bool>& filled) {
    const auto size = static_cast<size_t>(element_size(constant.dtype()));
    const std::byte* from = constant.bytes().data();
    const std::span<const int64_t> sizes = constant.sizes();
    Dims index(sizes.size(), 0);
    for (int64_t k = 0, count = constant.numel(), at = offset; k < count; ++k, from += size) {
      char* to = memory.data() + static_cast<size_t>(at) * size;
      if (filled[static_cast<size_t>(at)] && std::memcmp(to, from, size) != 0) return false;
      std::memcpy(to, from, size);
      filled[static_cast<size_t>(at)] = true;
      for (size_t d = sizes.size(); d-- > 0;) {
        if (sizes[d] == 1) continue;  // its stride may be any number: adding it could overflow
        at += strides[d];
        if (++index[d] < sizes[d]) break;
        at -= sizes[d] * strides[d], index[d] = 0;
      }
    }
    return true;
  }

  ir::Unit& unit_;
  std::set<std::pair<size_t, size_t>> seen_;
};

}  // namespace

std::string sharing_to_json(const ir::Unit& unit, const AttributePlaces& written, std::string_view path) {
  ordered_json memories = ordered_json::array();
  for (const std::vector<TensorView>& views : views_by_storage(unit))
    for (const std::span<const TensorView> run : overlapping_runs(views)) {
      if (run.size() == 1 && !overlaps_itself(run[0].tensor)) continue;
      const bool is_written = std::any_of(
          run.begin(), run.end(), [&](const TensorView& v) { return written.contains({unit.modules()[v.module].get(), v.attribute}); });
      if (is_written) memories.push_back(memory_json(unit, run, path));
    }
  return memories.empty() ? "" : ordered_json({{"memories", memories}}).dump(1) + "\n";
}

void share_from_json(ir::Unit& unit, std::string_view json) {
  const ordered_json parsed = ordered_json::parse(json, nullptr, /*allow_exceptions=*/false);
  MONOGRAPH_CHECK(parsed.is_object() && parsed.contains("memories") && parsed["memories"].is_array(), File,
                  "it is not JSON of memories and their views");
  SharingReader reader(unit);
  for (const ordered_json& memory : parsed["memories"]) reader.read(memory);
}

}  // namespace monograph
