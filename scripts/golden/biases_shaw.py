"""Clipped relative vectors by published code, the file shaw.safetensors of biases.py.

The projections of keys and values are put to zero and that of queries to one, so that the relative term is all that
is left of the scores a layer hands to its softmax.
"""

import torch
from biases_cases import Cases, draw, put, softmax_input


def heads_first(x, heads):
    batch, length, width = x.shape
    return x.view(batch, length, heads, width // heads).transpose(1, 2)


def relative(low, high, beyond, direction, scale, offset=0):
    return {"low": low, "high": high, "beyond": beyond, "direction": direction, "scale": repr(float(scale)),
            "offset": offset}


def bert(cases, name, most, queries, keys):
    """Queries of their own number through cross attention; distances i - j, none beyond the table."""
    from transformers import BertConfig
    from transformers.models.bert import modeling_bert as module

    batch, heads, d = 2, 3, 8
    width = heads * d
    config = BertConfig(hidden_size=width, num_attention_heads=heads, max_position_embeddings=most)
    layer = module.BertSelfAttention(config, position_embedding_type="relative_key").eval()
    put(layer.query, torch.eye(width))
    put(layer.key, torch.zeros(width, width))
    layer.distance_embedding.weight.copy_(draw(2 * most - 1, d))
    x = draw(batch, queries, width)
    with softmax_input(module) as seen:
        layer(x, encoder_hidden_states=None if queries == keys else torch.zeros(batch, keys, width))
    cases.add(name, "BertSelfAttention, relative_key", relative(1 - most, most - 1, "edge", "query-minus-key", d**-0.5),
              q=heads_first(x, heads), table=layer.distance_embedding.weight, scores=seen[0])


def wav2vec2_bert(cases, name, left, right, tokens):
    from transformers import Wav2Vec2BertConfig
    from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert as module

    batch, heads, d = 2, 2, 8
    width = heads * d
    config = Wav2Vec2BertConfig(hidden_size=width, num_attention_heads=heads, position_embeddings_type="relative_key",
                                left_max_position_embeddings=left, right_max_position_embeddings=right)
    layer = module.Wav2Vec2BertSelfAttention(config).eval()
    put(layer.linear_q, torch.eye(width))
    put(layer.linear_k, torch.zeros(width, width))
    layer.distance_embedding.weight.copy_(draw(left + right + 1, d))
    x = draw(batch, tokens, width)
    true, seen = torch.softmax, []
    torch.softmax = lambda scores, dim: seen.append(scores.clone()) or true(scores, dim=dim)
    try:
        layer(x)
    finally:
        torch.softmax = true
    cases.add(name, "Wav2Vec2BertSelfAttention, relative_key",
              relative(-left, right, "edge", "key-minus-query", d**-0.5),
              q=heads_first(x, heads), table=layer.distance_embedding.weight, scores=seen[0])


def speecht5(cases, name, most, tokens):
    """Distances i - j clipped to -most .. most - 1."""
    from transformers.models.speecht5 import modeling_speecht5 as module

    batch, heads, d = 1, 2, 6
    width = heads * d
    encoding = module.SpeechT5RelativePositionalEncoding(d, most)
    encoding.pe_k.weight.copy_(draw(2 * most, d))
    layer = module.SpeechT5Attention(width, heads).eval()
    put(layer.q_proj, torch.eye(width))
    put(layer.k_proj, torch.zeros(width, width))
    x = draw(batch, tokens, width)
    vectors = encoding(x)
    with softmax_input(module) as seen:
        layer(x, position_bias=vectors)
    cases.add(name, "SpeechT5RelativePositionalEncoding and SpeechT5Attention",
              relative(-most, most - 1, "edge", "query-minus-key", d**-0.5), q=heads_first(x, heads),
              table=encoding.pe_k.weight, scores=seen[0].view(batch, heads, tokens, tokens), explicit=vectors)


def vits(cases, name, window, tokens):
    """Keys and values have vectors; beyond the window they are zero."""
    from transformers import VitsConfig
    from transformers.models.vits import modeling_vits as module

    batch, heads, d = 2, 2, 6
    width = heads * d
    config = VitsConfig(hidden_size=width, num_attention_heads=heads, window_size=window)
    layer = module.VitsAttention(config).eval()
    put(layer.q_proj, torch.eye(width))
    put(layer.out_proj, torch.eye(width))
    for part in (layer.k_proj, layer.v_proj):
        put(part, torch.zeros(width, width))
    layer.emb_rel_k.copy_(draw(1, 2 * window + 1, d))
    layer.emb_rel_v.copy_(draw(1, 2 * window + 1, d))
    x = draw(batch, tokens, width)
    with softmax_input(module) as seen:
        out, attention = layer(x, output_attentions=True)
    cases.add(name, "VitsAttention", relative(-window, window, "zero", "key-minus-query", d**-0.5),
              q=heads_first(x, heads), table=layer.emb_rel_k[0], scores=seen[0].view(batch, heads, tokens, tokens),
              attention=attention, value_table=layer.emb_rel_v[0], values=heads_first(out, heads))


def shaw(folder):
    cases = Cases(folder, "shaw")
    bert(cases, "bert", 16, 16, 16)
    bert(cases, "bert_cross_wide", 24, 5, 24)
    bert(cases, "bert_cross_tall", 24, 20, 7)
    wav2vec2_bert(cases, "wav2vec2_bert", 4, 4, 13)
    wav2vec2_bert(cases, "wav2vec2_bert_uneven", 6, 2, 13)
    wav2vec2_bert(cases, "wav2vec2_bert_one", 0, 0, 3)
    speecht5(cases, "speecht5", 5, 12)
    speecht5(cases, "speecht5_short", 9, 4)
    vits(cases, "vits", 4, 14)
    vits(cases, "vits_short", 4, 3)
    cases.write()
