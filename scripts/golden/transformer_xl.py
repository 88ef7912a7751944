#!/usr/bin/env python3
"""Writes tests/relative/xl_published.inc: attention scores of two published implementations on small random inputs.

TransfoXL (the authors' model) and XLNet (its bidirectional form), both of transformers 4.30.2 in TensorFlow:

    python3 -m venv venv
    venv/bin/pip install transformers==4.30.2 tensorflow-cpu==2.12.0 "numpy<1.24"
    venv/bin/python scripts/golden/transformer_xl.py > tests/relative/xl_published.inc

The scores are what each implementation hands to its softmax. q, k, the biases and the weights of positions are drawn
here and put in; scores of keys ahead of a causal query are left out (the shift leaves other rows' values there).
"""
import numpy as np
import tensorflow as tf
from transformers import XLNetConfig
from transformers.models.transfo_xl import modeling_tf_transfo_xl as transfo_xl
from transformers.models.xlnet import modeling_tf_xlnet as xlnet

random = np.random.RandomState(20190109)
seen = []


def record(scores, axis):
    """Stands in for the softmax of a module: keeps what it is given."""
    seen.append(scores.numpy())
    return tf.nn.softmax(scores, axis)


transfo_xl.stable_softmax = xlnet.stable_softmax = record


def draw(*shape):
    return random.uniform(-1, 1, shape).astype(np.float32)


def show(name, values):
    numbers = ["%.9gf" % v if "." in "%.9g" % v or "e" in "%.9g" % v else "%.9g.0f" % v for v in values.ravel()]
    lines, line = [], "   "
    for number in numbers:
        if len(line) + len(number) + 2 > 118:
            lines.append(line)
            line = "   "
        line += " " + number + ","
    lines.append(line)
    print("static const float %s[] = {\n%s\n};" % (name, "\n".join(lines)))


def case(index, queries, keys, batch, heads, d, clamp, bidirectional):
    """One case. Published axes are (length, batch, heads, d); posenc's (batch, heads, length, d)."""
    model, memory = heads * d, keys - queries
    q, k = draw(queries, batch, heads, d), draw(keys, batch, heads, d)
    u, v, w = draw(heads, d), draw(heads, d), draw(heads * d, model)
    if bidirectional:
        config = XLNetConfig(vocab_size=8, d_model=model, n_layer=1, n_head=heads, d_inner=8, clamp_len=clamp)
        main = xlnet.TFXLNetMainLayer(config)
        layer = xlnet.TFXLNetRelativeAttention(config)
        layer.build(None)
        layer.r_w_bias.assign(u), layer.r_r_bias.assign(v)
        r = main.relative_positional_encoding(queries, keys, bsz=batch)
        k_r = tf.einsum("ibh,hnd->ibnd", r, tf.constant(w.T.reshape(model, heads, d)))
        layer.rel_attn_core(tf.constant(q), tf.constant(k), tf.constant(k), k_r, None, None, None, False)
    else:
        layer = transfo_xl.TFRelPartialLearnableMultiHeadAttn(heads, model, d, 0.0)
        positions = tf.range(keys - 1, -1, -1.0)
        if clamp > 0:
            positions = tf.minimum(positions, float(clamp))
        r = transfo_xl.TFPositionalEmbedding(model)(positions)
        # In the place of the projection of its inputs: q, k as they are.
        layer.build(None)
        layer.r_w_bias.assign(u), layer.r_r_bias.assign(v)
        layer.qkv_net = lambda x: tf.constant(
            np.concatenate([np.concatenate([np.zeros((memory,) + q.shape[1:], np.float32), q]).reshape(keys, batch, -1),
                            k.reshape(keys, batch, -1), k.reshape(keys, batch, -1)], -1))
        layer.r_net.build((None, model))
        layer.r_net.set_weights([w.T])
        mems = tf.zeros((memory, batch, model))
        layer(tf.zeros((queries, batch, model)), r, None, mems, None, False)
    scores = seen.pop()  # (queries, keys, batch, heads)
    prefix = "case_%d" % index
    show(prefix + "_q", q.transpose(1, 2, 0, 3))
    show(prefix + "_k", k.transpose(1, 2, 0, 3))
    show(prefix + "_u", u)
    show(prefix + "_v", v)
    show(prefix + "_w", w)
    show(prefix + "_scores", scores.transpose(2, 3, 0, 1))
    return "    {%d, %d, %d, %d, %d, %d, %d, %s_q, %s_k, %s_u, %s_v, %s_w, %s_scores}," % (
        (batch, heads, queries, keys, d, clamp, bidirectional) + (prefix,) * 6)


CASES = [
    # queries, keys, batch, heads, d, clamp, bidirectional
    (5, 5, 1, 2, 4, 0, 0),
    (4, 11, 2, 2, 4, 0, 0),
    (3, 12, 1, 1, 6, 5, 0),
    (6, 6, 2, 2, 4, 0, 1),
    (4, 9, 1, 3, 4, 0, 1),
    (5, 10, 1, 2, 4, 3, 1),
]
print("/* Made by scripts/golden/transformer_xl.py from transformers 4.30.2: TransfoXL, and XLNet where bidirectional. */")
rows = [case(i, *c) for i, c in enumerate(CASES)]
print("static const published cases[] = {\n    /* batch, heads, queries, keys, d, clamp_len, bidirectional */\n%s\n};" %
      "\n".join(rows))
