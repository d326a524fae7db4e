"""The model of the benchmark in PyTorch: Hugging Face's Llama with fused attention and fused AdamW.

Run by `npm run bench -- step sampling --torch`, which installs torch and transformers. Speaks JSON, a line a message: the first
describes the work, each further one asks for a training step or for sampling, in a loop of our own or in `generate`.
"""

import json
import sys
import time

import torch
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

setup = json.loads(sys.stdin.readline())
torch.set_num_threads(setup["threads"])
torch.manual_seed(1)
config = LlamaConfig(**{k: v for k, v in setup["config"].items() if k not in ("architectures", "model_type")})
config._attn_implementation = "sdpa"
model = LlamaForCausalLM(config)
model.generation_config.eos_token_id = None  # everyone samples all the tokens
batch, length = setup["shape"]
ids = torch.tensor(setup["ids"]).view(batch, length)
targets = torch.tensor(setup["targets"])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.999), weight_decay=0.01, fused=True)


def step():
    start, cpu = time.perf_counter(), time.process_time()
    logits = model(ids, use_cache=False).logits
    loss = torch.nn.functional.cross_entropy(logits.view(-1, config.vocab_size), targets)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return {
        "milliseconds": 1000 * (time.perf_counter() - start),
        "cpuMilliseconds": 1000 * (time.process_time() - cpu),
        "loss": loss.item(),
    }


def prompts_of(sequences, length):
    return torch.stack([ids.flatten()[16 * i : 16 * i + length] for i in range(sequences)])


@torch.inference_mode()
def sample(sequences, promptLength, newTokens):
    prompts = prompts_of(sequences, promptLength)
    start = time.perf_counter()
    cache = DynamicCache(config=config)
    new = prompts
    for _ in range(newTokens):
        logits = model(new, past_key_values=cache, use_cache=True, logits_to_keep=1).logits[:, -1]
        new = torch.multinomial(torch.softmax(logits, -1), 1)
    return {"tokensPerSecond": sequences * newTokens / (time.perf_counter() - start)}


@torch.inference_mode()
def generate(sequences, promptLength, newTokens):
    prompts = prompts_of(sequences, promptLength)
    start = time.perf_counter()
    output = model.generate(
        prompts,
        attention_mask=torch.ones_like(prompts),
        do_sample=True,
        temperature=1.0,
        top_k=0,
        max_new_tokens=newTokens,
    )
    if output.shape[1] != promptLength + newTokens:
        raise RuntimeError(f"generate gave {output.shape[1] - promptLength} tokens, asked for {newTokens}")
    return {"tokensPerSecond": sequences * newTokens / (time.perf_counter() - start)}


def answer(message):
    print(json.dumps(message), flush=True)


verbs = {
    "step": step,
    "sample": lambda: sample(**setup["sampling"]),
    "generate": lambda: generate(**setup["sampling"]),
}
answer({"version": torch.__version__.split("+")[0]})
for line in sys.stdin:
    answer(verbs[json.loads(line)["verb"]]())
