"""Loads the datasets that posttrain writes with `datasets`, takes one TRL step on each, and writes down the tokens TRL makes of them.

pip install torch transformers trl datasets
python check_trl.py    # reads fixtures/*.jsonl, writes fixtures/trl-rows.json (the tokens, in which dataset.test.ts finds ours again)

Outcome with trl 1.13.0, datasets 5.0.1, transformers 5.18.0: all ten files load with the columns and types TRL documents; SFT on language
modeling and prompt-completion, DPO on preference and KTO on unpaired preference each take their step, in both forms; the losses of DPO and
KTO are ln 2 and 1/2, as they must be before anything is learned.
"""

import json
import math
import pathlib
import tempfile

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer
from trl.data_utils import is_conversational

try:
    from trl import KTOConfig, KTOTrainer
except ImportError:
    from trl.experimental.kto import KTOConfig, KTOTrainer

HERE = pathlib.Path(__file__).parent
MODEL = HERE.parent / "pretrained" / "fixtures" / "qwen2"
TRAINERS = {"language-modeling": (SFTTrainer, SFTConfig), "prompt-completion": (SFTTrainer, SFTConfig),
            "preference": (DPOTrainer, DPOConfig), "unpaired-preference": (KTOTrainer, KTOConfig)}


def main() -> None:
    tokens = {}
    for path in sorted((HERE / "fixtures").glob("*.jsonl")):
        form, kind = path.stem.split(".")
        dataset = load_dataset("json", data_files=str(path), split="train")
        assert is_conversational(dataset[0]) == (form == "conversational"), path.stem
        if kind not in TRAINERS:
            print(path.stem, "loaded", dataset.column_names)
            continue
        trainer_class, config_class = TRAINERS[kind]
        with tempfile.TemporaryDirectory() as folder:
            config = config_class(output_dir=folder, max_steps=1, per_device_train_batch_size=2, report_to=[], use_cpu=True, bf16=False,
                                  logging_steps=1, save_strategy="no", disable_tqdm=True, gradient_checkpointing=False)
            trainer = trainer_class(model=AutoModelForCausalLM.from_pretrained(MODEL), args=config, train_dataset=dataset,
                                    processing_class=AutoTokenizer.from_pretrained(MODEL))
            if trainer_class is SFTTrainer:
                tokens[path.stem] = [{key: row[key] for key in ("input_ids", "labels") if key in row} for row in trainer.train_dataset]
            else:
                tokens[path.stem] = [{key: value for key, value in row.items() if key.endswith("ids")} for row in trainer.train_dataset]
            result = trainer.train()
            expected = {"preference": math.log(2), "unpaired-preference": 0.5}.get(kind, result.training_loss)
            assert math.isfinite(result.training_loss) and abs(result.training_loss - expected) < 1e-5, path.stem
            print(path.stem, "loss", result.training_loss, {k: v for k, v in tokens[path.stem][0].items()})
    (HERE / "fixtures" / "trl-rows.json").write_text(json.dumps(tokens))


main()
