// The machine's forks and loops in a symbolic trace. The values are proxies of torch.fx, and the nodes are what the program wrote, so no types are known here.
// Neither way of a fork is the program's: what cannot be kept is an error. What only Python knows (arguments of nodes, proxies, attributes of modules that a
// block has read) is asked of monograph/fx/_kept.py.
#include "proxy_forks.h"
#include "reads.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_set>

#include "capture/machine/machine.h"
#include "effects.h"
#include "graph.h"
#include "ir/builder.h"
#include "same_inputs.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

class ProxyForks : public TextRecorder {
 public:
  ProxyForks(nb::handle kept, nb::handle graph)
      : TextRecorder(kept.attr("texts")), kept_(nb::borrow(kept)), object_(reinterpret_cast<GraphObject*>(graph.ptr())) {
    for (nb::handle type : kept.attr("texts").attr("numpy_types")()) numpy_types_.push_back(nb::borrow(type));
    for (nb::handle function : nb::module_::import_("monograph.fx._kept").attr("TAKEN")) taken_functions_.insert(function.ptr());
  }

  bool has_example() override { return false; }
  bool innermost_fork_has_example() override { return false; }
  PyObject* carried_list(PyObject* items) override {
    const capture::machine::Unwatched unwatched;
    return guard([&] { return nb::object(kept_.attr("carried_list")(nb::handle(items))).release().ptr(); });
  }
  int asked(PyObject* value) override {
    if (!is_proxy(value)) return kNone;
    const capture::machine::Unwatched unwatched;
    return guard([&] {
      nb::object answer = kept_.attr("asked")(nb::handle(value));
      return answer.is_none() ? kNone : truth(answer.ptr()) ? 1 : 0;
    });
  }
  bool takes(PyObject* function) override { return taken_functions_.contains(function); }
  bool is_tensor(PyObject* o) override { return is_proxy(o) || python::is_tensor(o); }
  bool is_leaf(PyObject* o) override { return is_tensor(o) || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o); }

  // --- Forks.

  int begin(PyObject* condition) override {
    if (!is_proxy(condition)) return kNone;
    const capture::machine::Unwatched unwatched;
    return guard([&] {
      nb::object holds = kept_.attr("argument")(nb::handle(condition));
      if (!is_node(holds.ptr())) return kNone;
      kept_.attr("read_now")();
      locate();
      Region r;
      r.node = graph().create_if(node_of(holds.ptr()));
      r.after = graph().insert_point();
      forks_.push_back(r);
      kept_.attr("enter")();
      graph().insert_at_end(r.node->block(0));
      return 1;
    });
  }
  void begin_second() override {
    const capture::machine::Unwatched unwatched;
    again();
    graph().insert_at_end(forks_.back().node->block(1));
  }

  bool join(const std::vector<std::pair<PyObject*, PyObject*>>& leaves, std::vector<PyObject*>& values, size_t& failed,
            std::string& why) override {
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> int {
             ir::Node* region = forks_.back().node;
             ir::Args results[2];
             for (size_t way = 0; way < 2; ++way) {
               graph().insert_at_end(region->block(way));
               for (size_t k = 0; k < leaves.size(); ++k) {
                 PyObject* end = way ? leaves[k].second : leaves[k].first;
                 if (!end || add(results[way], end, why)) continue;
                 failed = k;
                 return 0;
               }
             }
             ir::Args ends[2];  // with a None where nobody reads the value
             size_t at[2] = {0, 0};
             for (const auto& [first, second] : leaves)
               for (size_t way = 0; way < 2; ++way)
                 if (way ? second : first) ends[way].add(results[way][at[way]++]);
                 else ends[way].add(nullptr);
             for (size_t way = 0; way < 2; ++way) graph().set_output(region->block(way), ends[way]);
             graph().set_results(region, std::vector<ir::Type>(leaves.size()));
             leave_fork();
             for (size_t k = 0; k < leaves.size(); ++k) {
               const auto& [first, second] = leaves[k];
               nb::object kind = kept_.attr("common_kind")(nb::handle(first ? first : second), nb::handle(second ? second : first));
               values.push_back(proxy_of(graph().project(region, k), kind));
             }
             return 1;
           }) == 1;
  }

  bool cancel() override {
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> int {
             ir::Node* region = forks_.back().node;
             leave_fork();
             graph().erase(region);
             return 1;
           }) == 1;
  }
  int give_up(const std::string& why) override {
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> int {
      ir::Node* region = forks_.back().node;
      const std::string place = to_string(region->span());
      leave_fork();
      graph().erase(region);
      kept_.attr("refuse")("branch", to_python(std::string_view(why)), to_python(std::string_view(place)));
      return -1;
    });
  }

  bool passes(PyObject* type) override {
    for (PyObject* kind : {trace_error_.ptr(), PyExc_KeyboardInterrupt, PyExc_MemoryError, PyExc_RecursionError, PyExc_SystemExit})
      if (PyErr_GivenExceptionMatches(type, kind)) return true;
    return false;
  }
  int keep_beside_raise(bool second, PyObject* exception) override {
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> int {
      ir::Node* region = forks_.back().node;
      ir::Block *kept = region->block(second ? 1 : 0), *raises = region->block(second ? 0 : 1);
      graph().insert_at_end(raises);
      kept_.attr("record_raise")(nb::handle(exception));
      const std::vector<ir::Node*> nodes = moved(kept);
      for (size_t k = nodes.size(); k-- > 0;) graph().move_after(nodes[k], region);
      const ir::Args nothing;
      for (ir::Block* way : {kept, raises}) graph().set_output(way, nothing);
      graph().set_results(region, {});
      leave_fork();
      return 1;
    });
  }
  bool is_message(PyObject* o) override { return is_proxy(o); }
  // NumPy's functions too: of sizes they are nodes.
  bool says(PyObject* function) override {
    auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(function));
    return TextRecorder::says(function) ||
           std::ranges::find(numpy_types_, type, [](const nb::object& o) { return o.ptr(); }) != numpy_types_.end();
  }
  bool is_text(PyObject* o) override { return reinterpret_cast<PyObject*>(Py_TYPE(o)) == text_type_.ptr(); }
  PyObject* plain_text(PyObject* text) override {
    const capture::machine::Unwatched unwatched;
    return guard([&] { return nb::object(kept_.attr("texts").attr("plain")(nb::handle(text))).release().ptr(); });
  }

  // --- Loops.

  int begin_loop(PyObject* condition, bool stays_when, PyObject* iterator) override {
    if (!iterator && !is_proxy(condition)) return 0;
    const capture::machine::Unwatched unwatched;
    return guard([&] {
      OpenLoop loop;
      loop.count = ir::Args(std::numeric_limits<int64_t>::max()), loop.condition = ir::Args(true);
      if (iterator) {
        nb::object count = kept_.attr("argument")(nb::handle(iterator).attr("remaining")());
        if (!is_node(count.ptr())) return 0;
        loop.count = ir::Args(node_of(count.ptr()));
      } else {
        nb::object holds = kept_.attr("argument")(nb::handle(condition));
        if (!is_node(holds.ptr())) return 0;
        if (!stays_when) holds = kept_.attr("negated")(nb::handle(condition));
        loop.condition = ir::Args(node_of(holds.ptr()));
      }
      kept_.attr("read_now")();
      locate();
      loop.node = graph().create_loop(loop.count, loop.condition, {});
      loop.after = graph().insert_point();
      loop.counter = graph().placeholder(loop.node->block(0), "i");
      loops_.push_back(std::move(loop));
      return 1;
    });
  }
  void begin_round() override {
    const capture::machine::Unwatched unwatched;
    clear_body();
    loops_.back().inside = true;
    if (guard([&] { return kept_.attr("enter")(), 0; }) < 0) capture::machine::forget_error();
    graph().insert_at_end(loops_.back().node->block(0));
  }
  void end_round() override {
    const capture::machine::Unwatched unwatched;
    leave_round();
  }
  PyObject* element(PyObject* iterator) override {
    const capture::machine::Unwatched unwatched;
    return guard([&] {
      nb::object index = nb::steal(proxy_of(loops_.back().counter, nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type))));
      return nb::object(nb::handle(iterator).attr("element")(index)).release().ptr();
    });
  }
  PyObject* carry(PyObject* initial, PyObject*, std::string& why) override {
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> PyObject* {
      OpenLoop& loop = loops_.back();
      Carried c;
      graph().insert_before(loop.node);
      const bool good = add(c.begin, initial, why);
      graph().set_insert_point(loop.after);
      if (!good) return nullptr;
      c.kind = kept_.attr("kind")(nb::handle(initial));
      c.placeholder = graph().placeholder(loop.node->block(0), "carried");
      loop.carried.push_back(std::move(c));
      return proxy_of(loop.carried.back().placeholder, loop.carried.back().kind);
    });
  }
  int settle(const RoundEnds& given, size_t& failed, std::string& why) override {
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> int {
      OpenLoop& loop = loops_.back();
      graph().insert_at_end(loop.node->block(0));
      const int settled = end_with(loop, given, failed, why);
      graph().set_insert_point(loop.after);
      return settled;
    });
  }
  bool finish_loop(std::vector<PyObject*>& values) override {
    const capture::machine::Unwatched unwatched;
    return guard([&] {
             const OpenLoop loop = std::move(loops_.back());
             loops_.pop_back();
             const std::vector<nb::object>& kinds = loop.end_kinds;
             ir::Args all;
             all.add(loop.count[0]), all.add(loop.condition[0]);
             for (const Carried& c : loop.carried) all.add(c.begin[0]);
             for (size_t k = loop.carried.size(); k < kinds.size(); ++k) {
               const bool early = loop.left_early && k + 1 == kinds.size();
               graph().placeholder(loop.node->block(0), early ? "left" : "exit");
               if (early) all.add(false);
               else all.add(nullptr);
             }
             graph().set_args(loop.node, all);
             graph().set_output(loop.node->block(0), loop.end);
             graph().set_results(loop.node, std::vector<ir::Type>(kinds.size()));
             graph().set_insert_point(loop.after);
             for (size_t k = 0; k < kinds.size(); ++k) values.push_back(proxy_of(graph().project(loop.node, k), kinds[k]));
             return 1;
           }) == 1;
  }
  void give_up_loop(const std::string& why) override {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    const capture::machine::Unwatched unwatched;
    const std::string place = to_string(loops_.back().node->span());
    if (loops_.back().inside) leave_round();
    clear_body();
    graph().erase(loops_.back().node);
    graph().set_insert_point(loops_.back().after);
    loops_.pop_back();
    if (type && passes(type)) return PyErr_Restore(type, value, traceback);
    guard([&]() -> int {
      PyErr_NormalizeException(&type, &value, &traceback);
      const nb::object kind = nb::steal(type), cause = nb::steal(value), trace = nb::steal(traceback);
      kept_.attr("refuse")("loop", to_python(std::string_view(why)), to_python(std::string_view(place)),
                           cause.is_valid() ? cause : nb::none());
      return 0;
    });
  }
  bool is_symbolic_iterator(PyObject* o) override { return reinterpret_cast<PyObject*>(Py_TYPE(o)) == iterator_type_.ptr(); }
  PyObject* call(PyObject* function, PyObject* const* args, size_t count) override {
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> PyObject* {
      nb::object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(count)));
      for (size_t k = 0; k < count; ++k) PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(k), Py_NewRef(args[k]));
      nb::object result = kept_.attr("call")(nb::handle(function), tuple);
      return result.is(nb::handle(Py_NotImplemented)) ? nullptr : result.release().ptr();
    });
  }
  PyObject* truth_of(PyObject* value, bool negated) {
    return guard([&] { return nb::object(kept_.attr("truth")(nb::handle(value), negated)).release().ptr(); });
  }
  PyObject* is_same(PyObject* a, PyObject* b, bool negated) override {
    if (!is_proxy(a) && !is_proxy(b)) return nullptr;
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> PyObject* {
      nb::object result = kept_.attr("is_same")(nb::handle(a), nb::handle(b), negated);
      return result.is(nb::handle(Py_NotImplemented)) ? nullptr : result.release().ptr();
    });
  }
  bool compares_inputs() override { return true; }
  PyObject* are_one_input(PyObject* a, PyObject* b, bool negated) override {
    if (!is_proxy(a) && !is_proxy(b)) return nullptr;
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> PyObject* {
      if (sameness(a, b) != capture::bytecode::ObjectKinds::Sameness::Inputs) return nullptr;
      return nb::object(kept_.attr("are_one")(nb::handle(a), nb::handle(b), negated)).release().ptr();
    });
  }
  PyObject* truth(PyObject* value, bool negated) override {
    if (!is_proxy(value)) return nullptr;
    const capture::machine::Unwatched unwatched;
    return truth_of(value, negated);
  }

 private:
  static constexpr int kNone = 2;
  static bool truth(PyObject* o) { return python::truth(o); }
  struct Region {
    ir::Node* node = nullptr;
    ir::Graph::InsertPoint after;
  };
  struct Carried {
    ir::Args begin;
    ir::Node* placeholder = nullptr;
    nb::object kind;  // the Python type that its values have, or None
  };
  struct OpenLoop : Region {
    ir::Args count, condition, end;
    ir::Node* counter = nullptr;
    std::vector<Carried> carried;
    std::vector<nb::object> end_kinds;
    bool left_early = false, inside = false;
  };

  bool is_of_graph(PyObject* o) override { return is_proxy(o); }
  ir::Graph& graph() const { return *object_->graph; }
  void locate() const { graph().set_location(caller_span(), object_->scope); }
  bool is_proxy(PyObject* o) const { return PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(proxy_type_.ptr())) != 0; }
  PyObject* proxy_of(ir::Node* node, const nb::object& kind) const {
    return nb::object(kept_.attr("proxy")(wrap(node, object_), kind)).release().ptr();
  }
  void again() {
    if (guard([&] { return kept_.attr("again")(), 0; }) < 0) capture::machine::forget_error();
  }
  void leave_fork() {
    kept_.attr("leave")();
    graph().set_insert_point(forks_.back().after);
    forks_.pop_back();
  }
  void leave_round() {
    loops_.back().inside = false;
    if (guard([&] { return kept_.attr("leave")(), 0; }) < 0) capture::machine::forget_error();
    graph().set_insert_point(loops_.back().after);
  }
  // Adds what a block ends with. False if a node cannot hold it.
  bool add(ir::Args& args, PyObject* value, std::string& why) {
    nb::object argument = kept_.attr("end")(nb::handle(value));
    if (argument.is(nb::handle(Py_NotImplemented))) return why = "a graph cannot hold it", false;
    add_arg(args, argument.ptr(), object_);
    return true;
  }
  // What the body ends with. 0 if a value is not of the kind any more that it was taken for: the body is to run again without.
  int end_with(OpenLoop& loop, const RoundEnds& given, size_t& failed, std::string& why) {
    loop.end = {}, loop.end_kinds.clear(), loop.left_early = given.early != nullptr;
    failed = 0;
    if (!add(loop.end, given.again, why)) return -1;
    bool widened = false;
    for (const auto* values : {&given.carried, &given.exits})
      for (PyObject* o : *values) {
        if (!add(loop.end, o, why)) return -1;
        nb::object kind = kept_.attr("kind")(nb::handle(o));
        if (values == &given.carried) {
          Carried& c = loop.carried[failed];
          if (!c.kind.is_none() && !c.kind.is(kind)) {
            kept_.attr("forget_kind")(wrap(c.placeholder, object_));
            c.kind = nb::none(), widened = true;
          }
          kind = c.kind;
        }
        loop.end_kinds.push_back(kind);
        ++failed;
      }
    if (given.early) {
      if (!add(loop.end, given.early, why)) return -1;
      loop.end_kinds.push_back(nb::borrow(reinterpret_cast<PyObject*>(&PyBool_Type)));
    }
    return widened ? 0 : 1;
  }
  static std::vector<ir::Node*> moved(ir::Block* block) {
    std::vector<ir::Node*> nodes;
    for (ir::Node* n : *block)
      if (n->op() != ir::Op::Output && !n->is_projection()) nodes.push_back(n);
    return nodes;
  }
  void clear_body() {
    ir::Block* body = loops_.back().node->block(0);
    ir::Args nothing;
    graph().set_output(body, nothing);
    std::vector<ir::Node*> old;
    for (ir::Node* n : *body)
      if (n->op() != ir::Op::Placeholder && n->op() != ir::Op::Output && !n->is_projection()) old.push_back(n);
    for (size_t k = old.size(); k-- > 0;) graph().erase(old[k]);
  }

  nb::object kept_;
  GraphObject* object_;
  // Read before the machine runs anything.
  nb::object iterator_type_ = nb::module_::import_("monograph._loops").attr("SymbolicIterator");
  nb::object trace_error_ = nb::module_::import_("monograph.fx.proxy").attr("TraceError");
  nb::object text_type_ = nb::module_::import_("monograph.fx._kept").attr("TextProxy");
  nb::object proxy_type_ = nb::module_::import_("monograph.fx.proxy").attr("Proxy");
  std::vector<nb::object> numpy_types_;
  std::unordered_set<PyObject*> taken_functions_;
  std::vector<Region> forks_;
  std::vector<OpenLoop> loops_;
};

}  // namespace

void init_proxy_forks(PyObject* module) {
  nb::handle m(module);
  // _run_keeping_proxies(kept, graph, function, args, reads, program): function(*args) in the capture machine, its branches and loops on proxies as blocks of
  // the graph. It is a call of `program`, and `reads`, a _Reads or None, is told what that reads.
  m.attr("_run_keeping_proxies") = nb::cpp_function(
      [](nb::handle kept, nb::handle graph, nb::handle function, nb::tuple args, nb::handle reads, nb::handle program) {
        ProxyForks recorder(kept, graph);
        const KnownStreams streams;
        ReadingRun reading(reads, true);
        reading.begin(program);
        nb::object result = check(capture::machine::run_with_forks(function.ptr(), args.ptr(), recorder, reading.watcher()));
        reading.finish();
        return result;
      },
      nb::arg("kept"), nb::arg("graph"), nb::arg("function"), nb::arg("args"), nb::arg("reads").none(), nb::arg("program"));
  // _unwatched(function, *args, **kwargs): what a program's tracer does is no part of the program.
  m.attr("_unwatched") = nb::cpp_function([](nb::handle function, nb::args args, nb::kwargs kwargs) {
    const capture::machine::Unwatched unwatched;
    return check(PyObject_Call(function.ptr(), args.ptr(), kwargs.ptr()));
  });
  // _watched(function, *args, **kwargs): what such a tracer calls of the program is.
  m.attr("_watched") = nb::cpp_function([](nb::handle function, nb::args args, nb::kwargs kwargs) {
    const capture::machine::Watched watched;
    return check(PyObject_Call(function.ptr(), args.ptr(), kwargs.ptr()));
  });
}

}  // namespace monograph::python
