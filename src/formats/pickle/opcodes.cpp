// kRows lists all opcodes with their names. table() turns the list into an array that is indexed by an opcode's byte.
#include "formats/pickle/opcodes.h"

#include <array>

namespace monograph::pickle {
namespace {

struct Row {
  PickleOp op;
  PickleOpInfo info;
};

using enum Follows;
constexpr Row kRows[] = {
    {PickleOp::Mark, {"MARK", Nothing}},
    {PickleOp::Stop, {"STOP", Nothing}},
    {PickleOp::Pop, {"POP", Nothing}},
    {PickleOp::PopMark, {"POP_MARK", Nothing}},
    {PickleOp::Dup, {"DUP", Nothing}},
    {PickleOp::Float, {"FLOAT", Line}},
    {PickleOp::Int, {"INT", Line}},
    {PickleOp::BinInt, {"BININT", Bytes4}},
    {PickleOp::BinInt1, {"BININT1", Bytes1}},
    {PickleOp::Long, {"LONG", Line}},
    {PickleOp::BinInt2, {"BININT2", Bytes2}},
    {PickleOp::None, {"NONE", Nothing}},
    {PickleOp::PersId, {"PERSID", Line}},
    {PickleOp::BinPersId, {"BINPERSID", Nothing}},
    {PickleOp::Reduce, {"REDUCE", Nothing}},
    {PickleOp::String, {"STRING", Line}},
    {PickleOp::BinString, {"BINSTRING", Counted4}},
    {PickleOp::ShortBinString, {"SHORT_BINSTRING", Counted1}},
    {PickleOp::Unicode, {"UNICODE", Line}},
    {PickleOp::BinUnicode, {"BINUNICODE", Counted4}},
    {PickleOp::Append, {"APPEND", Nothing}},
    {PickleOp::Build, {"BUILD", Nothing}},
    {PickleOp::Global, {"GLOBAL", TwoLines}},
    {PickleOp::Dict, {"DICT", Nothing}},
    {PickleOp::EmptyDict, {"EMPTY_DICT", Nothing}},
    {PickleOp::Appends, {"APPENDS", Nothing}},
    {PickleOp::Get, {"GET", Line}},
    {PickleOp::BinGet, {"BINGET", Bytes1}},
    {PickleOp::Inst, {"INST", TwoLines}},
    {PickleOp::LongBinGet, {"LONG_BINGET", Bytes4}},
    {PickleOp::List, {"LIST", Nothing}},
    {PickleOp::EmptyList, {"EMPTY_LIST", Nothing}},
    {PickleOp::Obj, {"OBJ", Nothing}},
    {PickleOp::Put, {"PUT", Line}},
    {PickleOp::BinPut, {"BINPUT", Bytes1}},
    {PickleOp::LongBinPut, {"LONG_BINPUT", Bytes4}},
    {PickleOp::SetItem, {"SETITEM", Nothing}},
    {PickleOp::Tuple, {"TUPLE", Nothing}},
    {PickleOp::EmptyTuple, {"EMPTY_TUPLE", Nothing}},
    {PickleOp::SetItems, {"SETITEMS", Nothing}},
    {PickleOp::BinFloat, {"BINFLOAT", Bytes8}},
    {PickleOp::Proto, {"PROTO", Bytes1}},
    {PickleOp::NewObj, {"NEWOBJ", Nothing}},
    {PickleOp::Ext1, {"EXT1", Bytes1}},
    {PickleOp::Ext2, {"EXT2", Bytes2}},
    {PickleOp::Ext4, {"EXT4", Bytes4}},
    {PickleOp::Tuple1, {"TUPLE1", Nothing}},
    {PickleOp::Tuple2, {"TUPLE2", Nothing}},
    {PickleOp::Tuple3, {"TUPLE3", Nothing}},
    {PickleOp::NewTrue, {"NEWTRUE", Nothing}},
    {PickleOp::NewFalse, {"NEWFALSE", Nothing}},
    {PickleOp::Long1, {"LONG1", Counted1}},
    {PickleOp::Long4, {"LONG4", Counted4}},
    {PickleOp::BinBytes, {"BINBYTES", Counted4}},
    {PickleOp::ShortBinBytes, {"SHORT_BINBYTES", Counted1}},
    {PickleOp::ShortBinUnicode, {"SHORT_BINUNICODE", Counted1}},
    {PickleOp::BinUnicode8, {"BINUNICODE8", Counted8}},
    {PickleOp::BinBytes8, {"BINBYTES8", Counted8}},
    {PickleOp::EmptySet, {"EMPTY_SET", Nothing}},
    {PickleOp::AddItems, {"ADDITEMS", Nothing}},
    {PickleOp::FrozenSet, {"FROZENSET", Nothing}},
    {PickleOp::NewObjEx, {"NEWOBJ_EX", Nothing}},
    {PickleOp::StackGlobal, {"STACK_GLOBAL", Nothing}},
    {PickleOp::Memoize, {"MEMOIZE", Nothing}},
    {PickleOp::Frame, {"FRAME", Bytes8}},
    {PickleOp::ByteArray8, {"BYTEARRAY8", Counted8}},
    {PickleOp::NextBuffer, {"NEXT_BUFFER", Nothing}},
    {PickleOp::ReadonlyBuffer, {"READONLY_BUFFER", Nothing}},
};

constexpr std::array<PickleOpInfo, 256> table() {
  std::array<PickleOpInfo, 256> all{};
  for (const Row& row : kRows) all[static_cast<size_t>(row.op)] = row.info;
  return all;
}
constexpr std::array<PickleOpInfo, 256> kTable = table();

}  // namespace

const PickleOpInfo& info(PickleOp op) { return kTable[static_cast<size_t>(op)]; }

}  // namespace monograph::pickle
