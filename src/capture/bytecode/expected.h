// What guards are made of: references to objects, and values that are expected.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
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

// The value that a guard expects: the same object, or an equal number, string or tuple of such. Null: no value. Instances of Python classes and functions are
// referred to weakly, so that no guard keeps them alive.
class Expected {
 public:
  Expected() = default;
  explicit Expected(PyObject* value);
  bool matches(PyObject* now) const {
    if (now != value_.get()) now = without_stand_in(now);
    if (weak_) return now && now != Py_None && now == value();
    return now == value_.get() || (by_value_ && now && equal(value_.get(), now));
  }
  PyObject* value() const { return weak_ ? PyWeakref_GetObject(value_.get()) : value_.get(); }  // None if the object was freed
  bool is_gone() const { return weak_ && value() == Py_None; }
  PyObject* owned() const { return value_.get(); }
  static bool compares_by_value(PyObject* value);
  // Equal type and value; floats by their bits.
  static bool equal(PyObject* a, PyObject* b);
  // The original of a stand-in function; any other object is returned as it is. torch.fx.wrap puts stand-ins among the globals while another thread traces, and
  // the forward of a GraphModule is a stand-in until it is first read and compiled.
  static PyObject* without_stand_in(PyObject* value);

 private:
  Object value_;
  bool by_value_ = false, weak_ = false;
};

// The text of a str; "?" for another object.
std::string utf8(PyObject* text);

// The text of an object in a message: short, and without running code of the program.
std::string shown(PyObject* value);

// Says in `failed`, if it is not null, what was expected and what there is. False.
bool say(std::string* failed, const std::string& name, PyObject* was, PyObject* now);
bool say(std::string* failed, const std::string& name, const Expected& was, PyObject* now);

}  // namespace monograph::capture::bytecode
