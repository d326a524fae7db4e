"""TRL's GRPOTrainer as a peer of the GRPO benchmark, on a checkpoint in Hugging Face layout.

Run by `npm run bench -- grpo --torch`, which installs trl. Speaks JSON, a line a message: the first describes the work, each
further one asks for a training step.
"""

import json
import sys
import time

setup = json.loads(sys.stdin.readline())
answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer

import torch
import trl
from datasets import Dataset
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

torch.set_num_threads(setup["threads"])
STEPS = 100  # more than are asked for


def answer(message):
    print(json.dumps(message), file=answers, flush=True)


def share_of_e(completions, completion_ids, **_):
    if any(len(ids) != setup["newTokens"] for ids in completion_ids):
        raise RuntimeError(f"completions of {[len(ids) for ids in completion_ids]} tokens, not {setup['newTokens']}")
    return [text.count("e") / max(1, len(text)) for text in completions]


class StepWhenAsked(TrainerCallback):
    """Waits for a line before every step and answers with the time that the step took, all of the trainer's own work included."""

    def wait(self, control):
        if not sys.stdin.readline():
            control.should_training_stop = True
        self.start, self.cpu = time.perf_counter(), time.process_time()

    def on_train_begin(self, args, state, control, **_):
        self.wait(control)

    def on_step_end(self, args, state, control, **_):
        answer(
            {
                "milliseconds": 1000 * (time.perf_counter() - self.start),
                "cpuMilliseconds": 1000 * (time.process_time() - self.cpu),
            }
        )
        self.wait(control)


tokenizer = PreTrainedTokenizerFast(
    tokenizer_file=f"{setup['folder']}/tokenizer.json", pad_token="<|pad|>", eos_token="<|end|>"
)
lengths = {len(tokenizer(prompt).input_ids) for prompt in setup["prompts"]}
if lengths != {setup["promptLength"]}:
    raise RuntimeError(f"prompts of {lengths} tokens, not {setup['promptLength']}")
trainer = GRPOTrainer(
    model=LlamaForCausalLM.from_pretrained(setup["folder"], attn_implementation="sdpa", dtype=torch.float32),
    processing_class=tokenizer,
    reward_funcs=share_of_e,
    train_dataset=Dataset.from_dict({"prompt": setup["prompts"] * STEPS}),
    callbacks=[StepWhenAsked()],
    args=GRPOConfig(
        output_dir=setup["folder"],
        use_cpu=True,
        bf16=False,
        per_device_train_batch_size=len(setup["prompts"]) * setup["samples"],
        num_generations=setup["samples"],
        max_completion_length=setup["newTokens"],
        generation_kwargs={"min_new_tokens": setup["newTokens"]},  # everyone samples all the tokens
        max_steps=STEPS,
        shuffle_dataset=False,
        beta=0.0,
        learning_rate=setup["learningRate"],
        lr_scheduler_type="constant",
        gradient_checkpointing=setup["gradientCheckpointing"],
        logging_strategy="no",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    ),
)
answer({"version": trl.__version__})
trainer.train()
