"""Two steps of TRL's GRPOTrainer whose rewards come from `posttrain serve`: trl_check.py URL CHECKPOINT"""
import json
import math
import sys
import tempfile
import urllib.request

from datasets import Dataset
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

url, checkpoint = sys.argv[1:]


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(f"{url}{path}", data) as answer:
        return json.load(answer)


def tasks(count):
    for index in range(count):
        task = ask(f"/task?split=train&index={index}")
        yield {"prompt": task["text"], "task_id": task["task_id"]}


paid = []


def served_reward(completions, task_id, **_):
    rewards = ask("/reward", {"task_ids": task_id, "completions": completions})["rewards"]
    paid.append(rewards)
    return rewards


tokenizer = PreTrainedTokenizerFast(
    tokenizer_file=f"{checkpoint}/tokenizer.json", eos_token="<|end|>", pad_token="<|pad|>"
)
with tempfile.TemporaryDirectory() as folder:
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(checkpoint),
        processing_class=tokenizer,
        reward_funcs=served_reward,
        train_dataset=Dataset.from_list(list(tasks(8))),
        args=GRPOConfig(
            output_dir=folder,
            max_steps=2,
            per_device_train_batch_size=8,
            num_generations=4,
            max_completion_length=16,
            learning_rate=1e-4,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            bf16=False,
            disable_tqdm=True,
        ),
    )
    before = {name: value.clone() for name, value in trainer.model.state_dict().items()}
    trainer.train()

logs = [log for log in trainer.state.log_history if "reward" in log]
assert len(logs) == 2 and len(paid) == 2, (logs, paid)
for log, rewards in zip(logs, paid):
    assert len(rewards) == 8 and len(set(rewards)) > 1, rewards
    assert math.isclose(log["reward"], sum(rewards) / len(rewards), abs_tol=1e-4), (log, rewards)
    assert log["grad_norm"] > 0, log
moved = sum(not value.equal(before[name]) for name, value in trainer.model.state_dict().items())
assert moved > 0
print(f"two steps of TRL's GRPOTrainer: rewards {logs[0]['reward']:.3f}, {logs[1]['reward']:.3f} as served, {moved} tensors moved")
