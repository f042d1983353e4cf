// The verbs of the program `monograph`. Each verb is a Verb in its own file.
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
  kModelAtFault = 1,  // an error in the model, the file or an input
  kUsage = 2,
  kCheckFailed = 3,
  kOurFault = 70,  // a bug in Monograph; EX_SOFTWARE in sysexits.h
};

// An unknown or invalid verb, option or argument. The program prints the message, then the way out, and exits with kUsage.
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

// Runs a verb after its options are read. Returns the exit code.
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

// Checks that the value of an option is a number in this range. CLI11's own check accepts NaN, and clamps numbers that do not fit in 64 bits.
CLI::Validator number_in(double low, double high);
// Checks that it is a whole number from 0 to 2^64 - 1.
CLI::Validator seed_number();

// "; did you mean 'NAME'?" with the candidate nearest to `word`, or "" if none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// Writes to standard output. Error (File) if that fails, for example because the disk is full.
void out(std::string_view text);

}  // namespace monograph::cli
