// BERT's tokenizer: reads UTF-8, splits at spaces, punctuation and Chinese characters, folds case and accents by unicode_tables.inc, and takes the longest
// known piece of each word.
#include "wordpiece.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

struct Range {
  char32_t first, last;
};
struct Run {  // code points that map to one with the same difference
  char32_t first, last;
  uint8_t step;
  int32_t difference;
};
#include "unicode_tables.inc"

template <size_t N>
bool within(const Range (&ranges)[N], char32_t c) {
  const Range* r = std::upper_bound(std::begin(ranges), std::end(ranges), c, [](char32_t x, const Range& y) { return x < y.first; });
  return r != std::begin(ranges) && c <= r[-1].last;
}

// The ranges of BERT's tokenizer: ideographs, not kana or hangul.
bool is_chinese(char32_t c) {
  constexpr Range kChinese[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
                                {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  return within(kChinese, c);
}
bool is_space(char32_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || within(kSpaces, c); }
// Punctuation, and every ASCII sign that is neither letter, digit nor space, "$" and "+" too.
bool is_punctuation(char32_t c) {
  if (c < 128) return c > 32 && c < 127 && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z');
  return within(kPunctuation, c);
}

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) out += static_cast<char>(c);
  else if (c < 0x800) out += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
  else if (c < 0x10000)
    out += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
  else
    out += {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)), static_cast<char>(0x80 | (c >> 6 & 63)),
            static_cast<char>(0x80 | (c & 63))};
}

// The code point at `at`, which moves behind it; U+FFFD for a byte that begins none.
char32_t next_code_point(std::string_view text, size_t& at) {
  const auto byte = [&](size_t k) { return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0u; };
  const char32_t first = byte(0);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xC2 && first < 0xE0 ? 2
                        : first >= 0xE0 && first < 0xF0 ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  char32_t c = length == 1 ? first : first & (0x7Fu >> length);
  for (size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return ++at, 0xFFFD;
    c = c << 6 | (byte(k) & 63);
  }
  const bool wrong =
      length == 0 || (length == 3 && (c < 0x800 || (c >= 0xD800 && c < 0xE000))) || (length == 4 && (c < 0x10000 || c > 0x10FFFF));
  at += wrong ? 1 : length;
  return wrong ? 0xFFFD : c;
}

// Decomposed, without accents, in lower case.
template <class F>
void fold(char32_t c, F&& f) {
  if (c >= 0xAC00 && c < 0xD7A4) {  // Hangul: consonant, vowel, and maybe a final consonant
    const char32_t s = c - 0xAC00;
    f(0x1100 + s / 588), f(0x1161 + s % 588 / 28);
    if (s % 28) f(0x11A7 + s % 28);
    return;
  }
  if (c < 128) return f(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (within(kMarks, c)) return;
  const Run* run = std::upper_bound(std::begin(kRuns), std::end(kRuns), c, [](char32_t x, const Run& y) { return x < y.first; });
  // Runs of every second code point interleave with others that lie in their gaps.
  for (int back = 1; back <= 2 && run - back >= std::begin(kRuns); ++back)
    if (const Run& r = run[-back]; c <= r.last && (c - r.first) % r.step == 0) return f(c + static_cast<char32_t>(r.difference));
  const auto* several =
      std::lower_bound(std::begin(kSeveral), std::end(kSeveral), c, [](const Several& x, char32_t y) { return x.from < y; });
  if (several == std::end(kSeveral) || several->from != c) return f(c);
  for (char32_t x : several->to)
    if (x) f(x);
}

constexpr size_t kLongestWord = 100;  // in code points; longer ones are [UNK]

}  // namespace

struct wordpiece {
  std::string text;  // the vocabulary's file; the keys point into it
  std::unordered_map<std::string_view, int32_t> first, inner;  // pieces that begin a word, and those behind "##", without it
  int32_t unknown = 0, begin = 0, end = 0;
  size_t longest = 0;  // bytes of a piece

  void add_word(std::string_view word, size_t code_points, std::vector<int32_t>& tokens) const {
    if (code_points > kLongestWord) return tokens.push_back(unknown);
    const size_t before = tokens.size();
    for (size_t at = 0; at < word.size();) {
      const auto& pieces = at ? inner : first;
      size_t length = std::min(longest, word.size() - at);
      auto found = pieces.end();
      for (; length > 0 && (found = pieces.find(word.substr(at, length))) == pieces.end(); --length) {
      }
      if (length == 0) {
        tokens.resize(before);
        return tokens.push_back(unknown);
      }
      tokens.push_back(found->second);
      at += length;
    }
  }

  // At most `most` tokens.
  std::vector<int32_t> encode(std::string_view input, size_t most) const {
    std::vector<int32_t> tokens;
    std::string word;
    size_t code_points = 0;
    auto flush = [&] {
      if (code_points) add_word(word, code_points, tokens);
      word.clear(), code_points = 0;
    };
    for (size_t at = 0; at < input.size() && tokens.size() < most;) {
      const char32_t c = next_code_point(input, at);
      if (is_space(c)) {
        flush();
        continue;
      }
      if (c == 0xFFFD || within(kOther, c)) continue;
      const bool alone = is_chinese(c);
      if (alone) flush();
      fold(c, [&](char32_t x) {
        const bool punctuation = is_punctuation(x);
        if (punctuation) flush();
        append_utf8(word, x), ++code_points;
        if (punctuation) flush();
      });
      if (alone) flush();
    }
    flush();
    if (tokens.size() > most) tokens.resize(most);
    return tokens;
  }
};

extern "C" wordpiece* wordpiece_open(const char* path, char* error, size_t size) {
  auto wrong = [&](const std::string& what) -> wordpiece* {
    if (error && size) std::snprintf(error, size, "%s: %s", path, what.c_str());
    return nullptr;
  };
  std::ifstream in(path, std::ios::binary);
  if (!in) return wrong("cannot be read");
  auto* w = new wordpiece;
  w->text.assign(std::istreambuf_iterator<char>(in), {});
  std::string_view rest = w->text;
  for (int32_t id = 0; !rest.empty(); ++id) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view token = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (token.ends_with('\r')) token.remove_suffix(1);
    w->longest = std::max(w->longest, token.size());
    w->first.emplace(token, id);
    if (token.starts_with("##")) w->inner.emplace(token.substr(2), id);
  }
  for (auto [name, id] : {std::pair<const char*, int32_t*>{"[UNK]", &w->unknown}, {"[CLS]", &w->begin}, {"[SEP]", &w->end}}) {
    const auto found = w->first.find(name);
    if (found == w->first.end()) {
      delete w;
      return wrong(std::string("is no vocabulary of BERT's: it has no ") + name);
    }
    *id = found->second;
  }
  return w;
}

extern "C" void wordpiece_close(wordpiece* tokenizer) { delete tokenizer; }

extern "C" size_t wordpiece_encode(const wordpiece* w, const char* text, size_t bytes, int32_t* tokens, size_t capacity) {
  if (capacity < 2) return 0;
  const std::vector<int32_t> inside = w->encode({text, bytes}, capacity - 2);
  tokens[0] = w->begin;
  std::copy(inside.begin(), inside.end(), tokens + 1);
  tokens[inside.size() + 1] = w->end;
  return inside.size() + 2;
}
