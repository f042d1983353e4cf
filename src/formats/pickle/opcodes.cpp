#include "formats/pickle/opcodes.h"

#include <array>

namespace monograph::pickle {
namespace {

struct Row {
  Op op;
  OpInfo info;
};

using enum Follows;
constexpr Row kRows[] = {
    {Op::Mark, {"MARK", Nothing}},
    {Op::Stop, {"STOP", Nothing}},
    {Op::Pop, {"POP", Nothing}},
    {Op::PopMark, {"POP_MARK", Nothing}},
    {Op::Dup, {"DUP", Nothing}},
    {Op::Float, {"FLOAT", Line}},
    {Op::Int, {"INT", Line}},
    {Op::BinInt, {"BININT", Bytes4}},
    {Op::BinInt1, {"BININT1", Bytes1}},
    {Op::Long, {"LONG", Line}},
    {Op::BinInt2, {"BININT2", Bytes2}},
    {Op::None, {"NONE", Nothing}},
    {Op::PersId, {"PERSID", Line}},
    {Op::BinPersId, {"BINPERSID", Nothing}},
    {Op::Reduce, {"REDUCE", Nothing}},
    {Op::String, {"STRING", Line}},
    {Op::BinString, {"BINSTRING", Counted4}},
    {Op::ShortBinString, {"SHORT_BINSTRING", Counted1}},
    {Op::Unicode, {"UNICODE", Line}},
    {Op::BinUnicode, {"BINUNICODE", Counted4}},
    {Op::Append, {"APPEND", Nothing}},
    {Op::Build, {"BUILD", Nothing}},
    {Op::Global, {"GLOBAL", TwoLines}},
    {Op::Dict, {"DICT", Nothing}},
    {Op::EmptyDict, {"EMPTY_DICT", Nothing}},
    {Op::Appends, {"APPENDS", Nothing}},
    {Op::Get, {"GET", Line}},
    {Op::BinGet, {"BINGET", Bytes1}},
    {Op::Inst, {"INST", TwoLines}},
    {Op::LongBinGet, {"LONG_BINGET", Bytes4}},
    {Op::List, {"LIST", Nothing}},
    {Op::EmptyList, {"EMPTY_LIST", Nothing}},
    {Op::Obj, {"OBJ", Nothing}},
    {Op::Put, {"PUT", Line}},
    {Op::BinPut, {"BINPUT", Bytes1}},
    {Op::LongBinPut, {"LONG_BINPUT", Bytes4}},
    {Op::SetItem, {"SETITEM", Nothing}},
    {Op::Tuple, {"TUPLE", Nothing}},
    {Op::EmptyTuple, {"EMPTY_TUPLE", Nothing}},
    {Op::SetItems, {"SETITEMS", Nothing}},
    {Op::BinFloat, {"BINFLOAT", Bytes8}},
    {Op::Proto, {"PROTO", Bytes1}},
    {Op::NewObj, {"NEWOBJ", Nothing}},
    {Op::Ext1, {"EXT1", Bytes1}},
    {Op::Ext2, {"EXT2", Bytes2}},
    {Op::Ext4, {"EXT4", Bytes4}},
    {Op::Tuple1, {"TUPLE1", Nothing}},
    {Op::Tuple2, {"TUPLE2", Nothing}},
    {Op::Tuple3, {"TUPLE3", Nothing}},
    {Op::NewTrue, {"NEWTRUE", Nothing}},
    {Op::NewFalse, {"NEWFALSE", Nothing}},
    {Op::Long1, {"LONG1", Counted1}},
    {Op::Long4, {"LONG4", Counted4}},
    {Op::BinBytes, {"BINBYTES", Counted4}},
    {Op::ShortBinBytes, {"SHORT_BINBYTES", Counted1}},
    {Op::ShortBinUnicode, {"SHORT_BINUNICODE", Counted1}},
    {Op::BinUnicode8, {"BINUNICODE8", Counted8}},
    {Op::BinBytes8, {"BINBYTES8", Counted8}},
    {Op::EmptySet, {"EMPTY_SET", Nothing}},
    {Op::AddItems, {"ADDITEMS", Nothing}},
    {Op::FrozenSet, {"FROZENSET", Nothing}},
    {Op::NewObjEx, {"NEWOBJ_EX", Nothing}},
    {Op::StackGlobal, {"STACK_GLOBAL", Nothing}},
    {Op::Memoize, {"MEMOIZE", Nothing}},
    {Op::Frame, {"FRAME", Bytes8}},
    {Op::ByteArray8, {"BYTEARRAY8", Counted8}},
    {Op::NextBuffer, {"NEXT_BUFFER", Nothing}},
    {Op::ReadonlyBuffer, {"READONLY_BUFFER", Nothing}},
};

constexpr std::array<OpInfo, 256> table() {
  std::array<OpInfo, 256> all{};
  for (const Row& row : kRows) all[static_cast<size_t>(row.op)] = row.info;
  return all;
}
constexpr std::array<OpInfo, 256> kTable = table();

}  // namespace

const OpInfo& info(Op op) { return kTable[static_cast<size_t>(op)]; }

}  // namespace monograph::pickle
