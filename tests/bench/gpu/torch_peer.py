"""The models of the benchmark in PyTorch, float32, with fused attention and fused AdamW: tokens a second of training and sampling.

Run by bench.mjs where torch can be imported; needs nothing but torch. Reads the work as JSON, writes what it measured.
"""

import json
import math
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional

work = json.load(sys.stdin)
config = work["config"]
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(1)
hidden, heads, kv_heads, head_dim = (
    config[key] for key in ("hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim")
)


class Linear(nn.Module):
    """A linear layer, with a low-rank update when the work asks for LoRA."""

    def __init__(self, inputs, outputs):
        super().__init__()
        rank = work["rank"]
        self.weight = nn.Parameter(torch.randn(outputs, inputs) / math.sqrt(inputs), requires_grad=rank == 0)
        self.a = nn.Parameter(torch.randn(rank, inputs) / math.sqrt(inputs)) if rank else None
        self.b = nn.Parameter(torch.zeros(outputs, rank)) if rank else None

    def forward(self, x):
        y = functional.linear(x, self.weight)
        return y if self.a is None else y + 2 * functional.linear(functional.linear(x, self.a), self.b)


def rms_norm(x, weight):
    return functional.rms_norm(x, (x.shape[-1],), weight, config["rms_norm_eps"])


def rotate(x, cosine, sine):
    first, second = x.chunk(2, -1)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        trained = work["rank"] == 0
        self.norms = nn.ParameterList([nn.Parameter(torch.ones(hidden), requires_grad=trained) for _ in range(2)])
        self.q, self.o = Linear(hidden, heads * head_dim), Linear(heads * head_dim, hidden)
        self.k, self.v = Linear(hidden, kv_heads * head_dim), Linear(hidden, kv_heads * head_dim)
        size = config["intermediate_size"]
        self.gate, self.up, self.down = Linear(hidden, size), Linear(hidden, size), Linear(size, hidden)

    def forward(self, x, rotation, cache):
        batch, length, _ = x.shape
        y = rms_norm(x, self.norms[0])
        q, k, v = (
            project(y).view(batch, length, -1, head_dim).transpose(1, 2) for project in (self.q, self.k, self.v)
        )
        q, k = rotate(q, *rotation), rotate(k, *rotation)
        if cache is not None:
            if cache:
                k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
            cache[:] = [k, v]
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=length > 1, enable_gqa=heads != kv_heads)
        x = x + self.o(mixed.transpose(1, 2).reshape(batch, length, -1))
        y = rms_norm(x, self.norms[1])
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        trained = work["rank"] == 0
        self.table = nn.Parameter(torch.randn(config["vocab_size"], hidden) / math.sqrt(hidden), requires_grad=trained)
        self.norm = nn.Parameter(torch.ones(hidden), requires_grad=trained)
        self.layers = nn.ModuleList([Layer() for _ in range(config["num_hidden_layers"])])
        speeds = config["rope_theta"] ** (-torch.arange(0, head_dim, 2) / head_dim)
        self.register_buffer("speeds", speeds)

    def forward(self, ids, start=0, caches=None, last=False):
        angles = torch.arange(start, start + ids.shape[1], device=ids.device)[:, None] * self.speeds
        x = functional.embedding(ids, self.table)
        for i, layer in enumerate(self.layers):
            x = layer(x, (angles.cos(), angles.sin()), None if caches is None else caches[i])
        return functional.linear(rms_norm(x[:, -1:] if last else x, self.norm), self.table)


model = Llama().to(device)
trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
optimizer = torch.optim.AdamW(trained, lr=1e-3, betas=(0.9, 0.999), weight_decay=0.01, fused=True)
batch, length = work["train"]
tokens = torch.randint(config["vocab_size"], (batch, length + 1), device=device)


def train():
    logits = model(tokens[:, :-1])
    loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(trained, 1.0)
    optimizer.step()


sequences, prompt_length, new_tokens = work["sample"]
prompts = torch.randint(config["vocab_size"], (sequences, prompt_length), device=device)


@torch.inference_mode()
def sample():
    caches = [[] for _ in model.layers]
    new, start = prompts, 0
    for _ in range(new_tokens):
        logits = model(new, start, caches, last=True)[:, -1]
        start += new.shape[1]
        new = torch.multinomial(torch.softmax(logits, -1), 1)


def tokens_per_second(step, count):
    times = []
    for _ in range(work["rounds"] + 1):
        if device == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        step()
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return count / statistics.median(times[1:])


print(
    json.dumps(
        {
            "version": torch.__version__,
            "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
            "train": tokens_per_second(train, batch * length),
            "sample": tokens_per_second(sample, sequences * new_tokens),
        }
    )
)
