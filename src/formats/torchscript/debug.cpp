// The unpickler reads the entry without building objects. Each user's text is cut into lines once, and positions in it become lines and columns.
//
// The writer collects the lines that the code names, file by file, and joins those that lie near one another to passages. Each passage is one text of
// the entry.
#include "formats/torchscript/debug.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/calls.h"
#include "formats/pickle/unpickler.h"
#include "formats/torchscript/pickler.h"

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

void CodeText::add(const CodeText& lines) {
  text += lines.text;
  origins.insert(origins.end(), lines.origins.begin(), lines.origins.end());
}
void CodeText::add(std::string_view lines) {
  text += lines;
  origins.resize(static_cast<size_t>(std::ranges::count(text, '\n')));
}

namespace {

constexpr std::string_view kUnknownFile = "<written by Monograph>";  // for lines that come from no line of the user's program
constexpr std::string_view kUnknownText = "# the text of this line is not in the file";
constexpr uint32_t kContext = 3;  // the lines that an error of PyTorch shows before and behind the marked one
constexpr uint32_t kMostLines = 1000;  // of one place; a longer place is shown by its first lines

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

class DebugWriter {
 public:
  DebugWriter(const CodeText& code, const FileTexts& file_texts) : code_(code), file_texts_(file_texts), out_(no_storages_) {}

  std::string run() {
    if (std::ranges::none_of(code_.origins, &Span::known)) return "";
    find_passages();
    find_ranges();
    out_.mark();
    out_.text("FORMAT_WITH_STRING_TABLE");
    out_.mark();
    for (const std::string* s : strings_) out_.text(*s);
    out_.end_tuple();
    out_.mark();
    for (const Range& r : ranges_) write(r);
    out_.end_tuple();
    out_.end_tuple();
    return out_.finish();
  }

 private:
  // Consecutive lines of one file, which are one text of the entry.
  struct Passage {
    Passage() = default;
    Passage(uint32_t first, uint32_t last) : first(first), last(last) {}
    uint32_t first = 1, last = 1;  // numbers of lines
    std::vector<size_t> pieces;  // the strings of its lines
    std::vector<size_t> begins;  // where each line begins in the passage
    size_t file = 0;  // the string of the file's name
    size_t number = 0;  // in the pickle, where it is written already
    bool written = false;
  };
  struct Range {
    size_t at = 0;  // in the code
    Passage* passage = nullptr;
    size_t begin = 0, end = 0;  // in the passage
  };

  size_t string(const std::string& s) {
    const auto [found, fresh] = numbers_.try_emplace(s, strings_.size());
    if (fresh) strings_.push_back(&found->first);
    return found->second;
  }

  static uint32_t last_line(const Span& s) { return std::clamp(s.end_line, s.line, s.line + kMostLines); }

  void find_passages() {
    std::map<std::string, std::map<uint32_t, uint32_t>> wanted;  // by file: the first lines of places, and their last ones
    for (const Span& s : code_.origins)
      if (s.known()) {
        uint32_t& last = wanted[*s.file][s.line];
        last = std::max(last, last_line(s));
      }
    for (const auto& [file, places] : wanted) {
      const std::vector<std::string> lines = lines_of(file_texts_ ? file_texts_(file) : std::string());
      const auto count = static_cast<uint32_t>(std::min<size_t>(lines.size(), kMostPlaces));
      std::vector<Passage>& passages = passages_[file];
      for (const auto& [first, last] : places) {
        if (first > count) {  // the text is not to be had, or is another one now
          passages.emplace_back(first, first);
          continue;
        }
        const uint32_t begin = first > kContext ? first - kContext : 1, end = std::min(last + kContext, count);
        if (!passages.empty() && begin <= passages.back().last + 1) passages.back().last = std::max(end, passages.back().last);
        else passages.emplace_back(begin, end);
      }
      for (Passage& p : passages) {
        p.file = string(file);
        for (uint32_t k = p.first; k <= p.last; ++k) add_line(p, k <= count ? lines[k - 1] : std::string(kUnknownText));
      }
    }
  }
  void add_line(Passage& p, const std::string& line) {
    p.begins.push_back(p.begins.empty() ? 0 : p.begins.back() + strings_[p.pieces.back()]->size());
    p.pieces.push_back(string(line));
  }

  // The part of a passage that a place is. A place without columns is its whole lines.
  static void mark(Range& r, const Span& s, const std::vector<const std::string*>& strings) {
    const Passage& p = *r.passage;
    const auto line = [&](uint32_t number) -> const std::string& { return *strings[p.pieces[number - p.first]]; };
    const auto begin_of = [&](uint32_t number) { return p.begins[number - p.first]; };
    const auto written_end = [&](uint32_t number) { return line(number).find_last_not_of(" \t\r\n") + 1; };
    const uint32_t last = std::min(last_line(s), p.last);
    size_t begin = s.column, end = last == s.end_line ? s.end_column : 0;
    if (begin >= written_end(s.line)) begin = 0;
    if (begin == 0) begin = std::min(line(s.line).find_first_not_of(" \t"), line(s.line).size());
    if (end > written_end(last) || end == 0) end = written_end(last);
    r.begin = begin_of(s.line) + begin;
    r.end = std::max(begin_of(last) + end, r.begin + 1);
  }

  // A part of the code is one range up to the next one, so lines from one place need one range.
  void find_ranges() {
    size_t at = 0;
    const Span* before = nullptr;
    for (const Span& s : code_.origins) {
      const size_t end = code_.text.find('\n', at) + 1;
      if (!before || !s.known() || !(s == *before)) {
        Range& r = ranges_.emplace_back();
        r.at = at;
        if (s.known()) {
          std::vector<Passage>& of_file = passages_.at(*s.file);
          r.passage = &*std::prev(std::ranges::upper_bound(of_file, s.line, {}, &Passage::first));
          mark(r, s, strings_);
        } else {
          const std::string line = code_.text.substr(at, end - at);
          r.passage = &no_place(line);
          r.begin = std::min(line.find_first_not_of(' '), line.size() - 1), r.end = std::max(line.size() - 1, r.begin + 1);
        }
      }
      before = &s, at = end;
    }
  }
  // A line that comes from no line of the user's program is shown itself.
  Passage& no_place(const std::string& line) {
    const auto [found, fresh] = generated_.try_emplace(line);
    Passage& p = found->second;
    if (fresh) p.file = string(std::string(kUnknownFile)), add_line(p, line);
    return p;
  }

  void write(const Range& r) {
    out_.mark();
    out_.integer(static_cast<int64_t>(r.at));
    out_.mark();
    Passage& p = *r.passage;
    if (p.written) {
      out_.again(p.number);
    } else {
      out_.mark();
      out_.integers({p.pieces.begin(), p.pieces.end()});
      out_.integer(static_cast<int64_t>(p.file)), out_.integer(p.first);
      out_.end_tuple();
      p.number = out_.remember(), p.written = true;
    }
    out_.integer(static_cast<int64_t>(r.begin)), out_.integer(static_cast<int64_t>(r.end));
    out_.end_tuple();
    out_.integer(-1);  // a tag, which PyTorch's interpreter for phones uses
    out_.end_tuple();
  }

  const CodeText& code_;
  const FileTexts& file_texts_;
  StorageTable no_storages_;
  Pickler out_;
  std::map<std::string, size_t> numbers_;  // of the strings
  std::vector<const std::string*> strings_;
  std::map<std::string, std::vector<Passage>> passages_;  // by file, in the order of their lines
  std::map<std::string, Passage> generated_;  // by text
  std::vector<Range> ranges_;
};

}  // namespace

std::string debug_entry(const CodeText& code, const FileTexts& file_texts) { return DebugWriter(code, file_texts).run(); }

// --- Calls.

namespace {

class CallTable {
 public:
  size_t number(const CallInPlace* call) {
    if (!call) return 0;
    if (const auto known = numbers_.find(call); known != numbers_.end()) return known->second;
    const size_t caller = number(call_of(call->at)), own = numbers_.size() + 1;
    numbers_.emplace(call, own);
    text +=
        concat("call ", own, " in ", caller, " at ", call->at.line, " ", call->at.column, " ", call->at.end_line, " ", call->at.end_column,
               "\t", plain(call->at.file ? *call->at.file : ""), "\t", plain(call->function), "\t", plain(call->caller), "\n");
    return own;
  }
  std::string text;

 private:
  static std::string plain(std::string words) {
    for (char& c : words)
      if (c == '\t' || c == '\n') c = ' ';
    return words;
  }
  std::unordered_map<const CallInPlace*, size_t> numbers_;
};

// The next number of a line, behind the spaces and the words before it; -1 where there is none.
int64_t next_number(std::string_view& line) {
  const size_t at = line.find_first_of("0123456789");
  int64_t value = -1;
  if (at == std::string_view::npos) return value;
  line.remove_prefix(at);
  const auto read = std::from_chars(line.data(), line.data() + line.size(), value);
  line.remove_prefix(static_cast<size_t>(read.ptr - line.data()));
  return read.ec == std::errc() ? value : -1;
}

std::string_view next_part(std::string_view& text, char end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

}  // namespace

std::string calls_entry(const std::map<std::string, CodeText>& code) {
  CallTable calls;
  std::string positions;
  for (const auto& [file, text] : code) {
    std::string line;
    size_t at = 0, before = 0;
    for (const Span& s : text.origins) {
      const size_t call = s.known() ? calls.number(call_of(s)) : 0;
      if (std::exchange(before, call) != call) line += concat(" ", at, ":", call);
      at = text.text.find('\n', at) + 1;
    }
    if (!line.empty()) positions += concat(file, line, "\n");
  }
  return positions.empty() ? std::string() : calls.text + positions;
}

void put_into_calls(std::string_view entry, const std::string& file, std::vector<SourceText::Origin>& origins) {
  std::vector<const CallInPlace*> calls{nullptr};
  while (!entry.empty()) {
    std::string_view line = next_part(entry, '\n');
    if (line.starts_with("call ")) {
      std::string_view numbers = next_part(line, '\t');
      const int64_t own = next_number(numbers), caller = next_number(numbers);
      if (own != static_cast<int64_t>(calls.size()) || caller < 0 || caller >= own) return;
      CallInPlace call;
      for (uint32_t* place : {&call.at.line, &call.at.column, &call.at.end_line, &call.at.end_column}) {
        const int64_t n = next_number(numbers);
        if (n < 0 || n > kMostPlaces) return;
        *place = static_cast<uint32_t>(n);
      }
      call.at.file = intern_file(next_part(line, '\t'));
      call.at = in_call(call.at, calls[static_cast<size_t>(caller)]);
      call.function = next_part(line, '\t'), call.caller = line;
      calls.push_back(intern_call(std::move(call)));
    } else if (next_part(line, ' ') == file) {
      std::vector<std::pair<int64_t, const CallInPlace*>> positions;
      while (!line.empty()) {
        const int64_t at = next_number(line), call = next_number(line);
        if (call < 0 || call >= static_cast<int64_t>(calls.size())) break;
        positions.emplace_back(at, calls[static_cast<size_t>(call)]);
      }
      size_t k = 0;
      const CallInPlace* call = nullptr;
      for (SourceText::Origin& o : origins) {
        for (; k < positions.size() && positions[k].first <= o.at; ++k) call = positions[k].second;
        if (o.span.known() && call) o.span = in_call(o.span, call);
      }
    }
  }
}

}  // namespace monograph::torchscript
