"""Writes tests/fuzz/corpus/config: small configurations that the reader takes (right-) or refuses (wrong-). Those of
published models are in tests/golden/configs, and go through the same target."""
import json
import os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", "config")
MODEL = {"model_type": "llama", "head_dim": 8, "num_hidden_layers": 2, "max_position_embeddings": 4096}


def scaled(**rope):
    return dict(MODEL, rope_scaling=rope)


RIGHT = {
    "default": MODEL,
    "linear": scaled(type="linear", factor=2),
    "ntk": scaled(type="ntk", factor=2),
    "dynamic": scaled(type="dynamic", factor=2),
    "alpha": scaled(type="dynamic", alpha=1000, factor=1),
    "yarn": scaled(rope_type="yarn", factor=4, original_max_position_embeddings=1024, truncate=False, mscale=1, mscale_all_dim=1),
    "longrope": scaled(type="su", original_max_position_embeddings=64, short_factor=[1, 1, 1.5, 2], long_factor=[2, 3, 4, 5e0]),
    "llama3": scaled(rope_type="llama3", factor=8, original_max_position_embeddings=1024, low_freq_factor=1, high_freq_factor=4),
    "mrope": scaled(type="mrope", mrope_section=[1, 1, 2], mrope_interleaved=True),
    "nested": dict(MODEL, layer_types=["full_attention", "sliding_attention"],
                   rope_parameters={"full_attention": {"rope_type": "linear", "factor": 2, "rope_theta": 1e6}, "sliding_attention": None}),
    "proportional": {"model_type": "gemma4_text", "head_dim": 8, "global_head_dim": 16, "num_hidden_layers": 12},
    "latent": {"model_type": "deepseek_v3", "qk_rope_head_dim": 4, "qk_nope_head_dim": 8, "num_hidden_layers": 3},
    "local": {"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "num_hidden_layers": 7, "rope_local_base_freq": 1e4}},
    "partial": {"model_type": "gpt_neox", "hidden_size": 64, "num_attention_heads": 4, "rotary_pct": 0.25, "rotary_emb_base": 10000},
    "unknown": dict(MODEL, rope_fraction=1, rope_scaling={"type": "default", "factor": 2, "x\u00e9\n": [1, {"y": None}]}),
    "alibi": {"model_type": "mpt", "n_layers": 2, "attn_config": {"alibi": True}},
    "learned": {"model_type": "bert", "position_embedding_type": "absolute", "num_hidden_layers": 12},
    "letters": {"model_type": "exaone4", "head_dim": 8, "num_hidden_layers": 5, "sliding_window_pattern": "LLG"},
    "without": dict(MODEL, no_rope_layers=[1, 0]),
}
WRONG = {
    "nothing": b"",
    "list": b"[]",
    "twice": b'{"model_type":"llama","model_type":"llama"}',
    "deep": b'{"a":' * 40,
    "overflow": b'{"model_type":"llama","head_dim":1e999}',
    "nul": b'{"model_type":"a\\u0000"}',
    "odd": b'{"model_type":"llama","head_dim":7}',
    "type": b'{"model_type":"llama","head_dim":"8"}',
    "sections": b'{"model_type":"llama","head_dim":8,"rope_scaling":{"type":"mrope","mrope_section":[1,1]}}',
    "divisors": b'{"model_type":"llama","head_dim":8,"max_position_embeddings":9,"rope_scaling":{"type":"su","short_factor":[1],"long_factor":[]}}',
    "family": b'{"model_type":"llama","head_dim":8,"rope_scaling":{"type":"yarm"}}',
    "factor": b'{"model_type":"llama","head_dim":8,"rope_scaling":{"type":"linear","factor":0}}',
    "fraction": b'{"model_type":"gpt_neox","head_dim":8,"rotary_pct":1e22}',
    "layers": b'{"model_type":"llama","num_hidden_layers":99999999}',
    "utf8": b'{"model_type":"\xff"}',
}

os.makedirs(FOLDER, exist_ok=True)
for name, value in RIGHT.items():
    with open(os.path.join(FOLDER, "right-" + name), "wb") as file:
        file.write(json.dumps(value).encode())
for name, value in WRONG.items():
    with open(os.path.join(FOLDER, "wrong-" + name), "wb") as file:
        file.write(value)
