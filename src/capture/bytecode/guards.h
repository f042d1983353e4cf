// Guards record what a captured program read outside of itself: each has the object that was read and what it held. A check reads the same objects again.
//
// A guard needs no path to its object. The program reaches every object from others that are guarded too, up to the function itself: if a dict holds another
// object now, the guard of the dict fails. Dicts and types have version tags; if a tag is unchanged, so are the entries. See docs/design/machine.md,
// "torch.compile".
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "capture/bytecode/asked.h"

namespace monograph::capture::bytecode {

// A place that holds a number: an entry of a dict, or a cell, whose `key` is null.
struct NumberPlace {
  Object container, key;
  std::string name;
  bool is(PyObject* in, PyObject* under) const {
    return container.get() == in && (key && under ? Expected::equal(key.get(), under) : !key && !under);
  }
  PyObject* now() const;  // an int of 64 bits or a float, borrowed; null if it holds something else
};

// The name of a dict's entry in messages: an attribute ("m.weight") if the dict is the __dict__ of an object or a table of a module.
std::string item_name(const std::string& dict, PyObject* key);

class GuardSet {
 public:
  // Each adds a guard for what the object holds now, or for `value` or `held`. A second guard of the same place is not added.
  void add_item(PyObject* dict, PyObject* key, PyObject* value, const std::string& name);
  void add_dict(PyObject* dict, PyObject* held, const std::string& name);  // all entries, in order
  void add_list(PyObject* list, PyObject* held, const std::string& name);
  void add_length(PyObject* list, Py_ssize_t length, const std::string& name);
  void add_set(PyObject* set, PyObject* held, const std::string& name);
  void add_cell(PyObject* cell, PyObject* value, const std::string& name);
  void add_type_attribute(PyTypeObject* type, PyObject* name);
  void add_type_of(PyObject* object, const std::string& name);
  void add_dict_of(PyObject* object, PyObject* fields, const std::string& name);  // which dict its __dict__ is
  void add_function(PyFunctionObject* function, const std::string& name);
  // Guards getattr(object, name), for an attribute that C code computes.
  bool add_attribute(PyObject* object, PyObject* attribute, PyObject* value, const std::string& name);
  // Guards the bytes that an object of a C type holds, such as a bytearray or an array of NumPy. False if it shows no bytes, or, without `of_any_size`, more than
  // 1 MiB. Of more than that it keeps a hash.
  bool add_bytes(PyObject* object, const std::string& name, bool of_any_size);

  AskedReads asked;

  // Removes the guards of `training` attributes and returns them: the caller handles modes by itself.
  struct Mode {
    Object fields;  // __dict__ of the module
    bool training;
    std::string name;
    bool now() const;
  };
  std::vector<Mode> take_modes();
  // After a module was copied: guards of its tables of parameters, buffers, modules and hooks now refer to the copy's tables; guards of its attributes are kept
  // for both. `copies` maps each object to its copy.
  void follow(const std::unordered_map<PyObject*, PyObject*>& copies);
  void forget(const std::unordered_set<PyObject*>& dicts);  // removes all guards of these dicts
  // Removes the guards of entries of this dict for which `is_gone` is true, and one of all of its entries.
  void forget_entries(PyObject* dict, const std::function<bool(PyObject* key, PyObject* expected)>& is_gone);
  // Removes the guards of the classes of a module and its submodules, and of these tables of theirs. They are found by name: `root`, "root.…".
  void forget_structure(const std::string& root, const std::vector<std::string>& tables);
  void forget_changes(const std::unordered_set<PyObject*>& containers);  // removes guards of these containers that fail now
  // After the run has imported modules: a name that a module lacked when it was read is now expected to have its present value.
  void take_imported();
  // A guard whose expected value satisfies `passing` now expects the present value instead.
  void forgive(const std::function<bool(PyObject* expected)>& passing);

  // The name of this entry of a dict, if the program looked for it and did not find it; else "".
  std::string missing(PyObject* dict, PyObject* key) const;
  // Where a guard expects an int or float and finds another one.
  std::vector<NumberPlace> changed_numbers() const;
  // Calls f for each entry, element and cell that is not as it was read, with its name and what it holds now (null: nothing).
  void each_changed(const std::function<void(const std::string& name, PyObject* now)>& f) const;
  // Whether all guards hold. If not, and `failed` is not null, it says what has changed. A comparison that raises counts as a change.
  bool check(std::string* failed);
  // Whether it guards what this dict or list holds.
  bool reads(PyObject* container) const { return dict_at_.contains(container) || sequence_at_.contains(container); }
  bool reads_item(PyObject* dict, PyObject* key) const;
  std::vector<std::string> list() const;
  // The guards whose values are numbers, strings or tuples of such, for a reader of a file. Sorted, without repetitions.
  std::vector<std::string> values() const;
  size_t size() const;
  // Calls f for each guarded place: "entry" (dict, key), "list" (list, null), "cell" (cell, null), "type" (class, name). Tests change these places.
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
    std::unordered_map<Py_hash_t, size_t> place;  // from the hash of a key to its index in `items`, which may be out of date
    bool whole = false;
    bool holds(std::string* failed);
    bool same_order() const;  // the order of an OrderedDict can change without a new version
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
    Object fields;  // its __dict__, if the program has read attributes
  };
  struct FunctionGuard {
    Object function;  // a weak reference: a function that was freed can not be called
    Object code, defaults, keyword_defaults;
    std::string name;
  };
  struct AttributeGuard {
    Object object, attribute;
    Expected expected;
    std::string name;
  };
  struct BytesGuard {
    Object object;
    std::string bytes;  // or a hash of them
    Py_ssize_t count;
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
  std::vector<BytesGuard> bytes_;
  std::unordered_map<PyObject*, size_t> dict_at_, sequence_at_, type_at_, cell_at_, class_at_, function_at_;
};

}  // namespace monograph::capture::bytecode
