// The join of two ways: what is the same object in both stays, tuples, lists and dicts are joined part by part, leaves become results of the recorder.
// First everything is looked at, and nothing is changed until all of it is known to join.
#include "capture/machine/forks.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace monograph::capture::machine {
namespace {

// A tuple, or a namedtuple: its type says nothing more than the names of the parts, and it has no attributes of its own.
bool is_plain_tuple(PyObject* o) {
  if (PyTuple_CheckExact(o)) return true;
  static PyObject* const fields = PyUnicode_InternFromString("_fields");
  return PyTuple_Check(o) && Py_TYPE(o)->tp_dictoffset == 0 && _PyType_Lookup(Py_TYPE(o), fields) != nullptr;
}

// A new reference. `type` is null, or that of a namedtuple; takes the reference of `parts`.
PyObject* tuple_of_type(PyObject* type, PyObject* parts) {
  if (!type || !parts) return parts;
  PyObject* args = PyTuple_Pack(1, parts);
  PyObject* made = args ? PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject*>(type), args, nullptr) : nullptr;
  Py_XDECREF(args);
  Py_DECREF(parts);
  return made;
}

PyObject* named_type(PyObject* tuple) { return PyTuple_CheckExact(tuple) ? nullptr : reinterpret_cast<PyObject*>(Py_TYPE(tuple)); }

// How the value of one place is made, once the leaves are joined.
struct Recipe {
  enum class Kind : uint8_t { Same, Leaf, Carried, Tuple, List, Dict } kind = Kind::Same;
  PyObject* value = nullptr;  // Same: borrowed. Dict: one whose keys it takes. Tuple: the type of a namedtuple, or null
  size_t leaf = 0;
  std::vector<Recipe> parts;
  size_t memo = 0;  // of a list or dict: the place in the memo. Carried: a list whose items are the leaf
};

class Joiner {
 public:
  Joiner(ForkRecorder& recorder, const UndoLog& first, const UndoLog& second, PyObject* unread)
      : recorder_(recorder), logs_{&first, &second}, unread_(unread) {}

  std::vector<LeafPair> leaves;
  std::vector<std::string> places;  // of the leaves
  std::unordered_set<PyObject*> before;  // what the frame held where the ways begin: both know it
  std::unordered_set<PyObject*> grown;  // lists that both know, and that have another length in each way: another object takes their place
  std::string why, where;

  // False with `why` and `where` set, or with an exception set.
  bool plan(PyObject* a, PyObject* b, const std::string& place, Recipe& out, int depth = 0) {
    if (a == unread_ || b == unread_)
      return a == b ? same(a, out) : plan_one(a == unread_ ? 1 : 0, a == unread_ ? b : a, place, out, depth);
    if (!a || !b) {
      if (a == b) return out.value = nullptr, true;
      return refuse(place, "it is set on one side only");
    }
    if (a == b && !is_mutable(a)) return same(a, out);
    if (depth > 50) return refuse(place, "it nests too deep");
    constexpr size_t kParts = 1'000'000;  // tuples may share their parts
    if (++planned_ > kParts) return refuse(place, "it has more than 1,000,000 parts that differ");
    if (a == b && grown.contains(a)) return plan_carried(a, b, place, out);
    if (PyList_CheckExact(a) && PyList_CheckExact(b)) return plan_list(a, b, place, out, depth);
    if (a != b && is_list(a) && is_list(b)) return plan_carried(a, b, place, out);
    if (a == b && is_carried_list(a)) {
      bool known = false;
      return pair(a, b, place, known) && same(a, out);
    }
    if (PyDict_CheckExact(a) && PyDict_CheckExact(b)) return plan_dict(a, b, place, out, depth);
    if (a == b) return same(a, out);
    if (Py_TYPE(a) == Py_TYPE(b) && is_plain_tuple(a)) return plan_tuple(a, b, place, out, depth);
    if (Py_TYPE(a) == Py_TYPE(b) && is_constant(a)) {
      const int equal = equal_constants(a, b);
      if (equal < 0) return false;
      if (equal) return same(a, out);
    }
    if (PyIter_Check(a)) {
      const int equal = same_place(a, b);
      if (equal < 0) return false;
      if (equal) return same(a, out);
      return refuse(place, "the two sides leave an iterator at different elements");
    }
    if (recorder_.is_leaf(a) && recorder_.is_leaf(b)) {
      out.kind = Recipe::Kind::Leaf, out.leaf = leaves.size();
      leaves.emplace_back(a, b), places.push_back(place);
      return true;
    }
    return refuse(place, "it is " + described(a) + " on one side and " + described(b) + " on the other");
  }

  // A value that is read behind one way only. What that way made is rebuilt of results of the graph.
  bool plan_one(size_t way, PyObject* o, const std::string& place, Recipe& out, int depth) {
    if (!o || o == Py_None || is_constant(o) || PyFunction_Check(o) || PyType_Check(o) || PyModule_Check(o) || PyCFunction_Check(o))
      return same(o, out);
    if (grown.contains(o)) {
      if (made_.contains(o)) return repeat(o, out);
      fresh_.emplace_back(o, place);
      out.kind = Recipe::Kind::Carried, out.memo = remember(o), out.leaf = leaves.size();
      leaves.emplace_back(way ? nullptr : content(0, o), way ? content(1, o) : nullptr), places.push_back(place);
      made_[o] = out;
      return true;
    }
    if (PyIter_Check(o) || before.contains(o)) return same(o, out);
    if (depth > 50) return refuse(place, "it nests too deep");
    if (is_plain_tuple(o)) {
      opened_.insert(o);
      out.kind = Recipe::Kind::Tuple, out.value = named_type(o);
      out.parts.resize(static_cast<size_t>(PyTuple_GET_SIZE(o)));
      for (size_t k = 0; k < out.parts.size(); ++k)
        if (!plan_one(way, PyTuple_GET_ITEM(o, static_cast<Py_ssize_t>(k)), place + "[" + std::to_string(k) + "]", out.parts[k], depth + 1))
          return false;
      return true;
    }
    if (recorder_.is_leaf(o)) {
      out.kind = Recipe::Kind::Leaf, out.leaf = leaves.size();
      leaves.emplace_back(way ? nullptr : o, way ? o : nullptr), places.push_back(place);
      return true;
    }
    return refuse(place, "it is " + described(o) + " and is set on one side only");
  }

  // The parts of what an object of both ways holds.
  bool plan_content(PyObject* o, PyObject* a, PyObject* b, const std::string& place, Recipe& out) {
    if (PyList_Check(a)) return plan_items(a, b, place, out, 0, Recipe::Kind::List);  // of a list or a deque
    if (PyDict_Check(o)) return plan_pairs(a, b, place, out, 0);
    if (PySet_Check(o)) {
      const int equal = PyObject_RichCompareBool(a, b, Py_EQ);
      return equal < 0 ? false : equal ? same(a, out) : refuse(place, "a set holds other values on each side");
    }
    if (PyGen_CheckExact(o)) return plan_generator(a, b, out);
    if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return refuse(place, "it is set on one side only");
    out.kind = Recipe::Kind::Tuple;
    out.parts.resize(static_cast<size_t>(PyTuple_GET_SIZE(a)));
    return out.parts.empty() || plan(PyTuple_GET_ITEM(a, 0), PyTuple_GET_ITEM(b, 0), place, out.parts[0], 1);
  }

  // Where a generator stands in each way, and what its frame holds there.
  bool plan_generator(PyObject* a, PyObject* b, Recipe& out) {
    const Py_ssize_t size = PyTuple_GET_SIZE(a);
    if (!size && !PyTuple_GET_SIZE(b)) return same(a, out);
    const bool here = size == PyTuple_GET_SIZE(b) && PyObject_RichCompareBool(PyTuple_GET_ITEM(a, 0), PyTuple_GET_ITEM(b, 0), Py_EQ) == 1;
    if (!here) return refuse("a generator", "it stands at another place on each side");
    opened_.insert(a), opened_.insert(b);
    out.kind = Recipe::Kind::Tuple;
    out.parts.resize(static_cast<size_t>(size));
    for (Py_ssize_t k = 0; k < size; ++k)
      if (!plan(PyTuple_GET_ITEM(a, k), PyTuple_GET_ITEM(b, k), "a variable of a generator", out.parts[static_cast<size_t>(k)], 1))
        return false;
    return true;
  }

  // Lists and dicts that are another object in each way become a new one. That is right if nobody else holds them, and if none of them stands for two.
  // What the machine holds, and what stands at a place that is joined, is gone behind the fork.
  struct Holders {
    std::vector<const UndoLog*> logs;
    std::vector<PyObject*> contents;  // copies of what an object holds
    std::vector<PyObject*> written;  // objects that get another content
  };
  bool check_owners(const Holders& holders) {
    if (fresh_.empty()) return true;
    std::unordered_map<PyObject*, Py_ssize_t> known;  // of those that matter
    for (const auto& [o, place] : fresh_) known[o] = 0;
    std::unordered_set<PyObject*> seen;
    const auto add = [&](PyObject* o) {
      if (const auto at = known.find(o); at != known.end()) ++at->second;
    };
    auto count = [&](auto&& self, PyObject* o) -> void {
      if (!o) return;
      add(o);
      if (opened_.contains(o) && seen.insert(o).second) for_each_item(o, [&](PyObject* item) { self(self, item); });
    };
    auto count_items = [&](PyObject* content) {
      if (content && seen.insert(content).second) for_each_item(content, [&](PyObject* item) { count(count, item); });
    };
    for (const FrameSlots* slots : FrameSlots::all())
      for (PyObject* o : slots->values) count(count, o);
    for (const UndoLog* log : holders.logs)
      for (const UndoLog::Entry& e : log->entries()) add(e.object), count_items(e.before), count_items(e.after), count_items(e.object);
    for (PyObject* content : holders.contents) count_items(content);
    for (PyObject* o : holders.written) count_items(o);
    for (const auto& [o, place] : fresh_)
      if (Py_REFCNT(o) > known[o]) return refuse(place, "a list or dict that the sides do not share is held by something else too");
    return true;
  }

  template <class F>
  static void for_each_item(PyObject* o, const F& f) {
    if (is_plain_tuple(o)) {
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(o); ++k) f(PyTuple_GET_ITEM(o, k));
    } else if (PyList_Check(o)) {
      for (Py_ssize_t k = 0; k < PyList_GET_SIZE(o); ++k) f(PyList_GET_ITEM(o, k));
    } else if (PyDict_Check(o)) {
      PyObject *key = nullptr, *value = nullptr;
      for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) f(value);
    } else if (PyCell_Check(o) && PyCell_GET(o)) {
      f(PyCell_GET(o));
    }
  }

  // The lists, dicts, cells and dicts of objects within reach of the slots that hold a list which another object replaces.
  std::vector<PyObject*> holders_of_grown(std::initializer_list<const FrameSlots*> slots) const {
    constexpr int kDepth = 4;
    std::vector<PyObject*> found;
    std::unordered_set<PyObject*> seen;
    auto visit = [&](auto&& self, PyObject* o, int depth) -> void {
      if (!o || depth > kDepth || !seen.insert(o).second) return;
      if (!PyList_Check(o) && !PyDict_Check(o) && !PyCell_Check(o) && !is_plain_tuple(o)) {
        const bool plain =
            (Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE) && !PyType_Check(o) && !is_carried_list(o) && !recorder_.is_tensor(o);
        PyObject* fields = plain ? PyObject_GenericGetDict(o, nullptr) : nullptr;
        if (!fields) return PyErr_Clear();
        self(self, fields, depth);
        return Py_DECREF(fields);
      }
      for_each_item(o, [&](PyObject* item) {
        if (grown.contains(item) && !is_plain_tuple(o) && (found.empty() || found.back() != o)) found.push_back(o);
        self(self, item, depth + 1);
      });
    };
    for (const FrameSlots* s : slots)
      for (PyObject* o : s->values) visit(visit, o, 0);
    return found;
  }

  // Whether each list that has another length in each way is replaced where it stands; `dead` lists stand nowhere.
  template <class F>
  bool grown_are_replaced(const F& dead) {
    for (PyObject* o : grown)
      if (!is_replaced(o) && !dead(o)) return refuse("", "a list has another length on each side, and is held by something else");
    return true;
  }

  // Whether the list or dict is one of two that become a new one.
  bool is_replaced(PyObject* o) const {
    return replaced_fields_.contains(o) || std::ranges::any_of(fresh_, [o](const auto& known) { return known.first == o; });
  }

  PyObject* make(const Recipe& r, const std::vector<PyObject*>& values) {
    switch (r.kind) {
      case Recipe::Kind::Same: return Py_XNewRef(r.value);
      case Recipe::Kind::Leaf: return Py_NewRef(values[r.leaf]);
      case Recipe::Kind::Carried: {
        if (!memo_[r.memo]) memo_[r.memo] = recorder_.carried_list(values[r.leaf]);
        else Py_INCREF(memo_[r.memo]);
        return memo_[r.memo];
      }
      case Recipe::Kind::Tuple: {
        PyObject* made = PyTuple_New(static_cast<Py_ssize_t>(r.parts.size()));
        for (size_t k = 0; made && k < r.parts.size(); ++k) PyTuple_SET_ITEM(made, static_cast<Py_ssize_t>(k), make(r.parts[k], values));
        return tuple_of_type(r.value, made);
      }
      case Recipe::Kind::List: {
        if (r.memo && memo_[r.memo]) return Py_NewRef(memo_[r.memo]);
        PyObject* made = PyList_New(static_cast<Py_ssize_t>(r.parts.size()));
        if (r.memo) memo_[r.memo] = made;
        for (size_t k = 0; made && k < r.parts.size(); ++k) PyList_SET_ITEM(made, static_cast<Py_ssize_t>(k), make(r.parts[k], values));
        return made;
      }
      case Recipe::Kind::Dict: {
        if (r.memo && memo_[r.memo]) return Py_NewRef(memo_[r.memo]);
        PyObject* made = PyDict_New();
        if (r.memo) memo_[r.memo] = made;
        PyObject *key = nullptr, *value = nullptr;
        size_t k = 0;
        for (Py_ssize_t at = 0; made && PyDict_Next(r.value, &at, &key, &value);) {
          PyObject* part = make(r.parts[k++], values);
          PyDict_SetItem(made, key, part);
          Py_XDECREF(part);
        }
        return made;
      }
    }
    return nullptr;
  }

 private:
  static bool is_list(PyObject* o) { return PyList_CheckExact(o) || is_carried_list(o); }
  static bool is_mutable(PyObject* o) { return PyList_Check(o) || PyDict_Check(o) || is_carried_list(o); }
  // Most parts of a large list or dict: they need no name.
  static bool unchanged(PyObject* a, PyObject* b, Recipe& out) { return a && a == b && !is_mutable(a) && same(a, out); }
  static bool same(PyObject* o, Recipe& out) {
    out.value = o;
    return true;
  }
  bool refuse(const std::string& place, const std::string& reason) {
    if (why.empty()) where = place, why = reason;
    return false;
  }
  static std::string described(PyObject* o) {
    if (o == Py_None) return "None";
    if (PyBool_Check(o) || PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o)) {
      constexpr Py_ssize_t kLongest = 100;
      const bool is_long = PyUnicode_Check(o) && PyUnicode_GET_LENGTH(o) > kLongest;
      PyObject* begin = is_long ? PyUnicode_Substring(o, 0, kLongest) : Py_NewRef(o);
      PyObject* text = begin ? PyObject_Repr(begin) : nullptr;
      const char* utf8 = text ? PyUnicode_AsUTF8(text) : nullptr;
      std::string out = utf8 ? utf8 : "?";
      forget_error();
      Py_XDECREF(text);
      Py_XDECREF(begin);
      return is_long ? out + "..." : out;
    }
    return "of type " + std::string(Py_TYPE(o)->tp_name);
  }
  static bool is_constant(PyObject* o) {
    return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) ||
           PySlice_Check(o) || PyRange_Check(o) || PyComplex_CheckExact(o);
  }
  static int equal_constants(PyObject* a, PyObject* b) {
    if (PyFloat_CheckExact(a)) {  // 0.0 and -0.0 are two
      const double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
      return std::memcmp(&x, &y, sizeof x) == 0;
    }
    if (PyComplex_CheckExact(a)) return 0;
    return PyObject_RichCompareBool(a, b, Py_EQ);
  }

  // What the object held at the end of a way.
  PyObject* content(size_t way, PyObject* o) const {
    PyObject* logged = logs_[way]->content(o);
    return logged ? logged : o;
  }
  // Whether the pair is new; a list that stands beside two others would be two lists behind the fork.
  bool pair(PyObject* a, PyObject* b, const std::string& place, bool& known) {
    auto [x, fresh_a] = partner_[0].try_emplace(a, b);
    auto [y, fresh_b] = partner_[1].try_emplace(b, a);
    if (x->second != b || y->second != a) return refuse(place, "it is the same list or dict as another variable on one side only");
    known = !fresh_a;
    if (a != b && fresh_a) {
      fresh_.emplace_back(a, place), fresh_.emplace_back(b, place);
      opened_.insert(a), opened_.insert(b);
    }
    return true;
  }
  bool plan_list(PyObject* a, PyObject* b, const std::string& place, Recipe& out, int depth) {
    bool known = false;
    if (!pair(a, b, place, known)) return false;
    if (a == b) return same(a, out);
    if (known) return repeat(a, out);
    if (PyList_GET_SIZE(content(0, a)) != PyList_GET_SIZE(content(1, b))) return carry_list(a, b, place, out);
    out.memo = remember(a);
    if (!plan_items(content(0, a), content(1, b), place, out, depth, Recipe::Kind::List)) return false;
    made_[a] = out;
    return true;
  }
  // A list whose items are one value of the graph.
  bool plan_carried(PyObject* a, PyObject* b, const std::string& place, Recipe& out) {
    bool known = false;
    if (!pair(a, b, place, known)) return false;
    if (known) return repeat(a, out);
    if (a == b) fresh_.emplace_back(a, place);
    return carry_list(a, b, place, out);
  }
  bool carry_list(PyObject* a, PyObject* b, const std::string& place, Recipe& out) {
    if (!recorder_.carries_lists()) return refuse(place, "it is a list of another length on each side");
    PyObject* items[2] = {items_of(0, a), items_of(1, b)};
    if (!items[0] || !items[1]) return refuse(place, "a list has no items");
    out.kind = Recipe::Kind::Carried, out.memo = remember(a), out.leaf = leaves.size();
    leaves.emplace_back(items[0], items[1]), places.push_back(place);
    for (PyObject* list : {a, b})
      if (a != b && is_carried_list(list)) {
        PyObject* fields = dict_of_carried(list);
        replaced_fields_.insert(fields);
        Py_XDECREF(fields);
      }
    made_[a] = out;
    return true;
  }
  PyObject* items_of(size_t way, PyObject* list) const {
    if (PyList_CheckExact(list)) return content(way, list);
    PyObject* fields = dict_of_carried(list);
    PyObject* items = fields ? PyDict_GetItemString(content(way, fields), "_carried_items") : nullptr;
    Py_XDECREF(fields);
    return items;
  }
  bool plan_dict(PyObject* a, PyObject* b, const std::string& place, Recipe& out, int depth) {
    bool known = false;
    if (!pair(a, b, place, known)) return false;
    if (a == b) return same(a, out);
    if (known) return repeat(a, out);
    out.memo = remember(a);
    if (!plan_pairs(content(0, a), content(1, b), place, out, depth)) return false;
    made_[a] = out;
    return true;
  }
  size_t remember(PyObject*) {
    if (memo_.empty()) memo_.push_back(nullptr);
    memo_.push_back(nullptr);
    return memo_.size() - 1;
  }
  bool repeat(PyObject* a, Recipe& out) {
    auto found = made_.find(a);
    if (found == made_.end()) return refuse("a list or dict", "it holds itself");
    out = found->second;
    return true;
  }
  bool plan_tuple(PyObject* a, PyObject* b, const std::string& place, Recipe& out, int depth) {
    if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return refuse(place, "it is a tuple of another length on each side");
    opened_.insert(a), opened_.insert(b);
    out.kind = Recipe::Kind::Tuple, out.value = named_type(a);
    out.parts.resize(static_cast<size_t>(PyTuple_GET_SIZE(a)));
    for (size_t k = 0; k < out.parts.size(); ++k) {
      const auto at = static_cast<Py_ssize_t>(k);
      if (!plan(PyTuple_GET_ITEM(a, at), PyTuple_GET_ITEM(b, at), place + "[" + std::to_string(k) + "]", out.parts[k], depth + 1))
        return false;
    }
    return true;
  }
  bool plan_items(PyObject* a, PyObject* b, const std::string& place, Recipe& out, int depth, Recipe::Kind kind) {
    if (PyList_GET_SIZE(a) != PyList_GET_SIZE(b)) return refuse(place, "it is a list of another length on each side");
    out.kind = kind;
    out.parts.resize(static_cast<size_t>(PyList_GET_SIZE(a)));
    for (size_t k = 0; k < out.parts.size(); ++k) {
      const auto at = static_cast<Py_ssize_t>(k);
      if (unchanged(PyList_GET_ITEM(a, at), PyList_GET_ITEM(b, at), out.parts[k])) continue;
      if (!plan(PyList_GET_ITEM(a, at), PyList_GET_ITEM(b, at), place + "[" + std::to_string(k) + "]", out.parts[k], depth + 1))
        return false;
    }
    return true;
  }
  bool plan_pairs(PyObject* a, PyObject* b, const std::string& place, Recipe& out, int depth) {
    if (PyDict_GET_SIZE(a) != PyDict_GET_SIZE(b)) return refuse(place, "a dict has other keys on each side");
    out.kind = Recipe::Kind::Dict, out.value = a;
    PyObject *key = nullptr, *value = nullptr, *other_key = nullptr, *other_value = nullptr;
    Py_ssize_t other_at = 0;
    for (Py_ssize_t at = 0; PyDict_Next(a, &at, &key, &value);) {
      PyDict_Next(b, &other_at, &other_key, &other_value);
      const int equal = key == other_key ? 1 : PyObject_RichCompareBool(key, other_key, Py_EQ);
      if (equal < 0) return false;
      if (!equal) return refuse(place, "a dict has other keys, or in another order, on each side");
      if (unchanged(value, other_value, out.parts.emplace_back())) continue;
      PyObject* name = PyObject_Repr(key);
      const char* utf8 = name ? PyUnicode_AsUTF8(name) : nullptr;
      const std::string at_key = place + "[" + (utf8 ? utf8 : "?") + "]";
      Py_XDECREF(name);
      forget_error();
      if (PyUnicode_Check(key) && PyUnicode_CompareWithASCIIString(key, "_carried_items") == 0 &&
          (PyList_CheckExact(value) || PyList_CheckExact(other_value)) && (value != other_value || grown.contains(value))) {
        // Somebody has asked for the length: a plain list stands where a value of the graph stood. Behind the fork it stands there again.
        out.parts.back().kind = Recipe::Kind::Leaf, out.parts.back().leaf = leaves.size();
        leaves.emplace_back(PyList_CheckExact(value) ? content(0, value) : value,
                            PyList_CheckExact(other_value) ? content(1, other_value) : other_value);
        places.push_back(place);
        continue;
      }
      if (!plan(value, other_value, at_key, out.parts.back(), depth + 1)) return false;
    }
    return true;
  }

  ForkRecorder& recorder_;
  const UndoLog* logs_[2];
  PyObject* unread_;
  std::unordered_map<PyObject*, PyObject*> partner_[2];
  std::vector<std::pair<PyObject*, std::string>> fresh_;
  std::unordered_set<PyObject*> replaced_fields_;  // the dicts of lists that become a new one
  std::unordered_set<PyObject*> opened_;  // tuples, lists and dicts that are made anew, part by part
  std::unordered_map<PyObject*, Recipe> made_;
  std::vector<PyObject*> memo_;
  size_t planned_ = 0;  // places that were looked at
};

}  // namespace

// The objects in the logs that nothing but the logs holds behind the fork: what a way has made and let go of, what a local held that nobody reads any more, and
// what such objects alone hold. The dict of an object is gone with it. `slots`: of the machine, gone behind the fork.
static std::unordered_set<PyObject*> only_in_logs(std::initializer_list<const UndoLog*> logs, const FrameSlots& slots) {
  std::unordered_set<PyObject*> found;
  for (const UndoLog* log : logs)
    for (const UndoLog::Entry& e : log->entries()) found.insert(e.object);
  for (bool changed = !found.empty(); changed;) {
    std::unordered_map<PyObject*, Py_ssize_t> held, owners;  // owners: objects that have a dict, and how often the logs hold them
    const auto count = [&](PyObject* o) {
      held[o] += found.contains(o) ? 1 : 0;
      if (o && (is_carried_list(o) || is_python_class(Py_TYPE(o)))) ++owners[o];
    };
    for (const UndoLog* log : logs)
      for (const UndoLog::Entry& e : log->entries()) {
        if (!found.contains(e.object)) {
          ++held[e.object];
          continue;
        }
        count(e.object);
        for (PyObject* content : {e.before, e.after})
          if (content) Joiner::for_each_item(content, count);
      }
    for (PyObject* o : slots.values) count(o);
    for (const UndoLog* log : logs)  // what the object holds, as before both ways: once, whichever way wrote to it
      for (const UndoLog::Entry& e : log->entries())
        if (found.contains(e.object) && (log == *logs.begin() || !(*logs.begin())->content(e.object)))
          Joiner::for_each_item(e.before, count);
    for (const auto& [owner, times] : owners)
      if (Py_REFCNT(owner) == times)
        if (PyObject* fields = PyObject_GenericGetDict(owner, nullptr)) {
          held[fields] += found.contains(fields) ? 1 : 0;
          Py_DECREF(fields);
        } else {
          forget_error();
        }
    changed = std::erase_if(found, [&](PyObject* o) { return Py_REFCNT(o) > held[o]; }) > 0;
  }
  return found;
}

bool Forks::join(FrameSlots& first, FrameSlots& second, const FrameSlots& before, const std::vector<std::string>& names) {
  Arm& arm = *arms_.back();
  Joiner joiner(recorder_, *arm.logs[0], *arm.logs[1], unread_);
  joiner.before.insert(before.values.begin(), before.values.end());
  for (const auto& log : arm.logs)
    for (const UndoLog::Entry& e : log->entries()) {
      if (!PyList_CheckExact(e.object)) continue;
      PyObject* ends[2] = {arm.logs[0]->content(e.object), arm.logs[1]->content(e.object)};
      if (PyList_GET_SIZE(ends[0] ? ends[0] : e.object) != PyList_GET_SIZE(ends[1] ? ends[1] : e.object)) joiner.grown.insert(e.object);
    }
  const std::unordered_set<PyObject*> dead = only_in_logs({arm.logs[0].get(), arm.logs[1].get()}, before);
  std::vector<Recipe> slots(first.values.size());
  bool good = first.values.size() == second.values.size();
  if (!good) joiner.why = "the sides leave different numbers of values on the stack";
  for (size_t k = 0; good && k < slots.size(); ++k) good = joiner.plan(first.values[k], second.values[k], names[k], slots[k]);
  // What either way wrote to objects that both know.
  std::vector<std::pair<PyObject*, Recipe>> written;
  for (size_t way = 0; good && way < 2; ++way)
    for (const UndoLog::Entry& e : arm.logs[way]->entries()) {
      if (way == 1 && arm.logs[0]->content(e.object)) continue;
      PyObject* contents[2] = {arm.logs[0]->content(e.object), arm.logs[1]->content(e.object)};
      if (dead.contains(e.object) || joiner.is_replaced(e.object) || joiner.grown.contains(e.object)) continue;
      PyObject* other = copy_content(e.object);  // as it was before
      if (!other) return false;
      keep_.push_back(other);
      written.emplace_back(e.object, Recipe());
      const std::string place =
          PyCell_Check(e.object) ? "a variable of a closure" : std::string("an object of type ") + Py_TYPE(e.object)->tp_name;
      good =
          joiner.plan_content(e.object, contents[0] ? contents[0] : other, contents[1] ? contents[1] : other, place, written.back().second);
      if (!good) break;
    }
  if (good && !joiner.grown.empty())
    for (PyObject* o : joiner.holders_of_grown({&before, &first, &second})) {
      if (arm.logs[0]->content(o) || arm.logs[1]->content(o)) continue;
      written.emplace_back(o, Recipe());
      PyObject* content = copy_content(o);
      if (!content) return false;
      keep_.push_back(content);
      good = good && joiner.plan_content(o, content, content, "what holds a list", written.back().second);
    }
  if (good) good = joiner.grown_are_replaced([&](PyObject* o) { return dead.contains(o); });
  if (good) {
    Joiner::Holders holders{all_logs(), keep_, {}};
    for (const auto& [o, recipe] : written) holders.written.push_back(o);
    good = joiner.check_owners(holders);
  }
  std::vector<PyObject*> values;
  if (good) {
    size_t failed = 0;
    std::string why;
    good = recorder_.join(joiner.leaves, values, failed, why);
    if (!good) joiner.where = failed < joiner.places.size() ? joiner.places[failed] : "", joiner.why = why;
  }
  if (!good) {
    for (PyObject* o : std::exchange(keep_, {})) Py_DECREF(o);
    fail(joiner.where.empty() ? joiner.why : "`" + joiner.where + "` cannot be joined: " + joiner.why);
    return false;
  }
  std::vector<PyObject*> joined;
  for (const Recipe& r : slots) joined.push_back(joiner.make(r, values));
  std::vector<std::pair<PyObject*, PyObject*>> contents;
  for (const auto& [o, recipe] : written) contents.emplace_back(Py_NewRef(o), joiner.make(recipe, values));
  std::unique_ptr<Arm> done = std::move(arms_.back());
  arms_.pop_back();
  for (const auto& [o, content] : contents) {
    if (good) good = note_outside(o);
    if (good) good = set_content(o, content);
    Py_DECREF(o);
    Py_XDECREF(content);
  }
  for (size_t k = 0; k < joined.size(); ++k) {
    Py_XDECREF(first.values[k]);
    first.values[k] = joined[k];
  }
  for (PyObject* v : values) Py_DECREF(v);
  for (PyObject* o : std::exchange(keep_, {})) Py_DECREF(o);
  return good;
}

// --- Loops: the two sides are what a run of the body began and ended with.

class Forks::Settling {
 public:
  Settling(Forks& forks, const FrameSlots& original, FrameSlots& begin, FrameSlots& end, const std::vector<std::string>& names)
      : forks_(forks),
        loop_(*forks.loops_.back()),
        original_(original),
        begin_(begin),
        end_(end),
        names_(names),
        joiner_(forks.recorder_, nothing_, *loop_.log, forks.unread_) {}

  ~Settling() {
    for (PyObject* copy : copies_) Py_XDECREF(copy);
  }
  Settling(const Settling&) = delete;

  Settled run(FrameSlots& after) {
    if (!loop_.failure.empty()) return Settled::No;
    if (!plan()) return refused();
    const int fresh = carry_more();
    if (fresh < 0) return refused();
    if (fresh > 0) return begin_anew() ? Settled::Again : Settled::Error;
    size_t failed = 0;
    const int settled = forks_.recorder_.settle(ends_, failed, joiner_.why);
    if (settled < 0) {
      const size_t exits = failed - std::min(failed, loop_.carried.size());
      joiner_.where = failed < loop_.carried.size() ? loop_.names[failed] : exits < exit_names_.size() ? exit_names_[exits] : "";
      return refused();
    }
    if (settled == 0) return Settled::Again;
    if (finish(after)) return Settled::Yes;
    return PyErr_Occurred() ? Settled::Error : Settled::No;
  }

 private:
  Settled refused() {
    if (PyErr_Occurred()) return Settled::Error;
    loop_.failure = joiner_.where.empty() ? joiner_.why : "`" + joiner_.where + "` cannot be carried by a loop: " + joiner_.why;
    return Settled::No;
  }

  bool plan() {
    joiner_.before.insert(original_.values.begin(), original_.values.end());
    for (const UndoLog::Entry& e : loop_.log->entries())
      if (PyList_CheckExact(e.object) && Py_REFCNT(e.object) > 1 && PyList_GET_SIZE(e.before) != PyList_GET_SIZE(e.after))
        joiner_.grown.insert(e.object);
    const size_t count = begin_.values.size();
    ends_.again = end_.values[count + 1];
    PyObject* early = end_.values[count + 2];
    if (ends_.again == Py_False || early == Py_True) return joiner_.why = "its body never runs twice", false;
    ends_.early = early == Py_False ? nullptr : early;
    if (loop_.must_leave && !ends_.early) return joiner_.why = "no value decides whether it is left early", false;
    slots_.resize(count + 1);
    for (size_t k = 0; k <= count; ++k)
      if (!joiner_.plan(k < count ? begin_.values[k] : forks_.unread_, end_.values[k], names_[k], slots_[k])) return false;
    for (const UndoLog::Entry& e : loop_.log->entries()) {
      // The log alone holds it, or the list is another one behind the round: then nothing else holds this one.
      if (Py_REFCNT(e.object) == 1 || joiner_.is_replaced(e.object) || joiner_.grown.contains(e.object)) continue;
      written_.emplace_back(e.object, Recipe());
      const std::string place =
          PyCell_Check(e.object) ? "a variable of a closure" : std::string("an object of type ") + Py_TYPE(e.object)->tp_name;
      if (!joiner_.plan_content(e.object, e.before, e.after, place, written_.back().second)) return false;
    }
    bool good = true;
    if (!joiner_.grown.empty())
      for (PyObject* o : joiner_.holders_of_grown({&original_, &begin_, &end_})) {
        if (std::ranges::any_of(loop_.log->entries(), [o](const UndoLog::Entry& e) { return e.object == o; })) continue;
        written_.emplace_back(o, Recipe());
        copies_.push_back(copy_content(o));
        good =
            good && copies_.back() && joiner_.plan_content(o, copies_.back(), copies_.back(), "what holds a list", written_.back().second);
      }
    Joiner::Holders holders{forks_.all_logs(), copies_, {}};
    for (const auto& [o, recipe] : written_) holders.written.push_back(o);
    for (const auto& loop : forks_.loops_)
      for (const auto& [o, content] : loop->originals) holders.contents.push_back(content);
    return good && joiner_.grown_are_replaced([](PyObject*) { return false; }) && joiner_.check_owners(holders);
  }

  // Finds what is carried already, and begins to carry what else has changed: how much that is; -1 if something cannot be carried.
  int carry_more() {
    ends_.carried = loop_.carried;
    int fresh = 0;
    for (size_t k = 0; k < joiner_.leaves.size(); ++k) {
      const auto& [before, after] = joiner_.leaves[k];
      if (!before) {
        sources_.push_back({true, ends_.exits.size()});
        ends_.exits.push_back(after), exit_names_.push_back(joiner_.places[k]);
        continue;
      }
      const auto known = std::ranges::find(loop_.carried, before);
      if (!after) return joiner_.where = joiner_.places[k], joiner_.why = "the body always leaves the loop", -1;
      if (known != loop_.carried.end()) {
        sources_.push_back({false, static_cast<size_t>(known - loop_.carried.begin())});
        PyObject*& end = ends_.carried[sources_.back().second];
        if (end != *known && end != after)
          return joiner_.where = joiner_.places[k],
                 joiner_.why = "two variables have the same value before the loop, and different ones after its body", -1;
        end = after;
        continue;
      }
      PyObject* inside = forks_.recorder_.carry(before, after, joiner_.why);
      if (!inside) return joiner_.where = joiner_.places[k], -1;
      sources_.push_back({false, loop_.carried.size()});
      loop_.carried.push_back(inside), loop_.names.push_back(joiner_.places[k]);
      ++fresh;
    }
    return fresh;
  }

  // What stands at the leaves, of the values of carried ones and of exits.
  std::vector<PyObject*> at_leaves(const std::vector<PyObject*>& carried, const std::vector<PyObject*>& exits) const {
    std::vector<PyObject*> values;
    for (const auto& [is_exit, k] : sources_) values.push_back(is_exit ? exits[k] : carried[k]);
    return values;
  }

  bool begin_anew() {
    const std::vector<PyObject*> values = at_leaves(loop_.carried, std::vector<PyObject*>(ends_.exits.size(), forks_.unread_));
    for (size_t k = 0; k < begin_.values.size(); ++k)
      if (begin_.values[k] != forks_.unread_) Py_XSETREF(begin_.values[k], joiner_.make(slots_[k], values));
    bool good = true;
    for (const auto& [o, recipe] : written_) {
      if (std::ranges::none_of(loop_.originals, [o = o](const auto& known) { return known.first == o; })) {
        PyObject* content = copy_content(o);
        if (!content) return false;
        loop_.originals.emplace_back(Py_NewRef(o), content);
      }
      PyObject* content = joiner_.make(recipe, values);
      good = good && content && set_content(o, content);
      Py_XDECREF(content);
    }
    return good;
  }

  bool finish(FrameSlots& after) {
    std::vector<PyObject*> results;
    if (!forks_.recorder_.finish_loop(results)) return false;
    std::vector<PyObject*> carried(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(loop_.carried.size()));
    results.erase(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(loop_.carried.size()));
    PyObject* early = ends_.early ? results.back() : Py_False;
    // A value that the body leaves as it is may stand anywhere: its place in the body is its place behind the loop.
    const std::vector<PyObject*> values = at_leaves(carried, results);
    for (const Recipe& slot : slots_) after.values.push_back(behind(joiner_.make(slot, values), carried));
    after.values.push_back(Py_NewRef(Py_False));
    after.values.push_back(Py_NewRef(early));
    const std::unique_ptr<OpenLoop> loop = std::move(forks_.loops_.back());
    bool good = true;
    std::vector<std::pair<PyObject*, PyObject*>> contents;
    for (const auto& [o, recipe] : written_) contents.emplace_back(o, joiner_.make(recipe, values));
    for (const auto& [o, original] : loop->originals)
      if (std::ranges::none_of(contents, [o = o](const auto& c) { return c.first == o; })) contents.emplace_back(o, copy_content(o));
    for (const auto& [o, content] : contents) {
      const auto original = std::ranges::find_if(loop->originals, [o = o](const auto& known) { return known.first == o; });
      if (good && !forks_.arms_.empty()) good = forks_.log().note(o, original == loop->originals.end() ? nullptr : original->second);
      PyObject* replaced = content ? behind(content, carried) : nullptr;
      good = good && replaced && set_content(o, replaced);
      Py_XDECREF(replaced);
    }
    forks_.loops_.pop_back();
    for (PyObject* v : carried) Py_DECREF(v);
    for (PyObject* v : results) Py_DECREF(v);
    return good;
  }

  // The same with what stands behind the loop for values of the body. Takes the reference.
  PyObject* behind(PyObject* o, const std::vector<PyObject*>& carried, int depth = 0) {
    if (!o || depth > 60) return o;
    if (o == forks_.unread_) return Py_DECREF(o), nullptr;
    const auto known = std::ranges::find(loop_.carried, o);
    if (known != loop_.carried.end()) return Py_DECREF(o), Py_NewRef(carried[static_cast<size_t>(known - loop_.carried.begin())]);
    if (is_plain_tuple(o)) {
      PyObject* made = PyTuple_New(PyTuple_GET_SIZE(o));
      for (Py_ssize_t k = 0; made && k < PyTuple_GET_SIZE(o); ++k)
        PyTuple_SET_ITEM(made, k, behind(Py_NewRef(PyTuple_GET_ITEM(o, k)), carried, depth + 1));
      made = tuple_of_type(named_type(o), made);
      Py_DECREF(o);
      return made;
    }
    if (PyList_CheckExact(o)) {
      for (Py_ssize_t k = 0; k < PyList_GET_SIZE(o); ++k)
        if (PyObject* item = PyList_GET_ITEM(o, k)) {
          PyObject* value = behind(Py_NewRef(item), carried, depth + 1);
          PyList_SetItem(o, k, value);
        }
    } else if (PyDict_CheckExact(o)) {
      PyObject *key = nullptr, *item = nullptr;
      for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &item);) {
        PyObject* value = behind(Py_NewRef(item), carried, depth + 1);
        if (value != item) PyDict_SetItem(o, key, value);
        Py_XDECREF(value);
      }
    }
    return o;
  }

  Forks& forks_;
  OpenLoop& loop_;
  const FrameSlots& original_;
  FrameSlots &begin_, &end_;
  const std::vector<std::string>& names_;
  const UndoLog nothing_;
  Joiner joiner_;
  std::vector<Recipe> slots_;
  std::vector<std::pair<PyObject*, Recipe>> written_;
  std::vector<PyObject*> copies_;  // of contents that recipes look at
  ForkRecorder::RoundEnds ends_;
  std::vector<std::string> exit_names_;
  std::vector<std::pair<bool, size_t>> sources_;  // of the leaves: an exit or a carried value, and which
};

Forks::Settled Forks::settle(const FrameSlots& original, FrameSlots& begin, FrameSlots& end, const std::vector<std::string>& names,
                             FrameSlots& after) {
  return Settling(*this, original, begin, end, names).run(after);
}

}  // namespace monograph::capture::machine
#endif
