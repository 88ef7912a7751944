"""Holds posenc's .safetensors against the usual Python reader.

    python3 safetensors_by_python.py TOOL PROGRAM FOLDER

TOOL is safetensors_tool, PROGRAM is posenc or "none". What posenc writes is read by Python, what Python writes is read by
posenc, and thousands of damaged files get the same answer from both, save where posenc is known to be stricter.
"""
import json
import os
import random
import subprocess
import sys

import numpy
import safetensors
from safetensors.numpy import save_file

TOOL, PROGRAM, FOLDER = sys.argv[1:]


def place(name):
    return os.path.join(FOLDER, name)


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8", "surrogateescape")


def expect(condition, *what):
    if not condition:
        sys.exit("FAILED: " + " ".join(map(str, what)))


def text(word):
    return b"" if word == "-" else bytes.fromhex(word)


def by_posenc(paths):
    """{path: message} or {path: (tensors, metadata)}."""
    answers, path = {}, None
    for line in run(TOOL, "list", *paths).split("\n"):
        words = line.split(" ")
        if words[0] == "file":
            path = line[5:]
            answers[path] = ({}, {})
        elif words[0] == "refused":
            answers[path] = line[8:]
        elif words[0] == "metadata":
            answers[path][1][text(words[1]).decode()] = text(words[2]).decode()
        elif words[0] == "tensor":
            answers[path][0][text(words[1]).decode()] = (text(words[2]).decode(), json.loads(words[3]), text(words[4]))
    return answers


def by_python(content):
    """A message or (tensors, None)."""
    try:
        return {name: (t["dtype"], list(t["shape"]), bytes(t["data"])) for name, t in safetensors.deserialize(content)}
    except Exception as error:  # whatever it raises is a refusal
        return str(error)


def what_posenc_writes():
    path = place("posenc.safetensors")
    run(TOOL, "write", path)
    with open(path, "rb") as file:
        content = file.read()
    theirs = by_python(content)
    expect(isinstance(theirs, dict), theirs)
    ours, metadata = by_posenc([path])[path]
    expect(len(theirs) == 16 and theirs == ours, "another content", theirs, ours)
    with safetensors.safe_open(path, framework="np") as file:
        expect(file.metadata() == metadata == {"format": "pt", 'k"\n': "v\u00e9", "": ""}, file.metadata(), metadata)
        expect(file.get_tensor("f32").shape == (2, 3) and file.get_tensor("empty").shape == (0, 512), "shapes")
        expect(file.get_tensor("i32").shape == (), "a scalar")


def states():
    path = place("state.safetensors")
    run(TOOL, "state", path)
    with safetensors.safe_open(path, framework="np") as file:
        pe, metadata = file.get_tensor("pe"), file.metadata()
    expect(pe.shape == (40, 6) and pe.dtype == numpy.float32, pe.shape, pe.dtype)
    expect(metadata["posenc.scheme"] == "sinusoidal" and float(metadata["posenc.base"]) == 1234.5, metadata)
    position = numpy.arange(40.0)[:, None] / 1234.5 ** (numpy.arange(3.0) / 3)
    expect(numpy.abs(pe - numpy.concatenate([numpy.sin(position), numpy.cos(position)], 1)).max() < 1e-7, "values")
    save_file({"pe": pe}, path, metadata)  # by Python, as training code would
    expect(text(run(TOOL, "load", path).split()[1]) == pe.tobytes(), "other bits after Python wrote the state")


def what_python_writes():
    random_numbers = numpy.random.default_rng(1)
    types = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
    tensors = {}
    for i, dtype in enumerate(types):
        for rank in range(5):
            shape = tuple(random_numbers.integers(0, 4, rank))
            values = random_numbers.integers(0, 2, shape) if dtype == "bool" else random_numbers.integers(0, 100, shape)
            tensors["model.%s.%d.\u00e9\"\\" % (dtype, rank)] = numpy.asarray(values).astype(dtype)
    path = place("python.safetensors")
    save_file(tensors, path, {"format": "np", "\u20ac": "\n"})
    ours, metadata = by_posenc([path])[path]
    expect(metadata == {"format": "np", "\u20ac": "\n"}, metadata)
    expect(set(ours) == set(tensors), "names")
    for name, value in tensors.items():
        expect(ours[name][1] == list(value.shape) and ours[name][2] == value.tobytes(), name)


def the_program():
    x = numpy.random.default_rng(2).standard_normal((3, 50, 16)).astype(numpy.float32)
    path, added, table = place("x.safetensors"), place("y.safetensors"), place("t.safetensors")
    save_file({"x": x, "other": numpy.arange(5)}, path, {"k": "v"})
    run(PROGRAM, "apply", "sinusoidal", "--input", path + ":x", "--scale", "2", "-o", added)
    run(PROGRAM, "table", "sinusoidal", "--dim", "16", "--length", "50", "-o", table)
    with safetensors.safe_open(added, "np") as file, safetensors.safe_open(table, "np") as of_table:
        expect(file.metadata() == {"k": "v"} and (file.get_tensor("other") == numpy.arange(5)).all(), "what is copied")
        expect(numpy.abs(file.get_tensor("x") - (2 * x + of_table.get_tensor("pe"))).max() < 1e-6, "x")
    run(PROGRAM, "table", "sinusoidal", "--dim", "16", "--length", "50", "--dtype", "bf16", "-o", table)
    with open(table, "rb") as file:
        expect(by_python(file.read())["pe"][:2] == ("BF16", [50, 16]), "bf16")


# Where posenc refuses what Python reads: words of its message.
STRICTER = ["each name once", "each member once", "each key of the metadata once", "text without NUL", "got a fraction",
            "expected dtype, shape and data_offsets", "an object of texts, got null", "at most 2^63-1",
            "at most 64 axes"]


def damaged_files(rounds=4000):
    chance = random.Random(3)
    letters = b'{}[]":,.-+ \n\\u0123456789eEFBIUdtypeshapedata_offsets'
    seeds = []
    for path in sorted(os.listdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fuzz/corpus/safetensors"))):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fuzz/corpus/safetensors", path), "rb") as file:
            seeds.append(file.read())
    contents = dict(("seed-%d" % i, seed) for i, seed in enumerate(seeds))
    for i in range(rounds):
        content = bytearray(chance.choice(seeds))
        end = min(len(content), 8 + int.from_bytes(content[:8], "little"))
        for _ in range(chance.randint(1, 3)):
            if end > 8:
                content[chance.randrange(8, end)] = chance.choice(letters)
        contents["damaged-%d" % i] = bytes(content)
    paths = {}
    for name, content in contents.items():
        paths[place(name)] = content
        with open(place(name), "wb") as file:
            file.write(content)
    answers, agreed = {}, {"both": 0, "neither": 0, "stricter": 0, "unknown type": 0}
    names = list(paths)
    for start in range(0, len(names), 500):
        answers.update(by_posenc(names[start:start + 500]))
    for path, content in paths.items():
        ours, theirs = answers[path], by_python(content)
        if isinstance(ours, tuple) and isinstance(theirs, dict):
            expect(ours[0] == theirs, "another content", content, ours, theirs)
            agreed["both"] += 1
        elif isinstance(ours, str) and isinstance(theirs, str):
            agreed["neither"] += 1
        elif isinstance(ours, str):
            expect(any(word in ours for word in STRICTER), "Python reads it:", content, ours)
            agreed["stricter"] += 1
        else:
            expect("unknown variant" in theirs, "Python refuses it:", content, theirs)
            agreed["unknown type"] += 1
        os.remove(path)
    print(agreed)
    expect(all(agreed.values()), "every kind was meant to come")


what_posenc_writes()
states()
what_python_writes()
if PROGRAM != "none":
    the_program()
damaged_files()
print("agreed with safetensors", safetensors.__version__)
