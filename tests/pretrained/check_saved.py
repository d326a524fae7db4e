"""Do the tokens and logits of a model that posttrain has written equal those of the model it was loaded from, in transformers?

pip install torch transformers safetensors
POSTTRAIN_SAVED=saved npx vitest run tests/pretrained/load.test.ts -t "written whole again"
python tests/pretrained/check_saved.py saved

Outcome with transformers 5.18.0: same tokens, logits bit for bit (Llama layout, tied, padded table, rope type llama3).
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

fixture = pathlib.Path(__file__).parent / "fixtures" / "llama-tied"
reference = json.loads((fixture / "reference.json").read_text())
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
for chat in reference["chats"]:
    ids = tokenizer.apply_chat_template(chat["messages"][:-1], tokenize=True, return_dict=False, add_generation_prompt=True)
    assert ids == chat["prompt"]
model = AutoModelForCausalLM.from_pretrained(sys.argv[1]).eval()
with torch.no_grad():
    logits = model(torch.tensor([reference["sequence"]])).logits[0, -24:]
difference = (logits - load_file(fixture / "reference.safetensors")["logits"]).abs().max().item()
assert difference < 1e-4, difference
print("same tokens, logits within", difference)
