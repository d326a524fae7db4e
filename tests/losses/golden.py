"""Golden losses and gradients from PyTorch, in float64 and in the padded [B, T] form of TRL's trainers.

Run: `pip install torch`, then `python golden.py > golden.json` and `npx prettier --write golden.json`.
"""

import json

import torch
import torch.nn.functional as F

torch.manual_seed(0)
B, T, V = 4, 5, 6
mask = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0], [0, 1, 1, 1, 1], [1, 1, 1, 1, 1]], dtype=torch.float64)
inputs = {
    "logprobs": -torch.rand(B, T, dtype=torch.float64) * 3,
    "advantages": torch.tensor([1.2, -0.7, -1.5, 0.4], dtype=torch.float64)[:, None].expand(B, T).contiguous(),
    "values": torch.randn(B, T, dtype=torch.float64),
    "returns": torch.randn(B, T, dtype=torch.float64),
    "studentLogits": torch.randn(B, T, V, dtype=torch.float64) * 2,
    "teacherLogits": torch.randn(B, T, V, dtype=torch.float64) * 2,
    "chosenRewards": torch.randn(B, dtype=torch.float64),
    "rejectedRewards": torch.randn(B, dtype=torch.float64),
}
inputs["old"] = inputs["logprobs"] + torch.randn(B, T, dtype=torch.float64) * 0.4
inputs["ref"] = inputs["logprobs"] - 0.3 + torch.randn(B, T, dtype=torch.float64) * 0.6
inputs["oldValues"] = inputs["values"] + torch.randn(B, T, dtype=torch.float64) * 0.4

labels = [1, 0, 0, 1]
cases = {}


def golden(name, differentiable, loss):
    x = inputs[differentiable].clone().requires_grad_(True)
    value = loss(x)
    value.backward()
    cases[name] = {"loss": value.item(), "grad": x.grad.flatten().tolist()}


def over_tokens(per_token):
    return (per_token * mask).sum() / mask.sum()


def over_sequences(per_token):
    return ((per_token * mask).sum(-1) / mask.sum(-1)).mean()


# Policy losses

old, ref, advantages = inputs["old"], inputs["ref"], inputs["advantages"]


def cispo(logp):
    ratio = torch.exp(logp - old)
    return over_tokens(-ratio.clamp(max=1.3).detach() * advantages * logp)


def gspo(reduce):
    def loss(logp):
        log_ratio = ((logp - old) * mask).sum(-1) / mask.sum(-1)
        ratio = torch.exp(log_ratio)[:, None]
        surrogate = torch.min(ratio * advantages, ratio.clamp(1 - 0.1, 1 + 0.2) * advantages)
        return reduce(-surrogate)

    return loss


golden("cispo", "logprobs", cispo)
golden("gspo, dapo", "logprobs", gspo(over_tokens))
golden("gspo, grpo", "logprobs", gspo(over_sequences))
golden("k1", "logprobs", lambda logp: over_tokens(logp - ref))
golden("k2", "logprobs", lambda logp: over_tokens((logp - ref) ** 2 / 2))
golden("k3", "logprobs", lambda logp: over_tokens(torch.exp(ref - logp) - (ref - logp) - 1))

# Critic

old_values, returns = inputs["oldValues"], inputs["returns"]


def clipped_value(values):
    clipped = torch.clamp(values, old_values - 0.2, old_values + 0.2)
    return 0.5 * over_tokens(torch.max((values - returns) ** 2, (clipped - returns) ** 2))


golden("value, clipped", "values", clipped_value)
golden("value", "values", lambda values: 0.5 * over_tokens((values - returns) ** 2))

# Distributions over the vocabulary

teacher_logits = inputs["teacherLogits"]


def entropy(logits):
    distribution = torch.distributions.Categorical(logits=logits / 0.7)
    return over_tokens(distribution.entropy())


def generalized_jsd(beta):
    def loss(student_logits):
        student = F.log_softmax(student_logits / 0.9, dim=-1)
        teacher = F.log_softmax(teacher_logits / 0.9, dim=-1)

        def kl(p, q):
            return F.kl_div(q, p, reduction="none", log_target=True).sum(-1)

        if beta == 0:
            return over_tokens(kl(teacher, student))
        if beta == 1:
            return over_tokens(kl(student, teacher))
        weights = torch.tensor([1 - beta, beta], dtype=torch.float64).log()
        mixture = torch.logsumexp(torch.stack([student + weights[0], teacher + weights[1]]), dim=0)
        return over_tokens(beta * kl(teacher, mixture) + (1 - beta) * kl(student, mixture))

    return loss


golden("entropy", "studentLogits", entropy)
for beta in [0, 0.1, 0.5, 1]:
    golden(f"jsd {beta}", "studentLogits", generalized_jsd(beta))

# Preferences: sequences 0 and 1 are chosen, 2 and 3 rejected


def margins(logp, mean):
    scores = ((logp - ref) * mask).sum(-1)
    if mean:
        scores = scores / mask.sum(-1)
    return scores[:2] - scores[2:]


golden("dpo sigmoid", "logprobs", lambda logp: -F.logsigmoid(0.3 * margins(logp, False)).mean())
golden(
    "dpo sigmoid, smoothed",
    "logprobs",
    lambda logp: (
        -0.9 * F.logsigmoid(0.3 * margins(logp, False)) - 0.1 * F.logsigmoid(-0.3 * margins(logp, False))
    ).mean(),
)
golden("dpo hinge", "logprobs", lambda logp: torch.relu(1 - 0.3 * margins(logp, False)).mean())
golden("dpo ipo", "logprobs", lambda logp: ((margins(logp, True) - 1 / (2 * 0.3)) ** 2).mean())


def kto(logp):
    log_ratio = ((logp - ref) * mask).sum(-1)
    good = torch.tensor(labels, dtype=torch.bool)
    reference_point = 0.25
    desirable = 1.5 * (1 - torch.sigmoid(0.3 * (log_ratio[good] - reference_point)))
    undesirable = 0.8 * (1 - torch.sigmoid(0.3 * (reference_point - log_ratio[~good])))
    return torch.cat([desirable, undesirable]).mean()


golden("kto", "logprobs", kto)

rejected = inputs["rejectedRewards"]
golden("bradley-terry", "chosenRewards", lambda chosen: -F.logsigmoid(chosen - rejected).mean())
golden(
    "bradley-terry, centered",
    "chosenRewards",
    lambda chosen: -F.logsigmoid(chosen - rejected).mean() + 0.05 * ((chosen + rejected) ** 2).mean(),
)

print(
    json.dumps(
        {
            "B": B,
            "T": T,
            "V": V,
            "mask": mask.flatten().tolist(),
            "labels": labels,
            **{name: tensor.flatten().tolist() for name, tensor in inputs.items()},
            "cases": cases,
        }
    )
)
