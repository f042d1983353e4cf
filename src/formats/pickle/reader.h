// OpReader reads a pickle opcode by opcode. It does not execute the opcodes; unpickler.cpp does.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "formats/pickle/opcodes.h"
#include "formats/pickle/unpickler.h"

namespace monograph::pickle {

class OpReader {
 public:
  OpReader(std::span<const std::byte> bytes, std::string_view where)
      : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), where_(where) {}

  // Reads the next opcode and its argument. Throws UnpicklingError at the end of the bytes, because a pickle ends with STOP.
  PickleOp next() {
    begin_ = at_;
    const PickleOp op = static_cast<PickleOp>(static_cast<uint8_t>(take(1)[0]));
    switch (info(op).follows) {
      case Follows::Unknown: bad("it has no opcode of that number");
      case Follows::Nothing: data = {}; break;
      case Follows::Bytes1: data = take(1); break;
      case Follows::Bytes2: data = take(2); break;
      case Follows::Bytes4: data = take(4); break;
      case Follows::Bytes8: data = take(8); break;
      case Follows::Counted1: data = take(number(take(1))); break;
      case Follows::Counted4: data = take(number(take(4))); break;
      case Follows::Counted8: data = take(number(take(8))); break;
      case Follows::Line: data = line(); break;
      case Follows::TwoLines: data = line(), second = line(); break;
    }
    return op;
  }

  std::string_view data, second;  // the last opcode's argument: its bytes or its line; its second line
  uint64_t number() const { return number(data); }  // the argument as a number
  size_t begin() const { return begin_; }  // the position of the last opcode
  size_t at() const { return at_; }  // the position after it and its argument
  std::string_view bytes(size_t from) const { return text_.substr(from, at_ - from); }

  // Throws UnpicklingError: `bad` for a damaged pickle, `refuse` for one that is not allowed or not supported.
  template <class... Parts>
  [[noreturn]] void bad(const Parts&... parts) const {
    throw UnpicklingError(concat(where_, ": the pickle in it is damaged or truncated, at byte ", begin_, " (", parts...,
                                 "). Copy the file again, or write it again"));
  }
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw UnpicklingError(concat(where_, ": ", parts...));
  }

 private:
  static uint64_t number(std::string_view bytes) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::string_view take(uint64_t count) {
    if (count > text_.size() - at_) bad("it ends in the middle of an opcode");
    const std::string_view taken = text_.substr(at_, count);
    at_ += count;
    return taken;
  }
  std::string_view line() {
    const size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) bad("it ends in the middle of a line");
    const std::string_view taken = take(end - at_);
    take(1);
    return taken;
  }

  std::string_view text_, where_;
  size_t at_ = 0, begin_ = 0;
};

// The present name of a module that Python 2 or an older PyTorch called otherwise: "builtins" for "__builtin__". Other names stay as they are.
std::string_view current_module_name(std::string_view module);

}  // namespace monograph::pickle
