// Names of nodes, by torch.fx's rule, so that graphs and code read as they do there.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/characters.h"
#include "ir/graph.h"
#include "ir/node_names.h"
#include "ir/text.h"

namespace monograph::ir {
namespace {

// Python 3.11's keywords and builtins, and the names that generated code has at its head: no node may hide them. Sorted.
constexpr std::string_view kTaken[] = {"ArithmeticError",
                                       "AssertionError",
                                       "AttributeError",
                                       "BaseException",
                                       "BaseExceptionGroup",
                                       "BlockingIOError",
                                       "BrokenPipeError",
                                       "BufferError",
                                       "BytesWarning",
                                       "ChildProcessError",
                                       "ConnectionAbortedError",
                                       "ConnectionError",
                                       "ConnectionRefusedError",
                                       "ConnectionResetError",
                                       "DeprecationWarning",
                                       "EOFError",
                                       "Ellipsis",
                                       "EncodingWarning",
                                       "EnvironmentError",
                                       "Exception",
                                       "ExceptionGroup",
                                       "False",
                                       "FileExistsError",
                                       "FileNotFoundError",
                                       "FloatingPointError",
                                       "FutureWarning",
                                       "GeneratorExit",
                                       "IOError",
                                       "ImportError",
                                       "ImportWarning",
                                       "IndentationError",
                                       "IndexError",
                                       "InterruptedError",
                                       "IsADirectoryError",
                                       "KeyError",
                                       "KeyboardInterrupt",
                                       "LookupError",
                                       "MemoryError",
                                       "ModuleNotFoundError",
                                       "NameError",
                                       "None",
                                       "NoneType",
                                       "NotADirectoryError",
                                       "NotImplemented",
                                       "NotImplementedError",
                                       "OSError",
                                       "OverflowError",
                                       "PendingDeprecationWarning",
                                       "PermissionError",
                                       "ProcessLookupError",
                                       "RecursionError",
                                       "ReferenceError",
                                       "ResourceWarning",
                                       "RuntimeError",
                                       "RuntimeWarning",
                                       "StopAsyncIteration",
                                       "StopIteration",
                                       "SyntaxError",
                                       "SyntaxWarning",
                                       "SystemError",
                                       "SystemExit",
                                       "TabError",
                                       "TimeoutError",
                                       "True",
                                       "TypeError",
                                       "UnboundLocalError",
                                       "UnicodeDecodeError",
                                       "UnicodeEncodeError",
                                       "UnicodeError",
                                       "UnicodeTranslateError",
                                       "UnicodeWarning",
                                       "UserWarning",
                                       "ValueError",
                                       "Warning",
                                       "ZeroDivisionError",
                                       "__build_class__",
                                       "__debug__",
                                       "__doc__",
                                       "__import__",
                                       "__loader__",
                                       "__name__",
                                       "__package__",
                                       "__spec__",
                                       "abs",
                                       "aiter",
                                       "all",
                                       "and",
                                       "anext",
                                       "any",
                                       "as",
                                       "ascii",
                                       "assert",
                                       "async",
                                       "await",
                                       "bin",
                                       "bool",
                                       "break",
                                       "breakpoint",
                                       "bytearray",
                                       "bytes",
                                       "callable",
                                       "chr",
                                       "class",
                                       "classmethod",
                                       "compile",
                                       "complex",
                                       "continue",
                                       "copyright",
                                       "credits",
                                       "def",
                                       "del",
                                       "delattr",
                                       "device",
                                       "dict",
                                       "dir",
                                       "divmod",
                                       "elif",
                                       "else",
                                       "enumerate",
                                       "eval",
                                       "except",
                                       "exec",
                                       "exit",
                                       "filter",
                                       "finally",
                                       "float",
                                       "for",
                                       "format",
                                       "from",
                                       "frozenset",
                                       "fx_pytree",
                                       "fx_pytree",
                                       "getattr",
                                       "global",
                                       "globals",
                                       "hasattr",
                                       "hash",
                                       "help",
                                       "hex",
                                       "id",
                                       "if",
                                       "import",
                                       "in",
                                       "inf",
                                       "input",
                                       "int",
                                       "is",
                                       "isinstance",
                                       "issubclass",
                                       "iter",
                                       "lambda",
                                       "len",
                                       "license",
                                       "list",
                                       "locals",
                                       "map",
                                       "max",
                                       "memoryview",
                                       "min",
                                       "nan",
                                       "next",
                                       "nonlocal",
                                       "not",
                                       "object",
                                       "oct",
                                       "open",
                                       "or",
                                       "ord",
                                       "pass",
                                       "pow",
                                       "print",
                                       "property",
                                       "pytree",
                                       "quit",
                                       "raise",
                                       "range",
                                       "repr",
                                       "return",
                                       "reversed",
                                       "round",
                                       "set",
                                       "setattr",
                                       "slice",
                                       "sorted",
                                       "staticmethod",
                                       "str",
                                       "sum",
                                       "super",
                                       "torch",
                                       "try",
                                       "tuple",
                                       "type",
                                       "vars",
                                       "while",
                                       "with",
                                       "yield",
                                       "zip"};

// Where those with each first character begin.
constexpr auto kTakenFrom = [] {
  std::array<size_t, 129> from{};
  for (size_t c = 0, at = 0; c < from.size(); from[c++] = at)
    while (at < std::size(kTaken) && static_cast<size_t>(kTaken[at][0]) < c) ++at;
  return from;
}();

// "add_12" is "add" and 12; -1 where there is no number, or one too long to count.
std::pair<std::string_view, int64_t> split(std::string_view name) {
  size_t at = name.size();
  while (at > 0 && is_digit(name[at - 1])) --at;
  size_t digits = name.size() - at;
  if (digits == 0 || digits > 17 || at < 2 || name[at - 1] != '_') return {name, -1};
  int64_t number = 0;
  for (char c : name.substr(at)) number = number * 10 + (c - '0');
  return {name.substr(0, at - 1), number};
}

}  // namespace

bool is_python_name(std::string_view name) {
  const size_t first = name.empty() ? 128 : static_cast<unsigned char>(name[0]);
  if (first >= 128) return false;
  const auto *begin = kTaken + kTakenFrom[first], *end = kTaken + kTakenFrom[first + 1];
  return std::find(begin, end, name) != end;
}

// Writes the candidate as a name of Python. Runs of other characters become one "_". Not inlined, or each use of a thread's text would look for it again.
[[gnu::noinline]] static void write_name(std::string_view candidate, std::string& name) {
  name.resize(candidate.size());
  char* end = name.data();
  bool word = true;
  for (const char c : candidate) {
    const bool before = std::exchange(word, is_word(c));
    if (word) *end++ = c;
    else if (before) *end++ = '_';
  }
  name.resize(static_cast<size_t>(end - name.data()));
  if (name.empty()) name = "_unnamed";
  if (is_digit(name[0])) name.insert(0, "_");
}

const std::string* Graph::unique_name(std::string_view candidate) {
  thread_local std::string t_name;  // keeps its memory
  std::string& name = t_name;
  write_name(candidate, name);
  auto [base_view, number] = split(name);
  const size_t base = base_view.size();
  bool fresh = false;
  const std::string* added = is_python_name(name) ? nullptr : strings_.add_name(name, &fresh);  // looked up and taken in one step
  if (fresh && number < 0) return added;  // the most frequent case
  const auto found = name_counts_.find(base_view);
  const int64_t last = found == name_counts_.end() ? 0 : found->second;
  const auto numbered = [&](int64_t k) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, k).ptr;
    name.resize(base);
    name.append("_").append(digits, end);
  };
  if (!fresh) number = last;
  while (!fresh) {  // the first number that is free
    numbered(++number);
    added = strings_.add_name(name, &fresh);
  }
  if (number != last) {
    if (found != name_counts_.end()) found->second = number;
    else name_counts_.emplace(name.substr(0, base), number);
  }
  return added;
}

const std::string* Graph::exact_name(std::string_view name) {
  MONOGRAPH_CHECK(!name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == '.'; }), Value, "'", name,
                  "' cannot name a node: a name consists of letters, digits, '_' and '.'");
  bool fresh;
  const std::string* result = strings_.add_name(name, &fresh);
  MONOGRAPH_CHECK(fresh, Value, "the name %", name, " is used twice");
  auto [base, number] = split(name);
  if (number > 0) {
    auto& count = name_counts_[std::string(base)];
    count = std::max(count, number);
  }
  return result;
}

// What a node is called when nobody says: the last word of its target, in snake case.
std::string default_name(Op op, std::string_view target) {
  if (op == Op::Output) return "output";
  if (size_t colons = target.find("::"); colons != std::string_view::npos && op == Op::CallFunction) {
    target.remove_prefix(colons + 2);
    target = target.substr(0, target.find('.'));
  } else if (op == Op::CallFunction && target.starts_with("torch.ops.")) {  // torch.ops.aten.add.Tensor: add_tensor, as torch.fx
    target.remove_prefix(10);
    target.remove_prefix(std::min(target.find('.') + 1, target.size()));
  } else if (op == Op::CallFunction) {
    if (size_t dot = target.rfind('.'); dot != std::string_view::npos) target.remove_prefix(dot + 1);
  }
  if (target.size() > 4 && target.starts_with("__") && target.ends_with("__")) target = target.substr(2, target.size() - 4);
  if (op == Op::Placeholder)
    while (target.starts_with("*")) target.remove_prefix(1);
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string name(target);
  if (std::ranges::none_of(target, is_upper)) return name;
  name.clear();
  for (size_t i = 0; i < target.size(); ++i) {
    const char c = target[i];
    if (is_upper(c) && i > 0 && target[i - 1] >= 'a' && target[i - 1] <= 'z') name += '_';  // words begin with "_"
    name += is_upper(c) && op != Op::Placeholder ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

std::string name_without_number(std::string_view name) { return std::string(split(name).first); }

bool has_default_name(const Node& n) {
  if (n.op() == Op::Placeholder)
    return n.block()->owner() && n.block()->owner()->is_loop() && n.block()->first() == &n && name_without_number(n.name()) == kCounterName;
  const Node& named = n.is_projection() ? *n.input(0) : n;
  const std::string base = name_without_number(n.name());
  return base == "getitem" || base == default_name(named.op(), named.target().name());
}

}  // namespace monograph::ir
