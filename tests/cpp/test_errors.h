// What tests of errors share: the text of the error that a call ends with, and what it has to say.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/error.h"

namespace monograph::test {

// The text of the error that f ends with, or "" where it ends without one.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The same where only an error of this file will do, whose text begins with the file's name.
template <class F>
std::string refusal_of(std::string_view file, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::File) << text;
    EXPECT_TRUE(text.starts_with(concat(file, ": "))) << text;
    return text;
  }
  return "";
}

#define EXPECT_SAYS(text, part) \
  do { \
    const std::string& said = (text); \
    EXPECT_NE(said.find(part), std::string::npos) << "it says: '" << said << "'"; \
  } while (0)

}  // namespace monograph::test
