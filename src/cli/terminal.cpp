// Widths are counted in columns of a terminal, one for each UTF-8 character. A thread waits two seconds and then draws the progress bar ten times a second.
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "core/error.h"

namespace monograph::cli {
namespace {

bool coloured() {
  static const bool on = [] {
    const char *no = std::getenv("NO_COLOR"), *term = std::getenv("TERM");
    return isatty(STDOUT_FILENO) != 0 && (no == nullptr || *no == '\0') && !(term != nullptr && std::strcmp(term, "dumb") == 0);
  }();
  return on;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string number(double v, int digits) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.*f", digits, v);
  return text.data();
}
// Three significant digits.
std::string three_digits(double v) { return number(v, v < 9.995 ? 2 : v < 99.95 ? 1 : 0); }

}  // namespace

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::max<int>(40, size.ws_col);
  const char* columns = std::getenv("COLUMNS");
  const int n = columns ? std::atoi(columns) : 0;
  return n >= 40 ? n : 100;
}

std::string styled(std::string_view text, TextStyle m) {
  static constexpr const char* kCodes[] = {"", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m", "\033[34m"};
  if (!coloured() || m == TextStyle::Plain) return std::string(text);
  return concat(kCodes[static_cast<int>(m)], text, "\033[0m");
}

size_t columns_of(std::string_view text) {
  size_t n = 0;
  for (size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\033') k = std::min(text.find('m', k), text.size());
    else n += !continues(text[k]);
  }
  return n;
}

std::string fit(std::string_view text, size_t width, bool right) {
  const size_t columns = columns_of(text);
  if (columns <= width) {
    const std::string space(width - columns, ' ');
    return right ? space + std::string(text) : std::string(text) + space;
  }
  size_t end = 0;
  for (size_t n = 0; end < text.size() && n + 1 < width; ++n) do
      ++end;
    while (end < text.size() && continues(text[end]));
  return concat(text.substr(0, end), "…");
}

std::string wrap(std::string_view text, size_t width, size_t indent) {
  std::string out;
  const std::string margin(indent, ' ');
  size_t column = indent;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\n') {
      out += "\n" + margin, column = indent, ++at;
      continue;
    }
    const size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const size_t columns = columns_of(word);
    const bool first = column == indent;
    if (!first && column + 1 + columns > width) out += "\n" + margin, column = indent;
    else if (!first) out += ' ', ++column;
    out += word, column += columns;
    at = end + (end < text.size() && text[end] == ' ');
  }
  return out;
}

std::string TextTable::to_string(size_t width, size_t indent) const {
  std::vector<size_t> widths;
  for (const std::string& h : header_) widths.push_back(columns_of(h));
  for (const auto& row : rows_)
    for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], columns_of(row[k]));
  size_t total = indent + 2 * (widths.size() - 1);
  for (size_t w : widths) total += w;
  auto widest = std::max_element(widths.begin(), widths.end());
  if (total > width) *widest = std::max<size_t>(8, *widest - std::min(*widest, total - width));
  std::string out;
  auto line = [&](const std::vector<std::string>& cells, TextStyle m) {
    std::string text(indent, ' ');
    for (size_t k = 0; k < cells.size(); ++k) text += styled(fit(cells[k], widths[k], right_[k]), m) + (k + 1 < cells.size() ? "  " : "");
    while (text.ends_with(' ')) text.pop_back();
    out += text + "\n";
  };
  if (std::any_of(header_.begin(), header_.end(), [](const std::string& h) { return !h.empty(); })) line(header_, TextStyle::Dim);
  for (const auto& row : rows_) line(row, TextStyle::Plain);
  return out;
}

std::string with_commas(int64_t n) {
  std::string digits = std::to_string(n < 0 ? -n : n);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return n < 0 ? "-" + digits : digits;
}

std::string bytes_text(uint64_t bytes) {
  if (bytes < 1000) return plural(static_cast<int64_t>(bytes), "byte");
  return scaled(static_cast<double>(bytes)) + "B";
}

std::string scaled(double v) {
  static constexpr const char* kUnits[] = {" ", " k", " M", " G", " T", " P", " E"};
  size_t unit = 0;
  while (v >= 999.5 && unit + 1 < std::size(kUnits)) v /= 1000, ++unit;
  return (unit ? three_digits(v) : number(v, 0)) + kUnits[unit];
}

std::string seconds_text(double s) {
  if (s < 999.5e-9) return three_digits(s * 1e9) + " ns";
  if (s < 999.5e-6) return three_digits(s * 1e6) + " µs";
  if (s < 999.5e-3) return three_digits(s * 1e3) + " ms";
  return three_digits(s) + " s";
}

std::string plural(int64_t n, std::string_view word) {
  std::string out = concat(with_commas(n), " ", word);
  if (n == 1) return out;
  const bool y = out.ends_with('y') && !out.ends_with("ay");
  if (y) out.pop_back();
  return out + (y ? "ies" : "s");
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return out;
}

Progress::Progress(std::string_view title, size_t total) : title_(title), total_(total) {
  if (isatty(STDERR_FILENO)) drawer_ = std::jthread([this](const std::stop_token& stop) { draw_until_stopped(stop); });
}

Progress::~Progress() = default;

void Progress::draw_until_stopped(const std::stop_token& stop) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  bool drawn = false;
  // wait_for returns true only when the destructor stops the thread.
  for (auto pause = std::chrono::milliseconds(2000); !wake.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); });
       pause = std::chrono::milliseconds(100), drawn = true) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    std::string bar = concat(static_cast<int>(seconds), " s");
    if (total_) {
      const double part = std::min(1.0, static_cast<double>(done_.load(std::memory_order_relaxed)) / static_cast<double>(total_));
      bar.clear();
      for (int k = 0; k < 24; ++k) bar += k < static_cast<int>(part * 24) ? "█" : "░";
      bar +=
          concat(" ", static_cast<int>(part * 100), " %, ", static_cast<int>(seconds / std::max(part, 0.01) * (1 - part) + 0.5), " s left");
    }
    std::fprintf(stderr, "\r\033[K%s  %s", title_.c_str(), bar.c_str());
  }
  if (drawn) std::fputs("\r\033[K", stderr);
}

}  // namespace monograph::cli
