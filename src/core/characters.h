// The characters of names and numbers: ASCII, whatever the locale.
#pragma once

namespace monograph {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
// What an identifier begins with, and what it goes on with.
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_word(char c) { return is_letter(c) || is_digit(c); }

}  // namespace monograph
