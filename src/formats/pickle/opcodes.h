// The opcodes of pickles, protocols 0 to 5, and the form of the argument that follows each one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace monograph::pickle {

// clang-format off
enum class PickleOp : uint8_t {
  Mark = '(', Stop = '.', Pop = '0', PopMark = '1', Dup = '2', Float = 'F', Int = 'I', BinInt = 'J', BinInt1 = 'K', Long = 'L',
  BinInt2 = 'M', None = 'N', PersId = 'P', BinPersId = 'Q', Reduce = 'R', String = 'S', BinString = 'T', ShortBinString = 'U',
  Unicode = 'V', BinUnicode = 'X', Append = 'a', Build = 'b', Global = 'c', Dict = 'd', EmptyDict = '}', Appends = 'e', Get = 'g',
  BinGet = 'h', Inst = 'i', LongBinGet = 'j', List = 'l', EmptyList = ']', Obj = 'o', Put = 'p', BinPut = 'q', LongBinPut = 'r',
  SetItem = 's', Tuple = 't', EmptyTuple = ')', SetItems = 'u', BinFloat = 'G',
  // Protocol 2
  Proto = 0x80, NewObj, Ext1, Ext2, Ext4, Tuple1, Tuple2, Tuple3, NewTrue, NewFalse, Long1, Long4,
  // Protocol 3
  BinBytes = 'B', ShortBinBytes = 'C',
  // Protocol 4
  ShortBinUnicode = 0x8c, BinUnicode8, BinBytes8, EmptySet, AddItems, FrozenSet, NewObjEx, StackGlobal, Memoize, Frame,
  // Protocol 5
  ByteArray8, NextBuffer, ReadonlyBuffer,
};
// clang-format on

// The argument of an opcode. BytesN: N bytes. CountedN: a length of N bytes, then so many bytes. Line: text up to a newline.
enum class Follows : uint8_t { Unknown, Nothing, Bytes1, Bytes2, Bytes4, Bytes8, Counted1, Counted4, Counted8, Line, TwoLines };

struct PickleOpInfo {
  std::string_view name;
  Follows follows = Follows::Unknown;
};
// For a byte that is no opcode, `follows` is Unknown.
const PickleOpInfo& info(PickleOp op);

}  // namespace monograph::pickle
