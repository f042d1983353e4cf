// What the verbs print with: colour and width where a terminal is, tables, numbers for people, a bar for long work.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace monograph::cli {

// Columns of the terminal on standard output: its own width, else $COLUMNS, else 100 (a pipe).
int terminal_width();

// Marks for standard output; the text itself where it is no terminal, NO_COLOR is set or TERM is "dumb".
enum class Mark : uint8_t { Plain, Bold, Dim, Red, Green, Yellow, Blue };
std::string mark(std::string_view text, Mark m);

// Columns that a text takes on a terminal: marks take none, characters of several bytes one.
size_t columns_of(std::string_view text);
// Filled up with spaces, or cut with "…" where it is longer. Marked texts must not need cutting.
std::string fit(std::string_view text, size_t width, bool right = false);
// The paragraphs of a text, each in lines of at most `width`, the first line after `indent` columns that are there already.
std::string wrap(std::string_view text, size_t width, size_t indent);

class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)), right_(header_.size()) {}
  Table& right(size_t column) {  // numbers
    right_[column] = true;
    return *this;
  }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  // The widest column that is too wide for `width` is cut.
  std::string to_string(size_t width, size_t indent = 0) const;

 private:
  std::vector<std::string> header_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

std::string with_commas(int64_t n);      // 22,713,216
std::string bytes_text(uint64_t bytes);  // 90.9 MB
std::string scaled(double v);            // 2.4 G, for counts of operations
std::string seconds_text(double s);      // 1.23 ms
std::string plural(int64_t n, std::string_view word);  // "1 node", "12 nodes", "2 entries"

// Bytes that a terminal could take for commands are shown as "?": names come from files.
std::string printable(std::string_view text);

// A bar on standard error, where that is a terminal, for work that has taken more than two seconds.
class Progress {
 public:
  explicit Progress(std::string_view title, size_t total = 0) : title_(title), total_(total) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void at(size_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_;
  size_t total_;
  Clock::time_point begin_ = Clock::now(), shown_ = begin_;
  bool drawn_ = false;
};

}  // namespace monograph::cli
