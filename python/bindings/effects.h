// Texts and effects of captured programs: effects.cpp.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "capture/machine/machine.h"
#include "ops/symbolic_value.h"
#include "python.h"

namespace monograph::ir {
class Graph;
}
namespace monograph::capture::bytecode {
class ReadSet;
}

namespace monograph::python {

// The part of a recorder that makes texts and effects: a monograph._effects.Texts knows how.
class TextRecorder : public capture::machine::ForkRecorder {
 public:
  explicit TextRecorder(nb::object texts);
  bool is_shown(PyObject* o) override;
  PyObject* format(PyObject* value, char conversion, PyObject* spec) override;
  PyObject* put_together(PyObject* const* parts, size_t count) override;
  PyObject* percent(PyObject* format, PyObject* values) override;
  bool says(PyObject* function) override { return texts_made_.contains(function) || effects_.contains(function); }
  bool is_effect(PyObject* function) override { return effects_.contains(function); }
  PyObject* say(PyObject* function, PyObject* const* args, size_t count, PyObject* keywords) override;
  PyObject* folded(PyObject* function, PyObject* value, PyObject* source, PyObject* iterator, Py_ssize_t count,
                   PyObject* keywords) override;
  // Gradients, who has switched them, autocast and inference_mode.
  int64_t mode() override;
  void restore_mode(int64_t mode) override;

 protected:
  virtual bool is_of_graph(PyObject* o) = 0;  // a number, text or tensor that the graph computes

 private:
  PyObject* ask(const char* method, PyObject* const* args, size_t count);
  nb::object texts_;
  std::unordered_set<PyObject*> texts_made_, effects_;
};

// While one lives, it knows to which objects of Python what the program warns of and logs goes: handlers of loggers, and what they hold.
class Writers {
 public:
  Writers();
  ~Writers();
  Writers(const Writers&) = delete;
  // What the program reads that these write, in words, and where it writes there.
  std::optional<std::pair<std::string, std::string>> read_by(const capture::bytecode::ReadSet& reads) const;
  struct Written {
    nb::object object, key;  // with a key: this entry of a dict
    std::string place;
  };

 private:
  std::vector<Written> writers_;
  std::vector<Written>* outer_;
};

// While one lives, what the program prints, warns of and logs waits. end() says it if `say`, and drops it if not; false with an exception set.
class HeldEffects {
 public:
  HeldEffects();
  ~HeldEffects();
  HeldEffects(const HeldEffects&) = delete;
  bool end(bool say);

 private:
  nb::object before_;
  bool ended_ = false;
};

// While one lives, a capture runs: what stands in the place of sys.stdout from now on is the program's.
class KnownStreams {
 public:
  KnownStreams();
  ~KnownStreams();
  KnownStreams(const KnownStreams&) = delete;

 private:
  nb::object before_;
};

// Texts of the graph that no node reads, as that of an assertion that holds, go.
void drop_unread_texts(ir::Graph& graph);

void init_effects(PyObject* module);

}  // namespace monograph::python
