"""Makes corpus/safetensors: small .safetensors files, right and wrong, for the fuzz target and its replay.

    python3 make_corpus_safetensors.py

Plain Python; the same bytes at every run.
"""
import json
import os

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", "safetensors")


def file(header, data=b"", length=None):
    if not isinstance(header, bytes):
        header = (header if isinstance(header, str) else json.dumps(header, separators=(",", ":"))).encode("utf-8")
    return (len(header) if length is None else length).to_bytes(8, "little") + header + data


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


A = entry("F32", [2], 0, 8)
RIGHT = {
    "none": file("{}"),
    "metadata": file({"__metadata__": {"format": "pt", "k": "v"}}),
    "one": file({"a": A}, bytes(8)),
    "padded": file(json.dumps({"a": A}) + "     ", bytes(8)),
    "blanks": file(json.dumps({"a": A}, indent=1), bytes(8)),
    "scalar": file({"s": entry("F64", [], 0, 8)}, bytes(8)),
    "empty": file({"e": entry("F32", [0, 512], 0, 0)}),
    "two": file({"b": entry("BF16", [2, 1], 4, 8), "a": entry("I8", [4], 0, 4)}, bytes(8)),
    "bool": file({"b": entry("BOOL", [3], 0, 3)}, b"\0\1\1"),
    "escapes": file('{"\\u00e9\\ud83d\\ude00\\n\\"":{"d\\u0074ype":"U8","shape":[1],"data_offsets":[0,1]}}', b"x"),
    "unknown": file({"q": entry("Q7", [3], 0, 5)}, bytes(5)),
    "small": file({"f4": entry("F4", [4], 0, 2), "f6": entry("F6_E2M3", [4], 2, 5), "f8": entry("F8_E4M3", [1], 5, 6)}, bytes(6)),
    "rank-9": file({"r": entry("U16", [1] * 9, 0, 2)}, bytes(2)),
    "no-name": file({"": entry("U8", [1], 0, 1)}, b"x"),
    "state": file({"__metadata__": {"posenc.version": "1", "posenc.scheme": "sinusoidal"}, "pe": entry("F32", [2, 2], 0, 16)},
                  bytes(16)),
}
WRONG = {
    "nothing": b"",
    "short": b"\x02\0\0",
    "length-0": file(b"", length=0),
    "length-beyond": file("{}", length=3),
    "length-cap": file("{}", length=100000001),
    "length-huge": file("{}", length=2**64 - 1),
    "zip": b"PK\x03\x04" + bytes(26),
    "pickle": b"\x80\x04\x95\x1a\x00\x00\x00\x00\x00\x00\x00\x8c\x08builtins\x94",
    "list": file("[]"),
    "latin1": file(b'{"\xe9":1}'),
    "nul": file('{"a\\u0000b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}', b"x"),
    "surrogate": file('{"\\ud800":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}', b"x"),
    "twice": file('{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}', b"x"),
    "twice-inside": file('{"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}}', b"x"),
    "twice-metadata": file('{"__metadata__":{"k":"1","k":"2"}}'),
    "metadata-number": file('{"__metadata__":{"k":1}}'),
    "gap": file({"a": entry("U8", [1], 0, 1), "b": entry("U8", [1], 2, 3)}, bytes(3)),
    "overlap": file({"a": entry("U8", [2], 0, 2), "b": entry("U8", [2], 1, 3)}, bytes(3)),
    "reversed": file({"a": entry("U8", [1], 1, 0)}, bytes(1)),
    "negative": file({"a": entry("U8", [-1], 0, 1)}, bytes(1)),
    "beyond": file({"a": entry("U8", [9], 0, 9)}, bytes(8)),
    "more": file({"a": entry("U8", [7], 0, 7)}, bytes(8)),
    "wrap": file({"a": entry("U8", [2**32, 2**32], 0, 0)}),
    "wrap-zero": file({"a": entry("U8", [0, 2**62, 4], 0, 0)}),
    "2-63": file('{"a":{"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,0]}}'),
    "real": file('{"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}}', b"x"),
    "extra": file('{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":null}}', b"x"),
    "missing": file('{"a":{"dtype":"U8","shape":[1]}}', b"x"),
    "deep": file('{"a":' + "[" * 200),
    "half-bool": file({"b": entry("BOOL", [2], 0, 2)}, b"\1\2"),
    "fraction": file({"f": entry("F4", [3], 0, 2)}, bytes(2)),
    "rank-65": file({"r": entry("U8", [1] * 65, 0, 1)}, b"x"),
}

os.makedirs(HERE, exist_ok=True)
for kind, files in (("right", RIGHT), ("wrong", WRONG)):
    for name, content in files.items():
        with open(os.path.join(HERE, kind + "-" + name), "wb") as out:
            out.write(content)
