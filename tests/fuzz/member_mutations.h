// Mutations that keep the form of what they change, so that more of it is read: a pickle by whole opcodes, code by lines and words. Random bytes
// seldom get past the first check.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace monograph::fuzz {

using Random = std::mt19937;
inline size_t below(Random& random, size_t n) { return n == 0 ? 0 : random() % n; }

// The number of bytes of the opcode that begins at `at`, with its argument; 1 for one that is not known.
inline size_t pickle_opcode_size(std::string_view pickle, size_t at) {
  const auto byte = [&](size_t k) { return at + k < pickle.size() ? static_cast<uint8_t>(pickle[at + k]) : uint8_t{0}; };
  const auto line_end = [&](size_t from) { return std::min(pickle.find('\n', from), pickle.size() - 1) + 1; };
  const size_t rest = pickle.size() - at;
  size_t size = 1;
  switch (pickle[at]) {
    case 'K':
    case 'h':
    case 'q':
    case '\x80': size = 2; break;
    case 'M': size = 3; break;
    case 'J':
    case 'j':
    case 'r': size = 5; break;
    case 'G': size = 9; break;
    case 'X':
    case 'T': size = 5 + (byte(1) | byte(2) << 8 | size_t{byte(3)} << 16); break;
    case 'U':
    case '\x8a': size = 2 + byte(1); break;
    case 'c': size = line_end(line_end(at)) - at; break;
    default: break;
  }
  return std::min(size, rest);
}

inline std::vector<std::string> pickle_opcodes(std::string_view pickle) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < pickle.size();) {
    const size_t size = std::max<size_t>(pickle_opcode_size(pickle, at), 1);
    parts.emplace_back(pickle.substr(at, size));
    at += size;
  }
  return parts;
}

// Words, numbers and single other characters; a line's indentation is one part.
inline std::vector<std::string> code_words(std::string_view code) {
  const auto is_word = [](char c) {
    return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::vector<std::string> parts;
  for (size_t at = 0; at < code.size();) {
    size_t end = at + 1;
    if (is_word(code[at])) {
      while (end < code.size() && is_word(code[end])) ++end;
    } else if (code[at] == ' ') {
      while (end < code.size() && code[end] == ' ') ++end;
    }
    parts.emplace_back(code.substr(at, end - at));
    at = end;
  }
  return parts;
}

inline const std::vector<std::string>& pickle_dictionary() {
  using std::string_literals::operator""s;
  static const std::vector<std::string> dictionary = {"("s,
                                                      "t"s,
                                                      ")"s,
                                                      "]"s,
                                                      "}"s,
                                                      "N"s,
                                                      "\x88"s,
                                                      "\x89"s,
                                                      "R"s,
                                                      "b"s,
                                                      "\x81"s,
                                                      "u"s,
                                                      "s"s,
                                                      "e"s,
                                                      "a"s,
                                                      "0"s,
                                                      "2"s,
                                                      "Q"s,
                                                      "\x85"s,
                                                      "\x86"s,
                                                      "\x87"s,
                                                      "1"s,
                                                      "K\xff"s,
                                                      "K\x00"s,
                                                      "J\xff\xff\xff\x7f"s,
                                                      "J\x00\x00\x00\x80"s,
                                                      "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"s,
                                                      "\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80"s,
                                                      "G\x7f\xf8\x00\x00\x00\x00\x00\x00"s,
                                                      "h\x00"s,
                                                      "h\x01"s,
                                                      "q\x00"s,
                                                      "q\x01"s,
                                                      "j\xff\xff\xff\x00"s,
                                                      "r\xff\xff\xff\x00"s,
                                                      "X\x01\x00\x00\x00"
                                                      "0"s,
                                                      "X\x07\x00\x00\x00"
                                                      "storage"s,
                                                      "X\x03\x00\x00\x00"
                                                      "cpu"s,
                                                      "X\x06\x00\x00\x00"
                                                      "cuda:0"s,
                                                      "ctorch._utils\n_rebuild_tensor_v2\n"s,
                                                      "ctorch._utils\n_rebuild_qtensor\n"s,
                                                      "ctorch._utils\n_rebuild_parameter\n"s,
                                                      "ctorch\nFloatStorage\n"s,
                                                      "ctorch\nQInt8Storage\n"s,
                                                      "ccollections\nOrderedDict\n"s,
                                                      "ctorch.jit._pickle\nbuild_intlist\n"s,
                                                      "ctorch.jit._pickle\nrestore_type_tag\n"s,
                                                      "c__torch__\nM\n"s,
                                                      "c__torch__.torch.classes.q\nP\n"s,
                                                      "cos\nsystem\n"s,
                                                      "ctorch\ndevice\n"s,
                                                      "ctorch.serialization\n_get_layout\n"s};
  return dictionary;
}

inline const std::vector<std::string>& code_dictionary() {
  static const std::vector<std::string> dictionary = {"self",
                                                      "CONSTANTS.c0",
                                                      "CONSTANTS.c99999999",
                                                      "9223372036854775807",
                                                      "-9223372036854775808",
                                                      "1e999",
                                                      "None",
                                                      "True",
                                                      "Tensor",
                                                      "List[",
                                                      "Dict[",
                                                      "Optional[",
                                                      "Tuple[",
                                                      "Future[",
                                                      "NoneType",
                                                      "__torch__.M",
                                                      "getattr(self, \"0\")",
                                                      "annotate(",
                                                      "unchecked_cast(",
                                                      "uninitialized(",
                                                      "torch.add",
                                                      "ops.aten.add",
                                                      "ops.prim.",
                                                      "ops.mine.f",
                                                      "torch.slice",
                                                      "torch.view",
                                                      "torch.zeros",
                                                      "torch.format",
                                                      "fork(",
                                                      "torch.jit.",
                                                      "raise ",
                                                      "assert ",
                                                      "while True:\n      ",
                                                      "for _0 in range(3):\n      ",
                                                      "if ",
                                                      "else:\n",
                                                      "elif ",
                                                      "return ",
                                                      "def f(self: __torch__.M) -> int:\n    ",
                                                      "class Q(Module):\n  ",
                                                      "__parameters__ = [",
                                                      "(((((((((((((((((((((((((((((((((",
                                                      "[[[[[[[[[[[[[[[[[[[[[[",
                                                      "[0]",
                                                      "**",
                                                      "//",
                                                      "<<",
                                                      "\"\\u0000\"",
                                                      "\"\xff\"",
                                                      "\n",
                                                      "  ",
                                                      "#",
                                                      "@",
                                                      "is",
                                                      "not ",
                                                      "in"};
  return dictionary;
}

// The parts with one to four changes. `foreign` are parts of another text that may be put in.
inline std::string with_changes(std::vector<std::string> parts, const std::vector<std::string>& foreign,
                                const std::vector<std::string>& dictionary, Random& random) {
  for (size_t times = 1 + below(random, 4); times-- > 0;) {
    const size_t at = below(random, parts.size() + 1), from = below(random, parts.size() + 1);
    const auto place = parts.begin() + static_cast<ptrdiff_t>(at);
    const size_t count = std::min(1 + below(random, below(random, 4) ? 3 : 40), parts.size() - at);
    switch (below(random, 8)) {
      case 0: parts.erase(place, place + static_cast<ptrdiff_t>(count)); break;
      case 1: parts.insert(place, dictionary[below(random, dictionary.size())]); break;
      case 2:
        if (at < parts.size()) *place = dictionary[below(random, dictionary.size())];
        break;
      case 3:
        if (at < parts.size() && from < parts.size()) std::swap(parts[at], parts[from]);
        break;
      case 4:
        if (at < parts.size() && from < parts.size()) parts[at] = std::string(parts[from]);
        break;
      case 5: {
        const std::vector<std::string> again(place, place + static_cast<ptrdiff_t>(count));
        parts.insert(parts.begin() + static_cast<ptrdiff_t>(from <= parts.size() ? from : 0), again.begin(), again.end());
        break;
      }
      case 6: {
        const size_t first = below(random, foreign.size()), taken = std::min(1 + below(random, 20), foreign.size() - first);
        parts.insert(place, foreign.begin() + static_cast<ptrdiff_t>(first), foreign.begin() + static_cast<ptrdiff_t>(first + taken));
        break;
      }
      default:
        if (at < parts.size() && !parts[at].empty()) {
          char& c = parts[at][below(random, parts[at].size())];
          c = below(random, 2) ? static_cast<char>(random()) : static_cast<char>(c ^ (1 << below(random, 8)));
        }
    }
  }
  std::string out;
  for (const std::string& part : parts) out += part;
  return out;
}

inline std::string mutated_pickle(std::string_view pickle, std::string_view other, Random& random) {
  return with_changes(pickle_opcodes(pickle), pickle_opcodes(other), pickle_dictionary(), random);
}
inline std::string mutated_code(std::string_view code, std::string_view other, Random& random) {
  return with_changes(code_words(code), code_words(other), code_dictionary(), random);
}

}  // namespace monograph::fuzz
