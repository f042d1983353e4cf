// What the verbs print with: colour and width where a terminal is, tables, numbers for people, a bar for long work.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace monograph::cli {

// Columns of the terminal on standard output: its own width, else $COLUMNS, else 100 (a pipe).
int terminal_width();

// Marks for standard output; the text itself where it is no terminal, NO_COLOR is set or TERM is "dumb".
enum class TextStyle : uint8_t { Plain, Bold, Dim, Red, Green, Yellow, Blue };
std::string styled(std::string_view text, TextStyle m);

// Columns that a text takes on a terminal: marks take none, characters of several bytes one.
size_t columns_of(std::string_view text);
// Filled up with spaces, or cut with "…" where it is longer. Marked texts must not need cutting.
std::string fit(std::string_view text, size_t width, bool right = false);
// The paragraphs of a text, each in lines of at most `width`, the first line after `indent` columns that are there already.
std::string wrap(std::string_view text, size_t width, size_t indent);

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)), right_(header_.size()) {}
  TextTable& right(size_t column) {  // numbers
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

// What is being done and how far it is, on standard error where that is a terminal, from the third second on. It is drawn by a thread of its own, so
// that work of one piece (no total, at() never called) shows its seconds too.
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
