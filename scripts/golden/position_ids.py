#!/usr/bin/env python3
"""Makes tests/golden/position_ids/*.safetensors: ids of text, images and video by the published get_rope_index.

    python3 -m venv /tmp/golden && /tmp/golden/bin/pip install -r scripts/golden/requirements-position-ids.txt
    /tmp/golden/bin/python scripts/golden/position_ids.py tests/golden/position_ids

A file is a model's rule; its tensors are those of one batch each, "0.input_ids", "1.input_ids" and so on. Frames of
Qwen2.5-VL are whole seconds apart, since this version cuts seconds to whole numbers before it multiplies.
"""

import random
import sys
from types import SimpleNamespace

import torch
from container import save
from transformers import __version__
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLModel

FOLDER = sys.argv[1] if len(sys.argv) > 1 else "tests/golden/position_ids"
IMAGE, VIDEO, START, END = 151655, 151656, 151652, 151653
MERGE, PER_SECOND, BATCHES, ROWS = 2, 25, 6, 3


def text(least):
    return [random.randrange(1000) for _ in range(random.randint(least, 6))]


def frame(token, h, w):
    return [START] + [token] * (h * w // MERGE**2) + [END]


def row(rule, images, videos, seconds):
    """Token ids of a sequence; the grids that it uses are appended to the lists."""
    tokens = text(1)
    for _ in range(random.randint(0, 3)):
        h, w = MERGE * random.randint(1, 4), MERGE * random.randint(1, 5)
        if random.random() < 0.5:
            images.append([1, h, w])
            tokens += frame(IMAGE, h, w) + text(0)
            continue
        t = random.randint(1, 6)
        videos.append([t, h, w])
        seconds.append(random.choice([1.0, 2.0, 3.0]))
        if rule == "qwen3_vl":
            for _ in range(t):
                tokens += text(1) + frame(VIDEO, h, w)
        else:
            tokens += [START] + [VIDEO] * (t * h * w // MERGE**2) + [END]
        tokens += text(0)
    return tokens


def batch(rule, model):
    images, videos, seconds = [], [], []
    rows = [row(rule, images, videos, seconds) for _ in range(ROWS)]
    if not images and not videos:
        return batch(rule, model)
    longest = max(map(len, rows))
    left = random.random() < 0.5
    ids, mask = [], []
    for tokens in rows:
        padding = longest - len(tokens)
        ids.append([0] * padding + tokens if left else tokens + [0] * padding)
        mask.append([0] * padding + [1] * len(tokens) if left else [1] * len(tokens) + [0] * padding)
    grids = {"image_grid_thw": torch.tensor(images) if images else None,
             "video_grid_thw": torch.tensor(videos) if videos else None}
    if rule == "qwen2_5_vl" and videos:
        grids["second_per_grid_ts"] = torch.tensor(seconds)
    config = SimpleNamespace(image_token_id=IMAGE, video_token_id=VIDEO, vision_start_token_id=START,
                             vision_config=SimpleNamespace(spatial_merge_size=MERGE, tokens_per_second=PER_SECOND))
    inputs = {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask)}
    position_ids, deltas = model.get_rope_index(SimpleNamespace(config=config), **inputs, **grids)
    outputs = {"position_ids": position_ids, "deltas": deltas.reshape(-1)}
    return {key: value.numpy() for key, value in {**inputs, **grids, **outputs}.items() if value is not None}


if __name__ == "__main__":
    for seed, (rule, model) in enumerate((("qwen2_vl", Qwen2VLModel), ("qwen2_5_vl", Qwen2_5_VLModel),
                                          ("qwen3_vl", Qwen3VLModel))):
        random.seed(seed)
        batches = [batch(rule, model) for _ in range(BATCHES)]
        tensors = {f"{i}.{key}": value for i, b in enumerate(batches) for key, value in b.items()}
        save(f"{FOLDER}/{rule}.safetensors", tensors, {"source": f"transformers {__version__} {rule}"})
        print(rule, {key: value.shape for key, value in tensors.items() if key.endswith("position_ids")})
