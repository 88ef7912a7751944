"""Writes .safetensors with tensors and metadata in the order of their names, so that the same values are the same file."""

import json
import struct

import numpy

NAMES = {numpy.dtype(name): code for name, code in
         {"float32": "F32", "int16": "I16", "int32": "I32", "int64": "I64"}.items()}


def save(path, tensors, metadata):
    header, data = {"__metadata__": dict(sorted(metadata.items()))}, b""
    for name in sorted(tensors):
        value = numpy.ascontiguousarray(tensors[name])
        assert numpy.isfinite(value).all(), (path, name)
        begin, data = len(data), data + value.astype(value.dtype.newbyteorder("<")).tobytes()
        header[name] = {"dtype": NAMES[value.dtype], "shape": list(value.shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
