"""Encodes texts with the `tokenizers` library, as reference for the TypeScript tokenizer.

pip install tokenizers
python make_ids.py    # reads tokenizer.json beside this file, writes ids.json
"""

import json
import pathlib
import random

from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).parent
RANGES = [(0x20, 0x7F), (0x20, 0x7F), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x5FF), (0x900, 0x97F),
          (0x2000, 0x206F), (0x3000, 0x30FF), (0x4E00, 0x4EFF), (0xFF00, 0xFF60), (0x1F600, 0x1F64F)]
PARTS = ['{"kind":"', '{"kind":"note","title":"', '","tags":["', '"],"price":', "<|user|>", "<|end|>", "<|pad",
         "truth", "12345", "  ", "\n\n", "\r\n", "\t", "学而", "'", '"', "\u0085", "\ufeff", "\ufffd", "", "e\u0301"]


def random_text(rng: random.Random) -> str:
    parts = []
    for _ in range(rng.randrange(1, 12)):
        if rng.random() < 0.4:
            parts.append(rng.choice(PARTS))
        else:
            low, high = rng.choice(RANGES)
            parts.append("".join(chr(rng.randrange(low, high)) for _ in range(rng.randrange(1, 5))))
    return "".join(parts)


def main() -> None:
    rng = random.Random(0)
    texts = (HERE / "corpus.txt").read_text(encoding="utf-8").split("\n") + [random_text(rng) for _ in range(300)]
    tokenizer = Tokenizer.from_file(str(HERE / "tokenizer.json"))
    cases = []
    for text in texts:
        tokenizer.encode_special_tokens = True
        typed = tokenizer.encode(text).ids
        tokenizer.encode_special_tokens = False
        special = tokenizer.encode(text).ids
        decoded = tokenizer.decode(special, skip_special_tokens=False)
        cases.append({"text": text, "ids": typed, "idsWithSpecial": special, "decoded": decoded})
    broken = []
    for _ in range(60):
        ids = [rng.randrange(tokenizer.get_vocab_size()) for _ in range(rng.randrange(1, 12))]
        broken.append({"ids": ids, "text": tokenizer.decode(ids, skip_special_tokens=False)})
    out = {"cases": cases, "decode": broken}
    (HERE / "ids.json").write_text(json.dumps(out, ensure_ascii=True, separators=(",", ":")) + "\n")


main()
