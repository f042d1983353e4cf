// Guards of what no dict or list of Python shows: what C functions give, what caches hold, whether objects still live, and how classes are related. Each is asked
// again at a call. A part of GuardSet.
#pragma once

#include "capture/bytecode/expected.h"

namespace monograph::capture::bytecode {

// What a function gives, so that two answers can be compared: lists and tuples of names as plain tuples, the state of a file without the time of its last read, and
// for an exception its class.
Object answer_of(PyObject* function, PyObject* const* args, Py_ssize_t count);

// What a function with functools.lru_cache keeps. All is borrowed from the function.
struct CacheContents {
  PyObject* table = nullptr;  // the dict in which it looks keys up
  std::vector<std::pair<PyObject*, PyObject*>> entries;  // keys and results, the latest use last; of one without bound: empty
  bool bounded = false;
  static CacheContents of(PyObject* function);
  PyObject* result(PyObject* key) const;  // null: none
  std::vector<PyObject*> keys_of(PyObject* result) const;  // where the latest call may have found it
  void drop(PyObject* key) const;  // takes a result out of the cache
};

class AskedReads {
 public:
  // Guards what the function gives for these arguments.
  void add_call(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* answer, const std::string& name);
  // Guards that the object behind a weak reference lives.
  void add_living(PyObject* reference, const std::string& name);
  // Guards whether `type` is a subclass of the abstract class, where classes may be registered.
  void add_related(PyObject* abstract, PyObject* type, const std::string& name);
  // Guards which subclasses the class has. It keeps none of them alive.
  void add_subclasses(PyObject* type, const std::string& name);
  // Guards the result that a cache has for a key. `may_go`: the guard holds too where the result is not there any more, because the function would compute it again.
  void add_cached(PyObject* function, PyObject* key, PyObject* result, bool may_go, const std::string& name);
  // The run has filled the cache of this function: nothing holds for another call, which finds it filled.
  void add_filled(const std::string& name) { filled_ = name; }

  bool check(std::string* failed);
  size_t size() const;
  void list(std::vector<std::string>& lines) const;
  void list_values(std::vector<std::string>& lines) const;  // the answers that are numbers or strings, for a reader of a file
  int traverse(visitproc visit, void* arg) const;

 private:
  struct Call {
    Object function;
    std::vector<Object> args;
    Expected expected;
    std::string name;
    bool holds(std::string* failed) const;
  };
  struct Living {
    Object reference;
    std::string name;
  };
  struct Related {
    Object abstract, type;
    bool answer;
    std::string name;
  };
  struct Subclasses {
    Object type;
    std::vector<Object> references;
    std::string name;
    bool holds() const;
  };
  struct Cached {
    Object key;
    Expected result;
    bool may_go;
  };
  struct Cache {
    Object function, table;
    uint64_t version = 0;
    std::vector<Cached> results;
    std::string name;
    bool holds(std::string* failed);
  };
  bool check_related(std::string* failed);

  std::vector<Call> calls_;
  std::vector<Living> living_;
  std::vector<Related> related_;
  Object registrations_;  // how many classes had been registered when `related_` held
  std::vector<Subclasses> subclasses_;
  std::vector<Cache> caches_;
  std::string filled_;
};

}  // namespace monograph::capture::bytecode
