"""Freezes token numbers and embeddings of 50 sentences (1 to 128 tokens, Chinese and emoji too) from transformers and PyTorch.

    .venv-oracle/bin/python tools/oracle/freeze_minilm.py FOLDER_OF_THE_MODEL     (needs `pip install transformers` there)

writes tests/data/minilm/sentences.json: the text, the tokens, and the first 16 features of each embedding as 32-bit floats in hexadecimal.
"""

import json
import pathlib
import sys

import pinned  # noqa: F401
import torch
from transformers import AutoModel, AutoTokenizer

WORDS = "the quick brown fox jumps over a lazy dog while seven wizards quietly brew hot coffee in an old kitchen near the harbour".split()
SENTENCES = [
    "", "a", "Hello, world!", "A man is eating food.", "A man is eating a piece of bread.", "The girl is carrying a baby.",
    "A man is riding a horse.", "A woman is playing violin.", "Two men pushed carts through the woods.", "今天天气很好。", "我喜欢吃苹果和香蕉。",
    "机器学习改变世界", "I love 🍕 and 🍣!", "👩‍🚀🚀🌕", "Ünïcödé çhäräctérs are fün", "naïve café résumé", "ALL CAPS SENTENCE", "e=mc^2; F=ma",
    "http://example.com/path?query=1#part", "tabs\tand\nnewlines   and spaces", "supercalifragilisticexpialidocious", "don't can't won't",
    "3.14159 2.71828", "日本語のテキストです", "한국어 문장입니다", "Привет, мир", "مرحبا بالعالم", "\u200bzero\u200bwidth", "½ + ¼ = ¾", "😀",
]  # fmt: skip
SENTENCES += [" ".join(WORDS[(i * k) % len(WORDS)] for k in range(n)) for i, n in enumerate([3, 5, 8, 13, 21, 30, 34, 40, 45, 50, 55, 60, 70, 80, 90, 100, 110, 118, 124, 126], 1)]


def main() -> None:
    folder = sys.argv[1]
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    rows = []
    for text in SENTENCES:
        ids = tokenizer(text, truncation=True, max_length=128, return_tensors="pt")
        with torch.no_grad():
            hidden = model(**ids).last_hidden_state.mean(1)
        embedding = torch.nn.functional.normalize(hidden, dim=-1)[0]
        rows.append({"text": text, "tokens": ids["input_ids"][0].tolist(), "embedding": [float(v).hex() for v in embedding]})
    out = pathlib.Path(__file__).parent.parent / "tests/data/minilm/sentences.json"
    out.write_text(json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("},{", "},\n{") + "\n")
    print(f"{len(rows)} sentences of {min(len(r['tokens']) for r in rows)} to {max(len(r['tokens']) for r in rows)} tokens")


if __name__ == "__main__":
    main()
