// The unpickler reads the entry without building objects. Each user's text is cut into lines once, and positions in it become lines and columns.
#include "formats/torchscript/debug.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "formats/pickle/unpickler.h"

namespace monograph::torchscript {

using capture::script::SourceText;

namespace {

// Limits on the number of items, the bytes of one user's text and the bytes of all texts. PyTorch writes no files that exceed them.
constexpr int64_t kMostPlaces = int64_t{1} << 22, kMostText = int64_t{1} << 24, kMostTexts = int64_t{1} << 27;

// The items of a tuple that has at least `size`; null for any other value.
const std::vector<IValue>* tuple_of(const IValue& v, size_t size) {
  return v.is_tuple() && v.items().size() >= size ? &v.items() : nullptr;
}
const std::string* string_at(const std::vector<IValue>& strings, const IValue& place) {
  const bool there = place.is_int() && place.to_int() >= 0 && static_cast<size_t>(place.to_int()) < strings.size();
  return there && strings[static_cast<size_t>(place.to_int())].is_string() ? &strings[static_cast<size_t>(place.to_int())].to_string()
                                                                           : nullptr;
}

// Where the lines of a user's text begin.
struct UserText {
  const std::string* file = nullptr;  // null if the text comes from no file
  int64_t first_line = 0, size = 0;
  std::vector<int64_t> lines;  // where each begins

  UserText(const std::vector<IValue>& strings, const std::vector<IValue>& source) : lines{0} {
    const auto* list = pickle::as<pickle::NamedObject>(source[0]);  // torch.jit._pickle.build_intlist
    const std::vector<IValue>* built = list ? tuple_of(list->args, 1) : nullptr;
    const IValue places = built ? (*built)[0] : source[0];
    std::vector<IValue> pieces;
    if (places.is_ints()) pieces.assign(places.to_ints().begin(), places.to_ints().end());
    else if (places.is_list()) pieces = places.items();
    const std::string* name = string_at(strings, source[1]);
    if (!name || name->empty() || name->front() == '<' || !source[2].is_int()) return;
    for (const IValue& piece : pieces) {
      const std::string* text = string_at(strings, piece);
      if (!text || size > kMostText) return;
      for (size_t k = 0; k < text->size(); ++k)
        if ((*text)[k] == '\n') lines.push_back(size + static_cast<int64_t>(k) + 1);
      size += static_cast<int64_t>(text->size());
    }
    file = intern_file(*name), first_line = source[2].to_int();
  }
  std::pair<uint32_t, uint32_t> place(int64_t at) const {
    const auto next = std::ranges::upper_bound(lines, at);
    return {static_cast<uint32_t>(first_line + (next - lines.begin()) - 1), static_cast<uint32_t>(at - *std::prev(next))};
  }
  Span span(int64_t begin, int64_t end) const {
    Span s;
    if (!file || begin < 0 || begin >= size || end < begin || end > size || first_line < 0 || first_line > kMostPlaces) return s;
    s.file = file;
    std::tie(s.line, s.column) = place(begin);
    std::tie(s.end_line, s.end_column) = place(end);
    return s;
  }
};

}  // namespace

std::vector<SourceText::Origin> origins_in(std::span<const std::byte> bytes, const std::string& where) {
  std::vector<SourceText::Origin> out;
  try {
    pickle::Options options;
    options.where = where, options.name_all = true;
    const pickle::Unpickled read = pickle::unpickle(bytes, options);
    const std::vector<IValue>* whole = tuple_of(read.value, 3);
    if (!whole || !(*whole)[0].is_string() || (*whole)[0].to_string() != "FORMAT_WITH_STRING_TABLE") return out;
    const std::vector<IValue>*strings = tuple_of((*whole)[1], 1), *entries = tuple_of((*whole)[2], 0);
    if (!strings || !entries || entries->size() > static_cast<size_t>(kMostPlaces)) return out;
    std::map<const void*, UserText> texts;  // by the tuple that describes the text, which items of one text share
    int64_t read_so_far = 0;
    for (const IValue& entry : *entries) {
      const std::vector<IValue>* parts = tuple_of(entry, 2);
      const std::vector<IValue>* range = parts ? tuple_of((*parts)[1], 3) : nullptr;
      const std::vector<IValue>* source = range ? tuple_of((*range)[0], 3) : nullptr;
      if (!source || !(*parts)[0].is_int() || !(*range)[1].is_int() || !(*range)[2].is_int()) continue;
      const int64_t at = (*parts)[0].to_int();
      if (at < 0 || at > UINT32_MAX) continue;
      const auto [text, fresh] = texts.try_emplace(source, *strings, *source);
      if (fresh) read_so_far += text->second.size;
      if (read_so_far > kMostTexts) return {};
      out.push_back({static_cast<uint32_t>(at), text->second.span((*range)[1].to_int(), (*range)[2].to_int())});
    }
  } catch (const Error&) {
    return {};
  }
  std::ranges::stable_sort(out, {}, &SourceText::Origin::at);
  return out;
}

}  // namespace monograph::torchscript
