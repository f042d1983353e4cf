/* WordPiece as BERT's uncased models use it: text to token numbers. A small library of its own; nothing of Monograph is needed.
 *
 * The steps, in the order of the original: control characters go, white space becomes a space, Chinese characters stand alone, letters are
 * decomposed and lose their accents, then their case; words end at spaces and punctuation; each word becomes the longest pieces that the
 * vocabulary has, or [UNK]. Tokens begin with [CLS] and end with [SEP]. Bytes that are no UTF-8 go like control characters. Special tokens
 * written out in the text ("[SEP]") are text. */
#ifndef WORDPIECE_H
#define WORDPIECE_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct wordpiece wordpiece;

/* Reads a vocabulary, one token a line. Null where that fails; `error`, if not null, then holds at most `size` bytes of what is wrong. */
wordpiece* wordpiece_open(const char* vocabulary_path, char* error, size_t size);
void wordpiece_close(wordpiece* tokenizer);

/* The tokens of `bytes` bytes of UTF-8, cut to `capacity`, which counts [CLS] and [SEP] and is at least 2. Gives their number.
 * Any number of threads may use one tokenizer. */
size_t wordpiece_encode(const wordpiece* tokenizer, const char* text, size_t bytes, int32_t* tokens, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
