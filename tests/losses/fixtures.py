"""Golden losses and gradients from PyTorch: `pip install torch`, then `python fixtures.py > fixtures.json`."""
import json

import torch

torch.manual_seed(0)
B, T = 3, 6
logprobs = -torch.rand(B, T, dtype=torch.float64) * 3
old = logprobs + torch.randn(B, T, dtype=torch.float64) * 0.4
ref = logprobs + torch.randn(B, T, dtype=torch.float64) * 0.6
advantages = torch.tensor([1.2, -0.7, -1.5], dtype=torch.float64)[:, None].expand(B, T).contiguous()
mask = torch.tensor([[1, 1, 1, 1, 1, 0], [1, 1, 0, 0, 0, 0], [0, 1, 1, 1, 1, 1]], dtype=torch.float64)
MAX_COMPLETION = 10


def reduce(per_token, loss_type):
    if loss_type == "grpo":
        return ((per_token * mask).sum(-1) / mask.sum(-1).clamp(min=1)).mean()
    if loss_type == "dr_grpo":
        return (per_token * mask).sum() / (B * MAX_COMPLETION)
    return (per_token * mask).sum() / mask.sum()  # bnpo, dapo


def grpo(logp, loss_type, epsilon, epsilon_high, delta, beta):
    ratio = torch.exp(logp - old)
    capped = ratio if delta is None else ratio.clamp(max=delta)
    clipped = ratio.clamp(1 - epsilon, 1 + epsilon_high)
    per_token = -torch.min(capped * advantages, clipped * advantages)
    if beta:
        d = ref - logp
        per_token = per_token + beta * (torch.exp(d) - d - 1)
    return reduce(per_token, loss_type)


cases = []
for loss_type in ["grpo", "bnpo", "dr_grpo", "dapo"]:
    for options in [(0.2, 0.2, None, 0.0), (0.2, 0.28, 1.5, 0.0), (0.2, 0.28, None, 0.1)]:
        x = logprobs.clone().requires_grad_(True)
        loss = grpo(x, loss_type, *options)
        loss.backward()
        names = ["epsilon", "epsilonHigh", "delta", "beta"]
        cases.append({"lossType": loss_type, **dict(zip(names, options)), "loss": loss.item(), "grad": x.grad.tolist()})

x = logprobs.clone().requires_grad_(True)
nll = -(x * mask).sum() / mask.sum()
nll.backward()
print(
    json.dumps(
        {
            "logprobs": logprobs.tolist(),
            "old": old.tolist(),
            "ref": ref.tolist(),
            "advantages": advantages.tolist(),
            "mask": mask.tolist(),
            "maxCompletionLength": MAX_COMPLETION,
            "cases": cases,
            "nll": {"loss": nll.item(), "grad": x.grad.tolist()},
        },
        indent=1,
    )
)
