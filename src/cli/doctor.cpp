// `monograph doctor`: checks this installation, by comparing every generated kernel with the evaluator, or the files that are named. It exits with 3 if
// something is wrong.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>

#include "cli/model.h"
#include "cli/python.h"
#include "cli/terminal.h"
#include "cli/values.h"
#include "cli/verb.h"
#include "core/threads/cpus.h"
#include "core/threads/pool.h"
#include "exec/missing.h"
#include "formats/mgraph.h"
#include "ir/text.h"
#include "kernels/evaluator.h"
#include "kernels/matmul.h"
#include "kernels/registry.h"
#include "ops/kernel_families.h"
#include "passes/canonical.h"

namespace monograph::cli {
namespace {

struct DoctorOptions {
  std::vector<std::string> files;
  uint64_t seed = 0;
  bool json = false;
};

// The result of one check.
struct Finding {
  std::string what, result;  // what was checked; what was found
  bool fine = true;
};

// --- Kernels against the evaluator.

class KernelCheck {
 public:
  explicit KernelCheck(uint64_t seed) : random_(seed) {}

  // Checks all kernels of a family. Returns how many give other bits than the evaluator; `first` is the name of the first of them. Adds to `kernels` the
  // number of kernels, and to `without` the number of bodies that have no kernel on this machine.
  size_t family(const KernelFamily& f, Progress& progress, size_t& done, size_t& kernels, size_t& without, std::string& first) {
    size_t wrong = 0;
    for (const KernelFamily::Member& m : f.members) {
      progress.at(++done);
      KernelFn fn = find_kernel(hash(m.body), m.form);
      if (!fn) {
        ++without;
        continue;
      }
      ++kernels;
      if (!equal(m, fn) && wrong++ == 0) first = m.name;
    }
    return wrong;
  }

 private:
  // Enough elements for one vector of each width, and a tail.
  static constexpr int64_t kElements = 37, kRows = 2, kColumns = 37, kColumnRows = 5;

  bool equal(const KernelFamily::Member& m, KernelFn fn) {
    const bool outer = m.form == KernelForm::Outer;
    const int64_t n = outer ? kColumnRows : kElements, rows = outer ? kColumns : kRows;
    const size_t outs = m.body.outs.size(), count = outs + m.body.args.size();
    std::vector<std::vector<char>> mine(count), theirs;
    std::vector<int64_t> inner(count), step(count);
    for (size_t k = 0; k < count; ++k) {
      const BodyArg& arg = k < outs ? m.body.outs[k].arg : m.body.args[k - outs];
      const int64_t size = element_size(arg.dtype);
      inner[k] = arg.uniform ? 0 : outer ? size * rows : size;
      step[k] = arg.uniform || outer ? size : size * n;
      mine[k].resize(static_cast<size_t>(arg.uniform ? size * rows : size * n * rows));
      if (k >= outs) fill(arg.dtype, mine[k]);
    }
    theirs = mine;
    const bool raised = call(fn, mine, inner, n, step, rows), expected = call(m, theirs, inner, n, step, rows);
    if (raised || expected) return raised == expected;
    for (size_t k = 0; k < outs; ++k)
      if (!same_bits(m.body.outs[k].arg.dtype, mine[k], theirs[k])) return false;
    return true;
  }
  static std::vector<char*> pointers(std::vector<std::vector<char>>& memory) {
    std::vector<char*> out;
    for (auto& m : memory) out.push_back(m.data());
    return out;
  }
  static bool call(KernelFn fn, std::vector<std::vector<char>>& memory, const std::vector<int64_t>& inner, int64_t n,
                   const std::vector<int64_t>& step, int64_t rows) {
    return fn(pointers(memory).data(), inner.data(), n, step.data(), rows) != 0;
  }
  static bool call(const KernelFamily::Member& m, std::vector<std::vector<char>>& memory, const std::vector<int64_t>& inner, int64_t n,
                   const std::vector<int64_t>& step, int64_t rows) {
    return evaluate(m.body, m.form, pointers(memory).data(), inner.data(), n, step.data(), rows) != 0;
  }
  // Fills with ordinary numbers. One element in eight has random bits, so NaN, infinities and subnormals occur.
  void fill(DType t, std::vector<char>& bytes) {
    const DType part = real_type(t);
    const auto size = static_cast<size_t>(element_size(part));
    for (size_t at = 0; at + size <= bytes.size(); at += size) {
      uint64_t bits = random_();
      if (part == DType::b1) bits &= 1;
      else if (is_floating(part) && random_() % 8 != 0) {
        const double v = std::ldexp(static_cast<double>(static_cast<int64_t>(bits)), -60);
        bits = part == DType::f64   ? std::bit_cast<uint64_t>(v)
               : part == DType::f32 ? std::bit_cast<uint32_t>(static_cast<float>(v))
               : part == DType::f16 ? half_from_float(static_cast<float>(v))
                                    : bfloat_from_float(static_cast<float>(v));
      }
      std::memcpy(bytes.data() + at, &bits, size);
    }
  }
  static bool same_bits(DType t, const std::vector<char>& a, const std::vector<char>& b) {
    const DType part = real_type(t);
    const auto size = static_cast<size_t>(element_size(part));
    if (a == b) return true;
    for (size_t at = 0; at < a.size(); at += size)
      if (std::memcmp(&a[at], &b[at], size) != 0 && !(is_nan(part, &a[at]) && is_nan(part, &b[at]))) return false;
    return true;
  }
  static bool is_nan(DType t, const char* p) {
    return is_floating(t) && dispatch(t, [&](auto zero) {
             if constexpr (requires { static_cast<double>(zero); }) {
               std::memcpy(&zero, p, sizeof zero);
               return std::isnan(static_cast<double>(zero));
             } else return false;
           });
  }

  std::mt19937_64 random_;
};

// Whether the best matrix products of this machine have the same bits as those in plain C++, at sizes that need tails.
bool products_agree(DType t, uint64_t seed) {
  const int64_t m = 29, n = 41, k = 67;
  std::mt19937_64 random(seed);
  auto run = [&](const MatmulKernels& kernels, const std::vector<char>& a, const std::vector<char>& b) {
    std::vector<char> c(static_cast<size_t>(m * n * element_size(t)));
    Matmul x;
    x.type = t, x.m = m, x.n = n, x.k = k, x.a = a.data(), x.a_row = k, x.a_col = 1, x.b = b.data(), x.b_row = n, x.b_col = 1,
    x.c = c.data(), x.c_row = n, x.c_col = 1;
    x.kernels = &kernels;
    matmul(x);
    return c;
  };
  auto matrix = [&](int64_t count) {
    std::vector<char> out(static_cast<size_t>(count * element_size(t)));
    for (int64_t i = 0; i < count; ++i) {
      const double v = std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -62);
      if (t == DType::f32) reinterpret_cast<float*>(out.data())[i] = static_cast<float>(v);
      else reinterpret_cast<double*>(out.data())[i] = v;
    }
    return out;
  };
  const auto a = matrix(m * k), b = matrix(k * n);
  return run(matmul_kernels(t), a, b) == run(matmul_kernels(t, Isa::none), a, b);
}

std::vector<Finding> kernel_findings(uint64_t seed) {
  std::vector<Finding> all;
  Progress progress("checking kernels", 0);
  const std::vector<KernelFamily> families = kernel_families();
  KernelCheck check(seed);
  size_t done = 0;
  for (const KernelFamily& f : families) {
    if (f.members.empty()) continue;
    size_t kernels = 0, without = 0;
    std::string first;
    const size_t wrong = check.family(f, progress, done, kernels, without, first);
    Finding finding{f.name, "", true};
    if (wrong)
      finding = {
          f.name,
          concat(wrong, " of ", plural(static_cast<int64_t>(kernels), "kernel"), " with other bits than the evaluator, first ", first),
          false};
    else if (kernels == 0) finding.result = "no generated kernels for this machine: the evaluator runs instead";
    else
      finding.result =
          concat(plural(static_cast<int64_t>(kernels), "kernel"), without ? concat(", ", without, " bodies by the evaluator") : "");
    // A correct build has a kernel for every body.
    if (kernels && without && host_isa() >= Isa::v3) finding.fine = false;
    all.push_back(finding);
  }
  for (DType t : {DType::f32, DType::f64}) {
    const Isa isa = static_cast<Isa>(matmul_kernels(t).isa);
    const bool fine = products_agree(t, seed);
    all.push_back({concat("matrix products, ", name(t)), concat(name(isa), fine ? "" : ": other bits than plain C++"), fine});
  }
  return all;
}

// --- The machine.

std::vector<Finding> machine_findings() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  const int affinity = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
  const int quota = cgroup_cpus();
  return {
      {"version", concat("monograph ", MONOGRAPH_VERSION, ", built by ",
#ifdef __clang__
                         "clang " __clang_version__
#else
                         "g++ " __VERSION__
#endif
                         )},
      {"instructions", concat(name(host_isa()), ", ", with_commas(static_cast<int64_t>(kernel_count())), " generated kernels")},
      {"threads", concat(num_threads(), affinity ? concat("; by affinity ", affinity) : "",
                         quota ? concat(", by cgroup ", quota) : ", no cgroup limit",
                         std::getenv("MONOGRAPH_NUM_THREADS") ? ", MONOGRAPH_NUM_THREADS is set" : "")},
  };
}

// --- Files.

// Whether a get_attr of this path reads the mode of a module, or the module itself. Neither is an attribute.
bool reads_module(const ir::Unit& unit, const std::string& path) {
  return unit.root() != nullptr && (unit.root()->holder(path, ir::kTraining) || unit.root()->holder(path, ir::kModuleObject));
}

// Says which attribute or weight the functions read and the file lacks; "" if it has all. A text or JSON file of one function may lack some.
std::string missing_parts(const ir::Unit& unit) {
  for (const auto& graph : unit.functions())
    for (const ir::Node* n : ir::NestedNodes(*graph)) {
      int at = -1;
      if (n->op() == ir::Op::GetAttr && (unit.root() == nullptr || unit.root()->find(n->target().name(), at) == nullptr) &&
          !reads_module(unit, n->target().name()))
        return concat("%", n->name(), " of ", graph->name(), " reads ", n->target().name(),
                      ", and no module in the file has it; save the graph as .mgraph, with its modules");
    }
  for (const ProgramTensor& p : parameters_of(unit))
    if (p.tensor->bytes().empty() && p.tensor->numel() > 0)
      return concat(
          p.name,
          " has no elements in this file, so the graph cannot run; a text or JSON file leaves weights out, a .mgraph file holds them");
  return "";
}

// Reads a PyTorch checkpoint, and compares the checksum of each entry of its archive.
std::string checked_checkpoint(const std::string& path) {
  const Model m = open_model(path);
  const MappedFile file(path);
  const std::span bytes(file.data(), file.size());
  if (m.checkpoint->zip) {
    const Archive archive(bytes, path);
    for (const ArchiveEntry& entry : archive.entries()) archive.read(entry, true);
  }
  const size_t tensors = pickle::named_tensors(m.checkpoint->content.value).size();
  return concat(to_string(m.format), ", ", plural(static_cast<int64_t>(tensors), "tensor"),
                m.checkpoint->zip ? "; checksums agree" : "; the older format has no checksums");
}

std::vector<Finding> file_findings(const std::string& path) {
  std::vector<Finding> all;
  auto check = [&](const char* what, auto&& f) {
    try {
      all.push_back({what, f(), true});
      return true;
    } catch (const Error& e) {
      all.push_back({what, e.what(), false});
      return false;
    }
  };
  std::unique_ptr<ir::Unit> unit;
  std::vector<RefusedFunction> refused;
  const bool read = check("reads", [&]() -> std::string {
    const FileFormat format = detect_format(path);
    if (format == FileFormat::Safetensors)
      return concat(to_string(format), ", ", plural(static_cast<int64_t>(load_safetensors(path).arrays.size()), "tensor"),
                    "; the format has no checksums");
    if (format == FileFormat::Numpy) return open_model(path).array ? "a NumPy array; the format has no checksums" : "";
    if (format == FileFormat::TorchCheckpoint) return checked_checkpoint(path);
    unit = format == FileFormat::Mgraph ? load_mgraph(path, true) : open_unit(path, false, &refused);
    return concat(to_string(format), "; structure, types and schemas of ",
                  plural(static_cast<int64_t>(unit->functions().size()), "function"), " are valid",
                  format == FileFormat::Mgraph ? "; checksums and content hashes agree" : "");
  });
  if (!read || !unit) return all;
  check("text", [&]() -> std::string {
    std::string difference;
    const auto again = ir::parse_unit(ir::to_text(*unit));
    MONOGRAPH_CHECK(ir::identical(*unit, *again, &difference), Value, "does not read back as it is: ", difference);
    return "reads back identical";
  });
  size_t unknown = 0;
  std::string first;
  for (const auto& g : unit->functions())
    for (const ir::Node* n : ir::NestedNodes(*g))
      if (exec::is_missing(*n) && unknown++ == 0) first = n->target().name();
  if (unknown)
    all.push_back({"operators",
                   concat(plural(static_cast<int64_t>(unknown), "call"), " of operators that this version lacks, first ", first), false});
  for (const RefusedFunction& f : refused) all.push_back({f.name, f.why(), false});
  if (const std::string lacks = missing_parts(*unit); !lacks.empty()) all.push_back({"weights", lacks, false});
  check("hash", [&] { return program_hash(*unit); });
  return all;
}

// --- Report.

bool report(const std::string& title, const std::vector<Finding>& findings, bool verdicts, bool json, Json& into) {
  bool fine = true;
  std::string text = concat(styled(title, TextStyle::Bold), "\n");
  const auto width = static_cast<size_t>(terminal_width());
  for (const Finding& f : findings) {
    fine = fine && f.fine;
    into[title][f.what] = verdicts ? Json({{"fine", f.fine}, {"result", f.result}}) : Json(f.result);
    const std::string word = verdicts ? (f.fine ? styled("ok    ", TextStyle::Green) : styled("WRONG ", TextStyle::Red)) : "";
    text += concat("  ", word, fit(f.what, 26), wrap(f.result, width, verdicts ? 34 : 28), "\n");
  }
  if (!json) out(text);
  return fine;
}

// Lists the names of torch that a Python program uses, and which of them Monograph lacks. The Python package does this, because it has Python's parser and
// PyTorch's names.
int doctor_of_program(const DoctorOptions& o) {
  MONOGRAPH_CHECK(o.files.size() == 1, Value, "doctor: one Python program at a time, but got ", o.files.size(), " files");
  const std::string python = python_with_package();
  std::vector<const char*> words{python.c_str(), "-m", "monograph", "doctor"};
  if (o.json) words.push_back("--json");
  words.push_back(o.files[0].c_str());
  words.push_back(nullptr);
  execvp(python.c_str(), const_cast<char* const*>(words.data()));
  fail(ErrorKind::Value, "doctor: ", o.files[0], " is a Python program, and no Python was found to read it: ", python, ": ",
       std::strerror(errno), ". Set MONOGRAPH_PYTHON to a Python that has the package monograph");
}

int doctor(const DoctorOptions& o) {
  if (std::ranges::any_of(o.files, [](const std::string& file) { return file.ends_with(".py") || file.ends_with(".ipynb"); }))
    return doctor_of_program(o);
  Json all;
  bool fine = true;
  for (const std::string& file : o.files) fine = report(printable(file), file_findings(file), true, o.json, all) && fine;
  if (o.files.empty()) {
    report("this machine", machine_findings(), false, o.json, all);
    fine = report("kernels against the evaluator, bit for bit, on random data", kernel_findings(o.seed), true, o.json, all);
    if (!o.json)
      out(fine ? styled("all is well", TextStyle::Green) + "\n"
               : styled("something is wrong", TextStyle::Red) + ": please report it with this text\n");
  }
  all["fine"] = fine;
  if (o.json) out(json_text(all, 1) + "\n");
  return fine ? kDone : kCheckFailed;
}

Action prepare(CLI::App& app) {
  auto o = std::make_shared<DoctorOptions>();
  app.add_option("FILE", o->files,
                 "Files to verify instead: checksums, structure, types, and that their text reads back identical. Of a Python program "
                 "(.py, .ipynb): which names of torch it uses that are missing here.");
  app.add_option("--seed", o->seed, "Seed of the data that kernels are checked on (default 0).")->type_name("N")->check(seed_number());
  app.add_flag("--json", o->json, "Print the findings as JSON.");
  return [o] { return doctor(*o); };
}

constexpr Example kExamples[] = {
    {"monograph doctor", "Versions, instruction sets, threads, and a check of every generated kernel."},
    {"monograph doctor tour.txt", "Checks that the file is complete and its graph valid; exit 3 if not."},
};

}  // namespace

const Verb kDoctor{
    "doctor",
    "[FILE…] [--json]",
    "check this installation, or files",
    "Without a file: prints versions, instruction sets and threads, and compares every generated kernel with the plain evaluator on "
    "random data, bit for bit. With files: verifies each. With a Python program: lists the names of torch that it and its imports use, and "
    "marks the missing ones, without running it; this needs a Python that has the package monograph. Exit 3 if something is wrong.",
    kExamples,
    prepare};

}  // namespace monograph::cli
