// Guards: what a captured program read outside of itself, each as the object that was read and what it held. A check looks at the same objects again.
//
// An object is reached from others that are guarded too, up to the function itself, so no guard needs a path: where a dict holds another object, its own
// guard fails. Dicts and types have version tags; where a tag has not changed, nothing below it has. docs/design/machine.md, "torch.compile".
#pragma once

#include <Python.h>

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace monograph::capture::bytecode {

// A counted reference that may be null.
class Object {
 public:
  Object() = default;
  explicit Object(PyObject* borrowed) : o_(Py_XNewRef(borrowed)) {}
  static Object taken(PyObject* fresh) {
    Object made;
    made.o_ = fresh;
    return made;
  }
  Object(const Object& other) : o_(Py_XNewRef(other.o_)) {}
  Object(Object&& other) noexcept : o_(std::exchange(other.o_, nullptr)) {}
  Object& operator=(Object other) noexcept {
    std::swap(o_, other.o_);
    return *this;
  }
  ~Object() { Py_XDECREF(o_); }
  PyObject* get() const { return o_; }
  explicit operator bool() const { return o_ != nullptr; }

 private:
  PyObject* o_ = nullptr;
};

// What a place held: the same object, or an equal number, text or tuple of such. Null: nothing. A module of the program is referred to weakly, so that no guard
// keeps it alive.
class Expected {
 public:
  Expected() = default;
  explicit Expected(PyObject* value);
  bool matches(PyObject* now) const {
    if (now != value_.get()) now = without_stand_in(now);
    if (weak_) return now && now != Py_None && now == value();
    return now == value_.get() || (by_value_ && now && equal(value_.get(), now));
  }
  PyObject* value() const { return weak_ ? PyWeakref_GetObject(value_.get()) : value_.get(); }  // None for an object that is gone
  bool is_gone() const { return weak_ && value() == Py_None; }
  PyObject* owned() const { return value_.get(); }
  static bool compares_by_value(PyObject* value);
  // Equal type and value; floats by their bits.
  static bool equal(PyObject* a, PyObject* b);
  // What a function stands for: torch.fx.wrap puts stand-ins among the globals while another thread traces, and the forward of a GraphModule is compiled
  // when it is first read. Other objects as they are.
  static PyObject* without_stand_in(PyObject* value);

 private:
  Object value_;
  bool by_value_ = false, weak_ = false;
};

// The text of a str; "?" for another object.
std::string utf8(PyObject* text);

// The text of an object in a message: short, and without running code of the program.
std::string shown(PyObject* value);

// What a dict holds under a key, in a message: an attribute where the dict is that of an object, or a table of a module.
std::string item_name(const std::string& dict, PyObject* key);

class GuardSet {
 public:
  // Each adds what the object holds now, or what `value` says that it held. A second guard of the same place is none.
  void add_item(PyObject* dict, PyObject* key, PyObject* value, const std::string& name);
  void add_dict(PyObject* dict, PyObject* held, const std::string& name);  // all of it, in order
  void add_list(PyObject* list, PyObject* held, const std::string& name);
  void add_length(PyObject* list, Py_ssize_t length, const std::string& name);
  void add_set(PyObject* set, PyObject* held, const std::string& name);
  void add_cell(PyObject* cell, PyObject* value, const std::string& name);
  void add_type_attribute(PyTypeObject* type, PyObject* name);
  void add_type_of(PyObject* object, const std::string& name);
  void add_function(PyFunctionObject* function, const std::string& name);
  // What getattr(object, name) gives, of attributes that C code computes.
  bool add_attribute(PyObject* object, PyObject* attribute, PyObject* value, const std::string& name);

  // Of a function of functools.lru_cache: how often it has run, and how many results it keeps.
  static Object cache_state(PyObject* function);

  // The values of `training` are another matter: those of these guards, which are no guards any more.
  struct Mode {
    Object fields;  // __dict__ of the module
    bool training;
    std::string name;
    bool now() const;
  };
  std::vector<Mode> take_modes();
  // What a copy of a module reads in the place of the module: guards of the tables of its parameters, buffers, modules and hooks are of the copy's from here on;
  // those of its attributes are of both. `copies` has the copy of each such object.
  void follow(const std::unordered_map<PyObject*, PyObject*>& copies);
  void forget(const std::unordered_set<PyObject*>& dicts);  // all guards of these
  // The classes of a module and of those in it, and these tables of theirs: all whose names begin so.
  void forget_structure(const std::string& root, const std::vector<std::string>& tables);
  void forget_changes(const std::unordered_set<PyObject*>& containers);  // those of these that do not hold any more
  // The run has imported modules, which have names now that they lacked: these are what was read.
  void take_imported();
  // Takes what is there now for what was read, where the guard has one of these values.
  void forgive(const std::function<bool(PyObject* expected)>& passing);

  // Whether all holds. If not, `failed` says what has changed, where it is given. Errors of comparisons count as changes.
  bool check(std::string* failed);
  std::vector<std::string> list() const;
  // Those of numbers, texts and tuples of such: what a reader of a file may ask about. Sorted, each once.
  std::vector<std::string> values() const;
  size_t size() const;
  // Each place that is guarded: "entry" (dict, key), "list" (list, null), "cell" (cell, null), "type" (class, name). Tests change them.
  void each(const std::function<void(const char* kind, PyObject* owner, PyObject* key)>& f) const;
  int traverse(visitproc visit, void* arg) const;

 private:
  struct Item {
    Object key;
    Expected expected;
  };
  struct DictGuard {
    Object dict;
    std::string name;
    uint64_t version = 0;
    std::vector<Item> items;
    std::unordered_map<Py_hash_t, size_t> place;  // in `items`, by the hash of the key: where it is, if it still is
    bool whole = false;
    bool holds(std::string* failed);
    bool same_order() const;  // of an OrderedDict, which its version does not tell
  };
  struct SequenceGuard {  // of a list or set
    Object object;
    std::string name;
    std::vector<Expected> items;
    Py_ssize_t length = 0;
    bool whole = false;
    bool holds(std::string* failed) const;
  };
  struct TypeGuard {
    Object type;
    unsigned version = 0;
    std::vector<Item> items;
    bool holds(std::string* failed);
  };
  struct CellGuard {
    Object cell;
    Expected expected;
    std::string name;
  };
  struct ClassGuard {
    Expected object;
    Object type;
    std::string name;
  };
  struct FunctionGuard {
    Object function;  // a weak reference: nobody calls one that is gone
    Object code, defaults, keyword_defaults;
    std::string name;
  };
  struct AttributeGuard {
    Object object, attribute;
    Expected expected;
    std::string name;
  };
  DictGuard& dict_guard(PyObject* dict, const std::string& name);
  SequenceGuard& sequence_guard(PyObject* o, const std::string& name);

  std::vector<DictGuard> dicts_;
  std::vector<SequenceGuard> sequences_;
  std::vector<TypeGuard> types_;
  std::vector<CellGuard> cells_;
  std::vector<ClassGuard> classes_;
  std::vector<FunctionGuard> functions_;
  std::vector<AttributeGuard> attributes_;
  std::unordered_map<PyObject*, size_t> dict_at_, sequence_at_, type_at_, cell_at_, class_at_, function_at_;
};

}  // namespace monograph::capture::bytecode
