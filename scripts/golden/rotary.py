#!/usr/bin/env python3
"""Makes tests/golden/rotary/*.safetensors: queries and keys rotated by published implementations, at real positions.

    python3 -m venv /tmp/golden && /tmp/golden/bin/pip install -r scripts/golden/requirements.txt
    /tmp/golden/bin/python scripts/golden/rotary.py tests/golden/rotary

A file is a case: tensors q, k, q_out, k_out (batch, tokens, heads, head_dim), positions (batch, tokens[, axes]),
inv_freq (pairs) as the implementation had it, and lengths (batch) where frequencies depend on the length. Its metadata
holds the parameters of posenc's scheme rotary that say the same, under "posenc.", and where the values come from. No
test needs this script, Python or a network: the files are checked in.
"""

import sys

import numpy
import torch
from container import save

torch.set_num_threads(1)
torch.set_grad_enabled(False)
FOLDER = sys.argv[1] if len(sys.argv) > 1 else "tests/golden/rotary"
LONG = [[0, 1, 4095, 4096, 4097, 131071, 1048575], [1048575, 3, 15962, 65536, 4096, 2047, 1]]
SHORT = [[0, 1, 5, 63, 1000, 2047, 4095], [4094, 3, 2, 1, 0, 64, 4095]]
Q_HEADS, K_HEADS = 2, 1


def random(seed, *shape):
    return torch.from_numpy(numpy.random.default_rng(seed).uniform(-2, 2, shape).astype(numpy.float32))


def write(name, source, parameters, positions, q, k, q_out, k_out, inv_freq, lengths=None):
    tensors = {"q": q, "k": k, "q_out": q_out, "k_out": k_out, "positions": torch.as_tensor(positions),
               "inv_freq": inv_freq}
    if lengths is not None:
        tensors["lengths"] = torch.as_tensor(lengths)
    tensors = {key: value.numpy() for key, value in tensors.items()}
    for key, value in tensors.items():
        assert value.dtype == (numpy.int64 if key in ("positions", "lengths") else numpy.float32), (name, key)
    metadata = {"source": source, "torch": torch.__version__}
    metadata.update({"posenc." + key: str(value) for key, value in parameters.items()})
    save(f"{FOLDER}/{name}.safetensors", tensors, metadata)
    print(f"{name}: {source}")


def listed(values):
    return ",".join(repr(float(value)) for value in values)


# ---- one position a token, pairs in halves: everything that is spelled as Llama is ----

def llama_config(head_dim, rope, **more):
    from transformers import LlamaConfig

    return LlamaConfig(hidden_size=head_dim * Q_HEADS, num_attention_heads=Q_HEADS, num_key_value_heads=K_HEADS,
                       head_dim=head_dim, rope_parameters=rope, **more)


def llama(name, head_dim, rope, parameters, positions=LONG, lengths=False, seed=1, **more):
    from transformers.models.llama import modeling_llama as module

    positions = torch.tensor(positions)
    q = random(seed, *positions.shape, Q_HEADS, head_dim)
    k = random(seed + 1, *positions.shape, K_HEADS, head_dim)
    rotary = module.LlamaRotaryEmbedding(llama_config(head_dim, rope, **more))
    cos, sin = rotary(q, positions)
    q_out, k_out = module.apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=2)
    length = [int(positions.max()) + 1] * positions.shape[0] if lengths else None
    write(name, f"transformers llama, rope_type {rope['rope_type']}",
          {"head-dim": head_dim, "base": rope["rope_theta"], **parameters}, positions, q, k, q_out, k_out,
          rotary.inv_freq.float(), length)


def families():
    theta = {"rope_theta": 10000.0}
    llama("default", 64, {"rope_type": "default", **theta}, {})
    llama("one_token", 64, {"rope_type": "default", **theta}, {}, positions=[[6], [4096], [131071]], seed=3)
    llama("linear", 32, {"rope_type": "linear", "factor": 4.0, **theta}, {"scaling": "linear", "factor": 4})
    dynamic = {"rope_type": "dynamic", "factor": 2.0, **theta}
    for name, positions in ("dynamic_long", LONG), ("dynamic_4096", SHORT), ("dynamic_short", [[0, 1, 5, 2047]]):
        llama(name, 32, dynamic, {"scaling": "dynamic", "factor": 2, "original-length": 2048}, positions, True,
              max_position_embeddings=2048)
    llama("llama3", 64, {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 32.0, "low_freq_factor": 1.0,
                         "high_freq_factor": 4.0, "original_max_position_embeddings": 8192},
          {"scaling": "llama3", "factor": 32, "original-length": 8192}, max_position_embeddings=131072)
    yarn = {"rope_type": "yarn", "original_max_position_embeddings": 4096}
    llama("yarn", 64, {**yarn, **theta, "factor": 4.0}, {"scaling": "yarn", "factor": 4, "original-length": 4096},
          max_position_embeddings=16384)
    llama("yarn_not_truncated", 64, {**yarn, "rope_theta": 150000.0, "factor": 32.0, "truncate": False},
          {"scaling": "yarn", "factor": 32, "original-length": 4096, "truncate": "false"},
          max_position_embeddings=131072)
    llama("yarn_mscale", 64, {**yarn, **theta, "factor": 40.0, "mscale": 0.707, "mscale_all_dim": 1.0,
                              "beta_fast": 16.0, "beta_slow": 2.0},
          {"scaling": "yarn", "factor": 40, "original-length": 4096, "mscale": 0.707, "mscale-all-dim": 1,
           "beta-fast": 16, "beta-slow": 2}, max_position_embeddings=163840)
    longrope()


def longrope():
    short = [1 + i / 64 for i in range(16)]
    long = [1 + i * i / 4 for i in range(16)]
    rope = {"rope_type": "longrope", "rope_theta": 10000.0, "short_factor": short, "long_factor": long,
            "original_max_position_embeddings": 4096}
    parameters = {"scaling": "longrope", "factor": 0, "original-length": 4096, "max-position-embeddings": 131072,
                  "short-factor": listed(short), "long-factor": listed(long)}
    for name, positions in ("longrope_long", LONG), ("longrope_4096", SHORT):  # the largest position makes 4096 tokens
        llama(name, 32, rope, parameters, positions, True, max_position_embeddings=131072)


def proportional():
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
    from transformers.models.gemma4 import modeling_gemma4 as module

    head_dim = 64
    config = llama_config(head_dim, {"rope_type": "proportional", "rope_theta": 1000000.0,
                                     "partial_rotary_factor": 0.25})
    inv_freq, amplitude = ROPE_INIT_FUNCTIONS["proportional"](config)
    assert amplitude == 1
    positions = torch.tensor(LONG)
    angles = positions[..., None].float() * inv_freq
    cos, sin = (torch.cat((f, f), dim=-1) for f in (angles.cos(), angles.sin()))
    q, k = random(11, *positions.shape, Q_HEADS, head_dim), random(12, *positions.shape, K_HEADS, head_dim)
    write("proportional", "transformers gemma4, rope_type proportional",
          {"head-dim": head_dim, "base": 1000000, "scaling": "proportional", "fraction": 0.25}, positions, q, k,
          module.apply_rotary_pos_emb(q, cos, sin, unsqueeze_dim=2),
          module.apply_rotary_pos_emb(k, cos, sin, unsqueeze_dim=2), inv_freq)


# ---- other pairings and extents ----

def gptj():
    from transformers.models.gptj import modeling_gptj as module

    head_dim, rotary_dim = 32, 16
    positions = torch.tensor(LONG)
    # Its table has a row for each position; the rows that are wanted are made by its own expressions.
    inv_freq = 1.0 / (10000 ** (torch.arange(0, rotary_dim, 2, dtype=torch.int64) / rotary_dim))
    assert torch.equal(module.create_sinusoidal_positions(4098, rotary_dim)[4097],
                       torch.cat((torch.sin(4097 * inv_freq), torch.cos(4097 * inv_freq))))
    angles = positions[..., None].float() * inv_freq
    q, k = random(21, *positions.shape, Q_HEADS, head_dim), random(22, *positions.shape, K_HEADS, head_dim)

    def rotate(x):
        turned = module.apply_rotary_pos_emb(x[..., :rotary_dim], angles.sin(), angles.cos())
        return torch.cat((turned, x[..., rotary_dim:]), dim=-1)

    write("gptj_partial", "transformers gptj",
          {"head-dim": head_dim, "dim": rotary_dim, "pairing": "interleaved"}, positions, q, k, rotate(q), rotate(k),
          inv_freq.float())


def neox():
    from transformers import GPTNeoXConfig
    from transformers.models.gpt_neox import modeling_gpt_neox as module

    head_dim, rotary_dim = 64, 16
    config = GPTNeoXConfig(hidden_size=head_dim * 2, num_attention_heads=2,
                           rope_parameters={"rope_type": "default", "rope_theta": 10000.0,
                                            "partial_rotary_factor": 0.25})
    positions = torch.tensor(LONG)
    q, k = random(31, *positions.shape, Q_HEADS, head_dim), random(32, *positions.shape, K_HEADS, head_dim)
    rotary = module.GPTNeoXRotaryEmbedding(config)
    q_out, k_out = module.apply_rotary_pos_emb(q, k, *rotary(q, positions), unsqueeze_dim=2)
    write("neox_partial", "transformers gpt_neox", {"head-dim": head_dim, "dim": rotary_dim}, positions, q, k, q_out,
          k_out, rotary.inv_freq)


def deepseek():
    """Queries of latent attention: a part without positions, then a rotated one, read in pairs and written in halves."""
    from transformers import DeepseekV3Config
    from transformers.models.deepseek_v3 import modeling_deepseek_v3 as module

    nope, rope = 16, 32
    config = DeepseekV3Config(hidden_size=64, num_attention_heads=2, qk_rope_head_dim=rope, qk_nope_head_dim=nope,
                              rope_parameters={"rope_type": "yarn", "rope_theta": 10000.0, "factor": 40.0,
                                               "original_max_position_embeddings": 4096, "mscale": 1.0,
                                               "mscale_all_dim": 1.0},
                              max_position_embeddings=163840)
    positions = torch.tensor(LONG)
    q, k = random(41, *positions.shape, Q_HEADS, nope + rope), random(42, *positions.shape, K_HEADS, nope + rope)
    rotary = module.DeepseekV3RotaryEmbedding(config)
    assert rotary.inv_freq.numel() == rope // 2, rotary.inv_freq.shape
    turned = module.apply_rotary_pos_emb_interleave(q[..., nope:], k[..., nope:], *rotary(q, positions),
                                                    unsqueeze_dim=2)
    q_out, k_out = (torch.cat((x[..., :nope], y), dim=-1) for x, y in zip((q, k), turned))
    write("deepseek", "transformers deepseek_v3",
          {"head-dim": nope + rope, "dim": rope, "rotary-start": nope, "pairing": "interleaved-in-halves-out",
           "scaling": "yarn", "factor": 40, "original-length": 4096, "mscale": 1, "mscale-all-dim": 1}, positions, q, k,
          q_out, k_out, rotary.inv_freq)


# ---- several axes ----

def spread(positions):
    """Three coordinates of each token that differ, all of them far out somewhere: (batch, tokens, 3)."""
    positions = torch.tensor(positions)
    return torch.stack((positions, positions.roll(1, -1), positions.roll(3, -1)), dim=-1)


def mrope(name, config, rotary, apply, head_dim, sections, axes, seed):
    positions = spread(LONG)
    q = random(seed, *positions.shape[:2], Q_HEADS, head_dim)
    k = random(seed + 1, *positions.shape[:2], K_HEADS, head_dim)
    cos, sin = rotary(q, positions.permute(2, 0, 1))
    q_out, k_out = apply(q, k, cos, sin, unsqueeze_dim=2)
    write(name, f"transformers {config.model_type}",
          {"head-dim": head_dim, "base": 1000000, "pair-axes": axes, "sections": ",".join(map(str, sections))},
          positions, q, k, q_out, k_out, rotary.inv_freq)


def vision_language():
    from transformers.models.qwen2_vl import modeling_qwen2_vl as two
    from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLTextConfig
    from transformers.models.qwen3_vl import modeling_qwen3_vl as three
    from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLTextConfig

    head_dim = 32
    for name, module, make, rotary, sections, axes, seed in (
            ("mrope_sectioned", two, Qwen2VLTextConfig, two.Qwen2VLRotaryEmbedding, [4, 6, 6], "sectioned", 51),
            ("mrope_interleaved", three, Qwen3VLTextConfig, three.Qwen3VLTextRotaryEmbedding, [6, 5, 5], "interleaved",
             53)):
        config = make(hidden_size=head_dim * 2, num_attention_heads=2, num_key_value_heads=1, head_dim=head_dim,
                      rope_parameters={"rope_type": "default", "rope_theta": 1000000.0, "mrope_section": sections})
        mrope(name, config, rotary(config), module.apply_rotary_pos_emb, head_dim, sections, axes, seed)


def grid(height, width, far):
    """(1, tokens, 2): rows and columns of a grid that is no square, and of one far out."""
    near = [(y, x) for y in range(height) for x in range(width)]
    return torch.tensor([near + [(y + far, 3 * far + x) for y, x in near[:width]]])


def vision():
    from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen
    from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLVisionConfig
    from transformers.models.pixtral import modeling_pixtral as pixtral
    from transformers import PixtralVisionConfig

    head_dim, positions = 32, grid(3, 5, 32767)
    rope = {"rope_type": "axial", "rope_theta": 10000.0}
    q, k = random(61, 1, positions.shape[1], Q_HEADS, head_dim), random(62, 1, positions.shape[1], K_HEADS, head_dim)
    config = Qwen2VLVisionConfig(embed_dim=head_dim * 2, num_heads=2, head_dim=head_dim, rope_parameters=rope)
    config.num_attention_heads = 2
    rotary = qwen.Qwen2VLVisionRotaryEmbedding(config)
    q_out, k_out = qwen.apply_rotary_pos_emb_vision(q[0], k[0], *rotary(q, positions[0]))
    write("vision_axial", "transformers qwen2_vl vision",
          {"head-dim": head_dim, "pair-axes": "axial", "sections": "8,8"}, positions, q, k, q_out[None], k_out[None],
          torch.cat((rotary.inv_freq, rotary.inv_freq)))
    config = PixtralVisionConfig(hidden_size=head_dim * 2, num_attention_heads=2, head_dim=head_dim,
                                 rope_parameters=rope)
    rotary = pixtral.PixtralVisionRotaryEmbedding(config)
    cos, sin = rotary(q, positions[0])
    q_out, k_out = pixtral.apply_rotary_pos_emb(q, k, cos[None], sin[None], unsqueeze_dim=2)
    # Its series of frequencies is dealt out: even ones to the rows, odd ones to the columns.
    dealt = [10000.0 ** (-2 * i / head_dim) for i in list(range(0, 16, 2)) + list(range(1, 16, 2))]
    write("vision_pixtral", "transformers pixtral",
          {"head-dim": head_dim, "pair-axes": "map", "axis-map": ",".join(["0"] * 8 + ["1"] * 8), "scaling": "custom",
           "inv-freq": listed(dealt)}, positions, q, k, q_out, k_out, rotary.inv_freq)


# ---- the eight cases of ONNX's operator RotaryEmbedding, with real angles in its caches ----

def onnx_case(name, interleaved=0, rotary_dim=0, three_d=False, with_ids=True, seed=71):
    import onnx
    from onnx.reference import ReferenceEvaluator

    batch, heads, tokens, head_dim = 2, 4, 3, 8
    dim = rotary_dim or head_dim
    generator = numpy.random.default_rng(seed)
    x = generator.uniform(-2, 2, (batch, tokens, heads, head_dim)).astype(numpy.float32)
    ids = generator.integers(0, 50, (batch, tokens)) if with_ids else numpy.array([[0, 1, 2], [17, 18, 19]])
    inv_freq = 10000.0 ** (-numpy.arange(0, dim, 2) / dim)
    angles = (numpy.arange(50)[:, None] if with_ids else ids[..., None]) * inv_freq
    feeds = {"input": x.reshape(batch, tokens, heads * head_dim) if three_d else x.transpose(0, 2, 1, 3),
             "cos_cache": numpy.cos(angles).astype(numpy.float32), "sin_cache": numpy.sin(angles).astype(numpy.float32)}
    if with_ids:
        feeds["position_ids"] = ids
    attributes = {"interleaved": interleaved, "rotary_embedding_dim": rotary_dim}
    if three_d:
        attributes["num_heads"] = heads
    node = onnx.helper.make_node("RotaryEmbedding", list(feeds), ["output"], **attributes)
    y = ReferenceEvaluator(node).run(None, feeds)[0]
    y = y.reshape(x.shape) if three_d else y.transpose(0, 2, 1, 3)
    as_torch = [torch.from_numpy(numpy.ascontiguousarray(a)) for a in (x, x[:, :, :1], y, y[:, :, :1])]
    write(f"onnx_{name}", f"onnx {onnx.__version__} reference RotaryEmbedding",
          {"head-dim": head_dim, "dim": dim, "pairing": "interleaved" if interleaved else "halves"}, ids, *as_torch,
          torch.from_numpy(inv_freq.astype(numpy.float32)))


def onnx_cases():
    onnx_case("plain")
    onnx_case("3d_input", three_d=True)
    onnx_case("interleaved", interleaved=1)
    onnx_case("rotary_dim", rotary_dim=4)
    onnx_case("interleaved_rotary_dim", interleaved=1, rotary_dim=4)
    onnx_case("no_position_ids", with_ids=False)
    onnx_case("no_position_ids_interleaved", interleaved=1, with_ids=False)
    onnx_case("no_position_ids_rotary_dim", rotary_dim=4, with_ids=False)


if __name__ == "__main__":
    families()
    proportional()
    gptj()
    neox()
    deepseek()
    vision_language()
    vision()
    onnx_cases()
