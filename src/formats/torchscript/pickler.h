// Writes the pickles of an archive: protocol 2, in the opcodes that PyTorch's own reader of archives knows.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ivalue.h"
#include "core/tensor.h"
#include "ir/arg.h"
#include "ir/type.h"

namespace monograph::torchscript {

// Storages in the order of their first use, each once.
class StorageTable {
 public:
  struct Record {
    Storage* storage = nullptr;
    size_t bytes = 0;
  };
  const std::string& key(const Tensor& t);
  const std::vector<Record>& records() const { return records_; }

 private:
  std::unordered_map<const Storage*, std::string> keys_;
  std::vector<Record> records_;
  std::vector<Tensor> kept_;
};

// What a pickle says of the classes of a program's objects.
struct ObjectClasses {
  std::function<std::string(const std::string& cls)> name;  // in the archive
  std::function<std::vector<std::pair<std::string, ir::Type>>(const std::string& cls)> attributes;  // Error for an unknown class
};

class Pickler {
 public:
  explicit Pickler(StorageTable& storages) : storages_(storages) { out_ = "\x80\x02"; }
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

  // An object of a module's class; its attributes stand between begin_object and end_object.
  void begin_object(const std::string& cls);
  void end_object() { out_ += "ub"; }
  // An object that comes again.
  size_t remember();
  void again(size_t place);

  void tensor(const Tensor& t, std::string_view what);
  // A value of a type, as an attribute or constant holds it.
  void value(ir::ArgRef a, ir::Type type, std::string_view what);
  // A value of a running program, which may hold objects of its classes and members of its Enums. An object that comes again is the same one.
  void value(const IValue& v, ir::Type type, std::string_view what, const ObjectClasses& classes);
  // A value as the unpickler gave it; one that it gave at several places is written once. `written` says whether it has written the value itself: a module.
  using Written = std::function<bool(const IValue&)>;
  void value(const IValue& v, std::string_view what, const Written& written);

 private:
  void bytes(uint64_t v, int count);
  void word(size_t v) { bytes(v, 4); }
  void list(ir::ArgRef a, ir::Type type, std::string_view what);
  void dict(ir::ArgRef a, ir::Type type, std::string_view what);
  void container(const IValue& v, std::string_view what, const Written& written);
  void device(Device d);

  StorageTable& storages_;
  std::string out_;
  size_t memo_ = 0;
  std::unordered_map<const void*, size_t> places_;  // of containers, by pickle::identity; of objects
};

}  // namespace monograph::torchscript
