"""Makes corpus/npy: small .npy files, right and wrong, for the fuzz target and its replay.

    python3 make_corpus_npy.py

Plain Python; the same bytes at every run.
"""
import os

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", "npy")


def head(descr="'<f4'", fortran="False", shape="(2,)", keys=("descr", "fortran_order", "shape")):
    return ("{'%s': %s, '%s': %s, '%s': %s, }" % (keys[0], descr, keys[1], fortran, keys[2], shape)).encode("latin1")


def npy(text, data=b"", version=(1, 0), pad=True, length=None):
    width = 2 if version[0] == 1 else 4
    if pad:
        text += b" " * (-(8 + width + len(text) + 1) % 64) + b"\n"
    n = len(text) if length is None else length
    return b"\x93NUMPY" + bytes(version) + n.to_bytes(width, "little") + text + data


RIGHT = {
    "f4": npy(head(), bytes(8)),
    "f8-be": npy(head("'>f8'", shape="(3, 2)"), bytes(range(48))),
    "f2-fortran": npy(head("'<f2'", "True", "(3, 5)"), bytes(range(30))),
    "i4-fortran-be": npy(head("'>i4'", "True", "(2, 3, 4)"), bytes(range(96))),
    "i8-be": npy(head("'>i8'"), bytes(range(16))),
    "u1-3d": npy(head("'|u1'", "True", "(2, 2, 2)"), bytes(range(8))),
    "i2-native": npy(head("'=i2'"), bytes(4)),
    "bool": npy(head("'|b1'", shape="(4,)"), b"\0\1\1\0"),
    "bool-mark": npy(head("'?'", shape="(4,)"), b"\0\1\1\0"),
    "scalar": npy(head("'<f8'", shape="()"), bytes(8)),
    "empty": npy(head(shape="(0, 512)")),
    "empty-huge": npy(head("'|u1'", shape="(0, 9223372036854775807)")),
    "rank-8": npy(head("'<u2'", "True", "(2, 1, 2, 1, 2, 1, 2, 3)"), bytes(96)),
    "long": npy(head("'<u4'", shape="(3L, 2L)"), bytes(24)),
    "version-2": npy(head(), bytes(8), (2, 0)),
    "version-3": npy(head(), bytes(8), (3, 0)),
    "bare": npy(b"{'shape':(1,),'fortran_order':True,'descr':'|i1'}", b"\xff", pad=False),
    "blanks": npy(b' \t{ "shape" : ( 1 , ) ,\n"fortran_order" : False , "descr" : "<f4" , } ', bytes(4)),
}
WRONG = {
    "nothing": b"",
    "magic": b"\x93NUMPY",
    "zip": b"PK\x03\x04" + bytes(26),
    "pickle": b"\x80\x04\x95\x1a\x00\x00\x00\x00\x00\x00\x00\x8c\x08builtins\x94\x8c\x04eval\x94\x93\x94.",
    "version-4": npy(head(), bytes(8), (4, 0)),
    "length-4-gib": b"\x93NUMPY\x02\x00\xff\xff\xff\xff",
    "length-beyond": npy(head(), bytes(8), length=60000),
    "length-short": npy(head(), bytes(8), length=30),
    "short-data": npy(head(), bytes(7)),
    "long-data": npy(head(), bytes(9)),
    "two-arrays": npy(head(), bytes(8)) * 2,
    "object": npy(head("'|O'"), b"\x80\x04N."),
    "structured": npy(head("[('x', '<f4'), ('y', '<i4')]"), bytes(16)),
    "complex": npy(head("'<c8'"), bytes(16)),
    "text": npy(head("'<U4'"), bytes(32)),
    "date": npy(head("'<M8[ns]'"), bytes(16)),
    "void": npy(head("'<V2'"), bytes(4)),
    "half-bool": npy(head("'|b1'"), b"\1\2"),
    "overflow": npy(head(shape="(4294967296, 4294967296)"), bytes(8)),
    "overflow-zero": npy(head(shape="(0, 9223372036854775807)")),
    "huge": npy(head(shape="(1099511627776,)"), bytes(8)),
    "too-huge": npy(head(shape="(9223372036854775808,)"), bytes(8)),
    "negative": npy(head(shape="(-2,)"), bytes(8)),
    "fraction": npy(head(shape="(2.0,)"), bytes(8)),
    "list": npy(head(shape="[2]"), bytes(8)),
    "no-tuple": npy(head(shape="(2)"), bytes(8)),
    "rank-9": npy(head(shape="(1,1,1,1,1,1,1,1,1)"), bytes(4)),
    "twice": npy(b"{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", bytes(8)),
    "missing": npy(b"{'descr': '<f4', 'shape': (2,)}", bytes(8)),
    "extra": npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", bytes(8)),
    "nul": npy(head(keys=("descr\0", "fortran_order", "shape")), bytes(8)),
    "cyrillic": npy(head(keys=("d\xd0\xb5scr", "fortran_order", "shape")), bytes(8), (3, 0)),
    "expression": npy(b"{'descr': __import__('os').system('id'), 'fortran_order': False, 'shape': (2,)}", bytes(8)),
    "nested": npy(b"{" * 200, b""),
}

os.makedirs(HERE, exist_ok=True)
for kind, files in (("right", RIGHT), ("wrong", WRONG)):
    for name, content in files.items():
        with open(os.path.join(HERE, kind + "-" + name), "wb") as file:
            file.write(content)
