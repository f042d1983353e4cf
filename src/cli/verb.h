// The verbs of the program `monograph`: each is one Verb, in a file of its own.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"

namespace monograph::cli {

enum ExitCode : int {
  kDone = 0,
  kModelAtFault = 1,  // or the input
  kUsage = 2,
  kCheckFailed = 3,
  kOurFault = 70,  // sysexits.h's EX_SOFTWARE
};

// A command line that cannot be meant: exit 2. The second text is the way out.
class UsageError : public std::exception {
 public:
  UsageError(std::string message, std::string way_out) : message_(std::move(message)), way_out_(std::move(way_out)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& way_out() const { return way_out_; }

 private:
  std::string message_, way_out_;
};

struct Example {
  const char* command;  // run by tests/python/test_cli.py in a folder with tour.txt and x.npy
  const char* what;
};

// What a verb does once its options are read; gives the exit code.
using Action = std::function<int()>;

struct Verb {
  const char* name;
  const char* arguments;  // "FILE [options]"
  const char* summary;    // one line
  const char* about;      // the first paragraphs of its help
  std::span<const Example> examples;
  Action (*prepare)(CLI::App& app);  // declares the options
};

extern const Verb kTour, kInfo, kPrint, kRun, kBench, kConvert, kCompare, kView, kDoctor;
std::span<const Verb* const> verbs();

// Checks of options. CLI11's own let NaN pass, and take what does not fit 64 bits as the nearest that does.
CLI::Validator number_in(double low, double high);
CLI::Validator seed_number();

// "; did you mean 'NAME'?", or nothing where no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// Writes to standard output; Error (File) where that fails (a full disk).
void out(std::string_view text);

}  // namespace monograph::cli
