"""What biases.py and biases_shaw.py share: the cases of a file, random numbers, the insides of published layers."""

import os
from contextlib import contextmanager

import numpy
import timm
import torch
import transformers
from container import save

random = numpy.random.default_rng(20180306)


class Cases:
    """The cases of one file."""

    def __init__(self, folder, name):
        self.path, self.tensors = f"{folder}/{name}.safetensors", {}
        self.metadata = {"made by": "scripts/golden/biases.py", "torch": torch.__version__,
                         "transformers": transformers.__version__, "timm": timm.__version__}

    def add(self, case, source, parameters, **tensors):
        self.metadata[case + ".from"] = source
        self.metadata[case + ".posenc"] = " ".join(f"{name}={value}" for name, value in parameters.items())
        for what, value in tensors.items():
            value = value.detach().contiguous().numpy()
            if value.dtype == numpy.int64:
                value = value.astype(numpy.int16 if abs(value).max() < 32768 else numpy.int32)
            self.tensors[f"{case}.{what}"] = value

    def write(self):
        save(self.path, self.tensors, self.metadata)
        print(f"{self.path}: {os.path.getsize(self.path)} bytes")


def draw(*shape):
    return torch.from_numpy(random.uniform(-1, 1, shape).astype(numpy.float32))


@contextmanager
def softmax_input(module):
    """What a module hands to its softmax is put into the list."""
    seen, functional = [], module.nn.functional
    true = functional.softmax

    def record(scores, dim):
        seen.append(scores.clone())
        return true(scores, dim=dim)

    functional.softmax = record
    try:
        yield seen
    finally:
        functional.softmax = true


def put(linear, weight):
    linear.weight.copy_(weight)
    if linear.bias is not None:
        linear.bias.zero_()
