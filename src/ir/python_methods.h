// The methods of Python's lists, dicts and strs that the operators of a graph have the names of: aten::append(l, 1) is l.append(1).
#pragma once

#include <string_view>

namespace monograph::ir {

inline constexpr std::string_view kListMethods[] = {"append", "extend", "insert",  "pop",  "remove", "clear",
                                                    "index",  "count",  "reverse", "sort", "copy"};
inline constexpr std::string_view kDictMethods[] = {"keys",       "values", "items", "get",  "pop",
                                                    "setdefault", "update", "clear", "copy", "popitem"};
inline constexpr std::string_view kStrMethods[] = {
    "upper",       "lower",   "capitalize", "title",   "swapcase", "strip",      "lstrip",    "rstrip",     "split",    "rsplit",
    "splitlines",  "join",    "find",       "rfind",   "index",    "rindex",     "count",     "startswith", "endswith", "replace",
    "isupper",     "islower", "isdigit",    "isalpha", "isalnum",  "isspace",    "isdecimal", "isnumeric",  "istitle",  "isidentifier",
    "isprintable", "center",  "ljust",      "rjust",   "zfill",    "expandtabs", "partition", "rpartition", "format"};

}  // namespace monograph::ir
