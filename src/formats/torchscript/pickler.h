// Writes the pickles of an archive, in protocol 2 and only with the opcodes that torch.jit.load reads.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ivalue.h"
#include "core/tensor.h"
#include "ir/arg.h"
#include "ir/type.h"

namespace monograph::torchscript {

// Numbers the storages of the tensors that are pickled. A storage that several tensors share is written once.
class StorageTable {
 public:
  struct Record {
    Storage* storage = nullptr;
    size_t bytes = 0;
  };
  // The key of a storage in the archive: "0" for the first storage that was asked for.
  const std::string& key(const Ref<Storage>& storage);
  void keep(const Tensor& t) { kept_.push_back(t); }  // as long as the table lives
  const std::vector<Record>& records() const { return records_; }

 private:
  std::unordered_map<const Storage*, std::string> keys_;
  std::vector<Record> records_;
  std::vector<Tensor> kept_;
};

// Describes the classes of a program's objects to the pickler.
struct ObjectClasses {
  std::function<std::string(const std::string& cls)> name;  // the name of the class in the archive
  std::function<std::vector<std::pair<std::string, ir::Type>>(const std::string& cls)> attributes;  // throws for an unknown class
};

// Appends opcodes to a pickle. In its functions `what` names the value in errors, such as "the attribute scale of Net". Error (NotImplemented) if archives
// of TorchScript cannot hold a value.
class Pickler {
 public:
  explicit Pickler(StorageTable& storages) : storages_(storages) { out_ = "\x80\x02"; }
  // Ends the pickle and returns its bytes.
  std::string finish() { return std::move(out_ += '.'); }

  void global(std::string_view module, std::string_view name);
  void mark() { out_ += '('; }
  void end_tuple() { out_ += 't'; }
  void call() { out_ += 'R'; }
  void text(std::string_view s);
  void none() { out_ += 'N'; }
  void boolean(bool b) { out_ += b ? '\x88' : '\x89'; }
  void integer(int64_t v);
  void number(double v);
  void integers(const std::vector<int64_t>& list);  // a List[int] of TorchScript

  // Writes an object of the class `cls`. Its attributes, each a name and a value, are written between begin_object and end_object.
  void begin_object(const std::string& cls);
  void end_object() { out_ += "ub"; }
  // Gives the object that was just written a number, with which again() refers to it.
  size_t remember();
  void again(size_t number);

  // A tensor that occurs twice is written once, and so is a storage.
  void tensor(const Tensor& t, std::string_view what);
  // Writes the value of an attribute or constant of this type.
  void value(ir::ArgRef a, ir::Type type, std::string_view what);
  // Writes a value of a running program. It may contain objects of the program's classes and members of its Enums. An object that occurs twice is written
  // once.
  void value(const IValue& v, ir::Type type, std::string_view what, const ObjectClasses& classes);
  // Writes a value that the unpickler made. A container that occurs twice is written once. `written` is called for each part first; it returns true if it
  // has written the part itself, as it does for modules.
  using Written = std::function<bool(const IValue&)>;
  void value(const IValue& v, std::string_view what, const Written& written);
  // Begins and ends an object of the class `cls` that __setstate__ makes of the value that is written between.
  void begin_object_with_state(const std::string& cls);
  void end_object_with_state() { out_ += 'b'; }
  // Writes an object of the class `cls` that __setstate__ makes of this state.
  void object_with_state(const std::string& cls, const IValue& state, std::string_view what, const Written& written);

 private:
  void bytes(uint64_t v, int count);
  void word(size_t v) { bytes(v, 4); }
  void list(ir::ArgRef a, ir::Type type, std::string_view what);
  void dict(ir::ArgRef a, ir::Type type, std::string_view what);
  void container(const IValue& v, std::string_view what, const Written& written);
  void device(Device d);
  // A reference to a storage of this type ("FloatStorage") and of so many elements.
  void storage(const Ref<Storage>& data, const std::string& type, int64_t elements);

  StorageTable& storages_;
  std::string out_;
  size_t memo_ = 0;  // how many values have a number
  std::unordered_map<const void*, size_t> numbers_;  // of containers, by pickle::identity, of objects, and of tensors
  std::map<std::pair<const Storage*, std::string>, size_t> storage_numbers_;
};

}  // namespace monograph::torchscript
