"""Makes the .npy files of this folder with NumPy itself (2.4.6 made the ones that are kept here).

    python3 make.py

Element k, counted in C order, has the value k (k mod 2 for bool).
"""
import numpy as np
from numpy.lib import format as npy


def save(name, dtype, shape, order="C", version=None):
    n = int(np.prod(shape))
    values = np.arange(n).reshape(shape)
    array = np.asarray(values % 2 if np.dtype(dtype) == bool else values, order=order).astype(dtype, order="K")
    with open(name + ".npy", "wb") as file:
        npy.write_array(file, array, version=version)


save("f4-le", "<f4", (3, 5))
save("f4-be", ">f4", (3, 5))
save("f8-fortran", "<f8", (4, 3), "F")
save("f8-be-fortran", ">f8", (2, 3, 4), "F")
save("f2", "<f2", (7,))
save("i1", "|i1", (2, 2))
save("i2-be", ">i2", (6,))
save("i4", "<i4", (1,))
save("i8-fortran-4d", "<i8", (2, 3, 4, 5), "F")
save("u1", "|u1", (11,))
save("u2", "<u2", (3, 3))
save("u4-be", ">u4", (5, 2))
save("u8", "<u8", (9,))
save("bool", "|b1", (3, 3))
save("scalar", "<f8", ())
save("empty", "<f4", (0, 512))
save("table", "<f4", (50, 16))
save("version-2", "<f4", (3, 5), version=(2, 0))
save("version-3", "<f4", (3, 5), version=(3, 0))
save("rank-8", "<u2", (2, 1, 2, 1, 2, 1, 2, 3), "F")
