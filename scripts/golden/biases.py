#!/usr/bin/env python3
"""Makes tests/golden/bias_published/*.safetensors: score biases and clipped relative vectors by published code.

    python3 -m venv /tmp/golden && /tmp/golden/bin/pip install -r scripts/golden/requirements-biases.txt
    /tmp/golden/bin/python scripts/golden/biases.py tests/golden/bias_published

A file holds cases of one kind. Tensors are called "CASE.WHAT"; the metadata "CASE.from" says which class or function
gave the values, and "CASE.posenc" the parameters by which posenc says the same.

    t5, deberta  begin, bucket: every run of equal buckets of j - i from -99999 to 99999 and where it begins.
                 t5 also table and bias (heads, queries, keys) of compute_bias, at the offset in CASE.posenc
    swin         index (tokens, tokens), table, bias (heads, tokens, tokens)
    alibi        slopes (heads), numbers (n): what slopes are multiplied by; bias (heads, n)
    shaw         q (batch, heads, queries, d), table, scores (batch, heads, queries, keys); attention and values, or the
                 explicit tensor, of some. Row r of the table is of distance low + r; what lies beyond has the row at
                 the edge, or zeros

Where several implementations say the same it is checked here that they do. All run on the CPU in float32. No test needs
this script, Python or a network: the files are checked in.
"""

import os
import sys
from types import SimpleNamespace

import torch
from biases_cases import Cases, draw, put, softmax_input
from biases_shaw import shaw

torch.set_num_threads(1)
torch.set_grad_enabled(False)
FOLDER = sys.argv[1] if len(sys.argv) > 1 else "tests/golden/bias_published"
NEAR = 100000


# ---- buckets ----

def runs(buckets):
    """Where runs of equal numbers begin, as distances, and the numbers."""
    first = torch.cat([torch.tensor([True]), buckets[1:] != buckets[:-1]]).nonzero().flatten()
    return {"begin": first - (NEAR - 1), "bucket": buckets[first]}


def others_like_t5(distances, both, buckets, most):
    """The same rule as other models spell it; only some have both ways."""
    from transformers.models.cpmant.modeling_cpmant import CpmAntSegmentPositionEmbedding
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder
    from transformers.models.prophetnet.modeling_prophetnet import compute_relative_buckets
    from transformers.models.umt5.modeling_umt5 import UMT5Attention
    from transformers.models.wavlm.modeling_wavlm import WavLMAttention

    wavlm = SimpleNamespace(num_buckets=buckets, max_distance=most)
    umt5 = SimpleNamespace(relative_attention_num_buckets=buckets, relative_attention_max_distance=most,
                           is_decoder=not both)
    yield UMT5Attention._relative_position_bucket(umt5, distances)
    yield compute_relative_buckets(buckets, most, distances, both)
    if both:
        yield WavLMAttention._relative_positions_bucket(wavlm, distances)
        yield MPNetEncoder.relative_position_bucket(distances, buckets, most)
        yield CpmAntSegmentPositionEmbedding._position_bucket(None, distances, buckets, most)


def t5_buckets(cases):
    from transformers.models.t5.modeling_t5 import T5Attention

    distances = torch.arange(1 - NEAR, NEAR)
    # T5 and its kin; WavLM; CPM-Ant; and wider, narrower, odd ones.
    for buckets, most in [(32, 128), (320, 800), (512, 2048), (32, 256), (64, 128), (128, 1000), (16, 20000), (34, 99)]:
        for both in (True, False):
            found = T5Attention._relative_position_bucket(distances, both, buckets, most)
            assert all((other == found).all() for other in others_like_t5(distances, both, buckets, most))
            alone = torch.cat([T5Attention._relative_position_bucket(distances[at:at + 1], both, buckets, most)
                               for at in range(NEAR - 3000, NEAR + 3000)])  # one at a time, in no vector
            assert (alone == found[NEAR - 3000:NEAR + 3000]).all()
            parameters = {"heads": 1, "buckets": buckets, "max-distance": most, "bidirectional": str(both).lower()}
            cases.add(f"{buckets}_{most}_{'both' if both else 'causal'}", "T5Attention._relative_position_bucket",
                      parameters, **runs(found))


def t5_bias(cases, name, decoder, queries, keys, offset, heads):
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(d_model=heads * 2, d_kv=2, num_heads=heads, is_decoder=decoder)
    layer = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    layer.relative_attention_bias.weight.copy_(draw(32, heads))
    positions = torch.arange(offset, offset + queries) if offset else None
    bias = layer.compute_bias(queries, keys, cache_position=positions)[0]
    cases.add(name, "T5Attention.compute_bias",
              {"heads": heads, "bidirectional": str(not decoder).lower(), "offset": offset},
              table=layer.relative_attention_bias.weight, bias=bias)


def t5(folder):
    cases = Cases(folder, "t5")
    t5_buckets(cases)
    t5_bias(cases, "bias_encoder", False, 9, 9, 0, 3)
    t5_bias(cases, "bias_wide", False, 5, 150, 0, 2)
    t5_bias(cases, "bias_tall", False, 150, 4, 0, 2)
    t5_bias(cases, "bias_decoder", True, 12, 12, 0, 3)
    t5_bias(cases, "bias_decoder_cached", True, 3, 200, 197, 2)
    cases.write()


def deberta(folder):
    from transformers.models.deberta_v2.modeling_deberta_v2 import build_relative_position, make_log_bucket_position
    from transformers.models.sew_d.modeling_sew_d import make_log_bucket_position as sew_d

    cases, distances = Cases(folder, "deberta"), torch.arange(1 - NEAR, NEAR)
    for buckets, most in [(256, 512), (512, 1024), (128, 256), (256, 2048), (64, 99)]:
        found = make_log_bucket_position(-distances, buckets, most).to(torch.long)  # the code counts i - j
        assert (sew_d(-distances, buckets, most).to(torch.long) == found).all()
        square = build_relative_position(torch.zeros(1, 700, 1), torch.zeros(1, 900, 1), buckets, most)[0]
        assert (square == found[torch.arange(900)[None] - torch.arange(700)[:, None] + NEAR - 1]).all()
        cases.add(f"{buckets}_{most}", "make_log_bucket_position of deberta_v2, as build_relative_position calls it",
                  {"buckets": buckets, "max-distance": most}, **runs(found))
    cases.write()


# ---- windows ----

def swin_layer(height, width, heads, table):
    from transformers import SwinConfig
    from transformers.models.swin import modeling_swin as module

    layer = module.SwinSelfAttention(SwinConfig(), 2 * heads, heads, (height, width)).eval()
    layer.relative_position_bias_table.copy_(table)
    put(layer.query, torch.zeros(2 * heads, 2 * heads))  # what is left of the scores is the bias
    with softmax_input(module) as seen:
        layer(torch.zeros(1, height * width, 2 * heads))
    return layer.relative_position_index, seen[0][0]


def timm_layer(height, width, heads, table):
    from timm.models.swin_transformer import WindowAttention

    layer = WindowAttention(2 * heads, heads, window_size=(height, width))
    layer.relative_position_bias_table.copy_(table)
    return layer.relative_position_index, layer._get_rel_pos_bias()[0]


def swin(folder):
    cases = Cases(folder, "swin")
    for height, width, heads in [(1, 1, 2), (2, 2, 3), (3, 5, 2), (5, 3, 2), (1, 7, 1), (7, 7, 1), (12, 12, 1)]:
        table = draw((2 * height - 1) * (2 * width - 1), heads)
        index, bias = swin_layer(height, width, heads, table)
        other_index, other_bias = timm_layer(height, width, heads, table)
        assert (index == other_index).all() and (bias == other_bias).all()
        tensors = {"index": index} if height == 12 else {"index": index, "table": table, "bias": bias}
        cases.add(f"{height}x{width}", "SwinSelfAttention of transformers; WindowAttention of timm",
                  {"heads": heads, "window-height": height, "window-width": width}, **tensors)
    cases.write()


# ---- slopes ----

LENGTH = 131072
NUMBERS = torch.tensor([0, 1, 2, 3, 7, 255, 256, 257, 2047, 65537, 100000, LENGTH - 1])
HEADS = [1, 2, 3, 5, 6, 7, 8, 12, 16, 20, 24, 25, 40, 71, 112, 128]


def alibi(folder):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor as bloom
    from transformers.models.falcon.modeling_falcon import build_alibi_tensor as falcon
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor as mpt

    cases = Cases(folder, "alibi")
    for heads in HEADS:
        ones = torch.ones(1, LENGTH if heads < 64 else 2048, dtype=torch.int64)
        numbers = NUMBERS[NUMBERS < ones.shape[1]]
        # m j: a row for all queries, which a softmax with a causal mask does not tell from m (j - i).
        bias = bloom(ones, heads, torch.float32)[:, 0]
        cases.add(f"bloom_{heads}", "build_alibi_tensor of bloom", {"heads": heads, "form": "key"},
                  slopes=bias[:, 1], numbers=numbers, bias=bias[:, numbers])
        # m (j - (keys - 1)): the row of the last query, used for all of them.
        bias = mpt(heads, ones.shape[1])[:, 0]
        cases.add(f"mpt_{heads}", "build_mpt_alibi_tensor", {"heads": heads, "form": "causal"},
                  slopes=-bias[:, -2], numbers=-numbers, bias=bias[:, -1 - numbers])
    for heads in [1, 6, 16, 71, 128]:
        # In bfloat16, where the numbers are rounded too: past 256 they are no longer the keys.
        bias = falcon(torch.ones(1, 2048, dtype=torch.int64), heads, torch.bfloat16)[:, 0].float()
        numbers = NUMBERS[NUMBERS < 2048]
        cases.add(f"falcon_{heads}", "build_alibi_tensor of falcon", {"heads": heads, "form": "key"},
                  slopes=bias[:, 1], numbers=numbers, bias=bias[:, numbers])
    for heads, most in [(6, 16), (24, 4)]:
        # posenc has no alibi_bias_max: such slopes are given as a list.
        bias = mpt(heads, 2048, most)[:, 0]
        numbers = NUMBERS[NUMBERS < 2048]
        cases.add(f"mpt_{heads}_max_{most}", f"build_mpt_alibi_tensor, alibi_bias_max {most}",
                  {"heads": heads, "form": "causal"},
                  slopes=-bias[:, -2], numbers=-numbers, bias=bias[:, -1 - numbers])
    # Padding on the left: the first real token is number 0, which is the row of the query that stands there.
    mask = torch.ones(1, 40, dtype=torch.int64)
    mask[0, :13] = 0
    bias = bloom(mask, 6, torch.float32)[:, 0]
    assert (bias[:, :13] == 0).all()
    cases.add("bloom_6_padded", "build_alibi_tensor of bloom, 13 tokens of padding", {"heads": 6, "form": "causal"},
              slopes=bias[:, 14], numbers=torch.arange(27), bias=bias[:, 13:])
    cases.write()


os.makedirs(FOLDER, exist_ok=True)
for make in (t5, deberta, swin, alibi, shaw):
    make(FOLDER)
