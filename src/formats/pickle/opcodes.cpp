#include "formats/pickle/opcodes.h"

#include <array>

namespace monograph::pickle {
namespace {

struct Row {
  Opcode op;
  OpcodeInfo info;
};

using enum Follows;
constexpr Row kRows[] = {
    {Opcode::Mark, {"MARK", Nothing}},
    {Opcode::Stop, {"STOP", Nothing}},
    {Opcode::Pop, {"POP", Nothing}},
    {Opcode::PopMark, {"POP_MARK", Nothing}},
    {Opcode::Dup, {"DUP", Nothing}},
    {Opcode::Float, {"FLOAT", Line}},
    {Opcode::Int, {"INT", Line}},
    {Opcode::BinInt, {"BININT", Bytes4}},
    {Opcode::BinInt1, {"BININT1", Bytes1}},
    {Opcode::Long, {"LONG", Line}},
    {Opcode::BinInt2, {"BININT2", Bytes2}},
    {Opcode::None, {"NONE", Nothing}},
    {Opcode::PersId, {"PERSID", Line}},
    {Opcode::BinPersId, {"BINPERSID", Nothing}},
    {Opcode::Reduce, {"REDUCE", Nothing}},
    {Opcode::String, {"STRING", Line}},
    {Opcode::BinString, {"BINSTRING", Counted4}},
    {Opcode::ShortBinString, {"SHORT_BINSTRING", Counted1}},
    {Opcode::Unicode, {"UNICODE", Line}},
    {Opcode::BinUnicode, {"BINUNICODE", Counted4}},
    {Opcode::Append, {"APPEND", Nothing}},
    {Opcode::Build, {"BUILD", Nothing}},
    {Opcode::Global, {"GLOBAL", TwoLines}},
    {Opcode::Dict, {"DICT", Nothing}},
    {Opcode::EmptyDict, {"EMPTY_DICT", Nothing}},
    {Opcode::Appends, {"APPENDS", Nothing}},
    {Opcode::Get, {"GET", Line}},
    {Opcode::BinGet, {"BINGET", Bytes1}},
    {Opcode::Inst, {"INST", TwoLines}},
    {Opcode::LongBinGet, {"LONG_BINGET", Bytes4}},
    {Opcode::List, {"LIST", Nothing}},
    {Opcode::EmptyList, {"EMPTY_LIST", Nothing}},
    {Opcode::Obj, {"OBJ", Nothing}},
    {Opcode::Put, {"PUT", Line}},
    {Opcode::BinPut, {"BINPUT", Bytes1}},
    {Opcode::LongBinPut, {"LONG_BINPUT", Bytes4}},
    {Opcode::SetItem, {"SETITEM", Nothing}},
    {Opcode::Tuple, {"TUPLE", Nothing}},
    {Opcode::EmptyTuple, {"EMPTY_TUPLE", Nothing}},
    {Opcode::SetItems, {"SETITEMS", Nothing}},
    {Opcode::BinFloat, {"BINFLOAT", Bytes8}},
    {Opcode::Proto, {"PROTO", Bytes1}},
    {Opcode::NewObj, {"NEWOBJ", Nothing}},
    {Opcode::Ext1, {"EXT1", Bytes1}},
    {Opcode::Ext2, {"EXT2", Bytes2}},
    {Opcode::Ext4, {"EXT4", Bytes4}},
    {Opcode::Tuple1, {"TUPLE1", Nothing}},
    {Opcode::Tuple2, {"TUPLE2", Nothing}},
    {Opcode::Tuple3, {"TUPLE3", Nothing}},
    {Opcode::NewTrue, {"NEWTRUE", Nothing}},
    {Opcode::NewFalse, {"NEWFALSE", Nothing}},
    {Opcode::Long1, {"LONG1", Counted1}},
    {Opcode::Long4, {"LONG4", Counted4}},
    {Opcode::BinBytes, {"BINBYTES", Counted4}},
    {Opcode::ShortBinBytes, {"SHORT_BINBYTES", Counted1}},
    {Opcode::ShortBinUnicode, {"SHORT_BINUNICODE", Counted1}},
    {Opcode::BinUnicode8, {"BINUNICODE8", Counted8}},
    {Opcode::BinBytes8, {"BINBYTES8", Counted8}},
    {Opcode::EmptySet, {"EMPTY_SET", Nothing}},
    {Opcode::AddItems, {"ADDITEMS", Nothing}},
    {Opcode::FrozenSet, {"FROZENSET", Nothing}},
    {Opcode::NewObjEx, {"NEWOBJ_EX", Nothing}},
    {Opcode::StackGlobal, {"STACK_GLOBAL", Nothing}},
    {Opcode::Memoize, {"MEMOIZE", Nothing}},
    {Opcode::Frame, {"FRAME", Bytes8}},
    {Opcode::ByteArray8, {"BYTEARRAY8", Counted8}},
    {Opcode::NextBuffer, {"NEXT_BUFFER", Nothing}},
    {Opcode::ReadonlyBuffer, {"READONLY_BUFFER", Nothing}},
};

constexpr std::array<OpcodeInfo, 256> table() {
  std::array<OpcodeInfo, 256> all{};
  for (const Row& row : kRows) all[static_cast<size_t>(row.op)] = row.info;
  return all;
}
constexpr std::array<OpcodeInfo, 256> kTable = table();

}  // namespace

const OpcodeInfo& info(Opcode op) { return kTable[static_cast<size_t>(op)]; }

}  // namespace monograph::pickle
