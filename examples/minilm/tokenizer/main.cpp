// wordpiece VOCABULARY < sentences: the token numbers of each line, at most 128, on a line of its own.
#include <cstdio>
#include <iostream>
#include <string>

#include "wordpiece.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: wordpiece VOCABULARY < sentences\n", stderr);
    return 2;
  }
  char error[512];
  wordpiece* tokenizer = wordpiece_open(argv[1], error, sizeof error);
  if (!tokenizer) {
    std::fprintf(stderr, "wordpiece: error: %s\n", error);
    return 1;
  }
  int32_t tokens[128];
  for (std::string line; std::getline(std::cin, line);) {
    const size_t n = wordpiece_encode(tokenizer, line.data(), line.size(), tokens, std::size(tokens));
    for (size_t k = 0; k < n; ++k) std::printf(k ? " %d" : "%d", tokens[k]);
    std::putchar('\n');
  }
  wordpiece_close(tokenizer);
}
