// Text output of the verbs: colours, tables, line breaks, readable numbers, and a progress bar for long work.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace monograph::cli {

// The width in columns of the terminal on standard output; if it is none, $COLUMNS, else 100.
int terminal_width();

// Adds the escape codes of a style. Returns the text unchanged if standard output is no terminal, NO_COLOR is set or TERM is "dumb".
enum class TextStyle : uint8_t { Plain, Bold, Dim, Red, Green, Yellow, Blue };
std::string styled(std::string_view text, TextStyle m);

// How many columns a text takes on a terminal: escape codes take none, and a character takes one however many bytes it has.
size_t columns_of(std::string_view text);
// Pads the text with spaces to `width` columns, on the left if `right` is set, or cuts it and adds "…". A styled text must not be longer than `width`.
std::string fit(std::string_view text, size_t width, bool right = false);
// Breaks a text into lines of at most `width` columns. Lines are indented by `indent` spaces, except the first, which follows `indent` printed columns.
std::string wrap(std::string_view text, size_t width, size_t indent);

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)), right_(header_.size()) {}
  TextTable& right(size_t column) {  // aligns a column to the right, for numbers
    right_[column] = true;
    return *this;
  }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  // If the table is wider than `width`, the widest column is cut.
  std::string to_string(size_t width, size_t indent = 0) const;

 private:
  std::vector<std::string> header_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

std::string with_commas(int64_t n);  // 22,713,216
std::string bytes_text(uint64_t bytes);  // 90.9 MB
std::string scaled(double v);  // 2.4 G, to be followed by a unit
std::string seconds_text(double s);  // 1.23 ms
std::string plural(int64_t n, std::string_view word);  // "1 node", "12 nodes", "2 entries"

// Replaces control characters by "?". Names come from files, and a terminal could take these characters as commands.
std::string printable(std::string_view text);

// Shows on standard error, if that is a terminal, what is being done and how far it is. It appears after two seconds. Another thread draws it, so it also shows
// the seconds of work that has no total and never calls at().
class Progress {
 public:
  explicit Progress(std::string_view title, size_t total = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void at(size_t done) { done_.store(done, std::memory_order_relaxed); }

 private:
  void draw_until_stopped(const std::stop_token& stop) const;
  std::string title_;
  size_t total_;
  std::atomic<size_t> done_{0};
  std::jthread drawer_;
};

}  // namespace monograph::cli
