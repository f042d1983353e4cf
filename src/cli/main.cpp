// The main function of the program `monograph`: finds the verb, reads its options, and turns every error into a message and an exit code.
#include <signal.h>
#include <unistd.h>
#include <CLI/App.hpp>

#include <CLI/Error.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>

#include "autograd/engine.h"
#include "capture/capture.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace monograph::cli {

void out(std::string_view text) {
  MONOGRAPH_CHECK(std::fwrite(text.data(), 1, text.size(), stdout) == text.size(), File, "standard output: ", std::strerror(errno));
}

std::span<const Verb* const> verbs() {
  static constexpr const Verb* kAll[] = {&kTour, &kInfo, &kPrint, &kRun, &kBench, &kConvert, &kCompare, &kView, &kDoctor};
  return kAll;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  std::vector<std::string_view> views(candidates.begin(), candidates.end());
  std::string near = nearest(word, views.data(), views.size());
  // Two letters in the wrong order are two edits, too many for a short word.
  for (size_t k = 1; near.empty() && k < word.size(); ++k) {
    std::string swapped(word);
    std::swap(swapped[k - 1], swapped[k]);
    if (std::find(candidates.begin(), candidates.end(), swapped) != candidates.end()) near = swapped;
  }
  return near.empty() ? "" : concat("; did you mean '", near, "'?");
}

namespace {

std::string program_help() {
  std::string text =
      "usage: monograph VERB [FILE…] [options]\n\n"
      "The graph toolkit for PyTorch-style functions and modules. The content of a file decides its format, not its name.\n\n";
  for (const Verb* v : verbs()) text += concat("  ", styled(fit(v->name, 10), TextStyle::Bold), v->summary, "\n");
  text +=
      "\nexamples:\n"
      "  monograph tour --save tour.txt\n"
      "      shows a captured graph, and saves it, so that you can try the other verbs\n"
      "  monograph run tour.txt --input text:1,2,3:float32\n"
      "      runs it\n\n"
      "`monograph VERB --help` explains a verb; `monograph --version` prints the version.\n"
      "exit codes: 0 success, 1 an error in the graph or an input, 2 an unknown or invalid argument, 3 a check failed, 70 a bug in "
      "Monograph\n";
  return text;
}

std::string verb_help(const Verb& verb, const CLI::App& app) {
  const auto width = static_cast<size_t>(std::min(terminal_width(), 110));
  std::string text = concat("usage: monograph ", verb.name, " ", verb.arguments, "\n\n", wrap(verb.about, width, 0), "\n\n");
  for (const CLI::Option* o : app.get_options()) {
    std::string left = o->get_positional() ? o->get_name(true) : o->get_name();
    // CLI11 appends the description of a check to the type's name.
    const std::string type = o->get_type_name();
    if (!o->get_positional() && !type.empty()) left += " " + type.substr(0, type.find(':'));
    const size_t column = 24;
    text += "  " + (left.size() + 3 > column ? left + "\n" + std::string(column, ' ') : fit(left, column - 2));
    text += wrap(o->get_description(), width, column) + "\n";
  }
  text += "\nexamples:\n";
  for (const Example& e : verb.examples) text += concat("  ", e.command, "\n      ", wrap(e.what, width, 6), "\n");
  return text;
}

const Verb& find_verb(std::string_view word) {
  std::vector<std::string> names;
  for (const Verb* v : verbs()) {
    if (word == v->name) return *v;
    names.emplace_back(v->name);
  }
  const std::string near = did_you_mean(word, names);
  if (std::error_code ignored; near.empty() && std::filesystem::exists(std::filesystem::path(word), ignored))
    throw UsageError(concat("a verb must come before the file '", printable(word), "'"),
                     concat("for example `monograph info ", printable(word), "`; `monograph --help` lists the verbs"));
  throw UsageError(concat("unknown verb '", printable(word), "'", near), "`monograph --help` lists the verbs");
}

// Reports a misspelt option. CLI11 would report a missing argument first.
void check_option_names(const CLI::App& app, const Verb& verb, std::span<char* const> words) {
  std::vector<std::string> names;
  for (const CLI::Option* o : app.get_options())
    for (const std::string& n : o->get_lnames()) names.push_back("--" + n);
  for (std::string_view word : words) {
    if (word == "--") return;
    if (!word.starts_with("--")) continue;
    const std::string_view name = word.substr(0, word.find('='));
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UsageError(concat(verb.name, " has no option '", printable(name), "'", did_you_mean(name, names)),
                       concat("`monograph ", verb.name, " --help` lists the options"));
  }
}

int run_verb(const Verb& verb, std::span<char* const> words) {
  CLI::App app("", verb.name);
  app.set_help_flag();
  bool help = false;
  Action action = verb.prepare(app);
  app.add_flag("-h,--help", help, "Show this text.");
  // --help works even if required arguments are missing.
  for (std::string_view word : words) help = help || word == "--help" || word == "-h";
  if (help) {
    out(verb_help(verb, app));
    return kDone;
  }
  check_option_names(app, verb, words);
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& e) {
    std::string what = e.what();
    if (what.ends_with(" missing")) what = what.substr(0, what.find(':')) + " needs a value";  // CLI11: "--form: 1 required FORM missing"
    std::string usage = concat("usage: monograph ", verb.name, " ", verb.arguments);
    const auto array = std::ranges::find_if(words, [](std::string_view word) { return word.ends_with(".npy"); });
    if (dynamic_cast<const CLI::ExtrasError*>(&e) && usage.find("--input") != std::string::npos && array != words.end())
      usage = concat("an input is given as --input ", printable(*array), "\n  ", usage);
    throw UsageError(concat(verb.name, ": ", what), usage);
  }
  capture::use_operators();
  return action();
}

int dispatch(std::span<char* const> words) {
  if (words.empty()) {
    std::fputs(program_help().c_str(), stderr);
    return kUsage;
  }
  const std::string_view first = words[0];
  if (first == "--help" || first == "-h" || first == "help") {
    if (words.size() < 2) {
      out(program_help());
      return kDone;
    }
    char help[] = "--help";
    char* ask[] = {help};
    return run_verb(find_verb(words[1]), ask);
  }
  if (first == "--version") {
    out(concat("monograph ", MONOGRAPH_VERSION, "\n"));
    return kDone;
  }
  if (first.starts_with("-"))
    throw UsageError(concat("unknown option '", printable(first), "' before the verb"), "`monograph --help` lists the options");
  return run_verb(find_verb(first), words.subspan(1));
}

int complain(std::string_view message, int code) {
  std::fflush(stdout);
  std::fprintf(stderr, "monograph: error: %.*s\n", static_cast<int>(message.size()), message.data());
  return code;
}

int run(std::span<char* const> words) {
  try {
    const int code = dispatch(words);
    MONOGRAPH_CHECK(std::fflush(stdout) == 0, File, "standard output: ", std::strerror(errno));
    return code;
  } catch (const UsageError& e) {
    return complain(concat(e.what(), "\n  ", e.way_out()), kUsage);
  } catch (const Error& e) {
    return complain(e.what(), kModelAtFault);
  } catch (const std::filesystem::filesystem_error& e) {
    return complain(concat(printable(e.path1().string()), ": ", e.code().message()), kModelAtFault);
  } catch (const std::bad_alloc&) {
    return complain("out of memory: the model or its inputs need more than this machine gives\n  smaller inputs may do (--dim, --input)",
                    kModelAtFault);
  } catch (const std::exception& e) {
    return complain(concat("a bug in Monograph, not in your model: ", e.what(),
                           "\n  please report it with this command line, the file, and what `monograph doctor` prints"),
                    kOurFault);
  }
}

// Reports a crash like any other bug, with a message and an exit code. A signal handler may call only a few functions, such as write.
extern "C" void crashed(int number) {
  constexpr std::string_view kText =
      "\nmonograph: error: a bug in Monograph, not in your model: it crashed\n"
      "  please report it with this command line, the file, and what `monograph doctor` prints\n";
  constexpr std::string_view kCut = "\nmonograph: error: a file became shorter while it was read\n";
  const std::string_view text = number == SIGBUS ? kCut : kText;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  _exit(number == SIGBUS ? kModelAtFault : kOurFault);
}

// The handler has its own stack, because a stack overflow is a crash too. Under a sanitizer its own handlers stay, which say more.
void catch_crashes() {
#ifndef MONOGRAPH_SANITIZED
  static std::array<char, 1 << 16> stack;
  stack_t own{};
  own.ss_sp = stack.data(), own.ss_size = stack.size();
  sigaltstack(&own, nullptr);
  struct sigaction action{};
  action.sa_handler = crashed;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(number, &action, nullptr);
#endif
}

}  // namespace
}  // namespace monograph::cli

// main calls it (program/main.cpp), from outside of the shared library.
extern "C" [[gnu::visibility("default")]] int monograph_command(int argc, char** argv) {
  monograph::cli::catch_crashes();
  monograph::install_autograd();  // for graphs that compute gradients themselves
  return monograph::cli::run(std::span<char* const>(argv, static_cast<size_t>(argc)).subspan(argc > 0 ? 1 : 0));
}
