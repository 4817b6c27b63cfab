"""Sparse matrices with wrong index arrays, passed to every function that takes sparse matrices.

A program of its own, as what it tries may end the process: ``python corrupt.py X`` prints what became of each case.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import scipy.sparse as sp

import saddleback as sb

N = 30
DENSE = np.abs(np.random.default_rng(0).standard_normal((N, N))) + 0.1
FAR = 10**8


def changed(matrix, **attributes):
    for name, value in attributes.items():
        setattr(matrix, name, value)
    return matrix


def written(matrix, part, place, value):
    getattr(matrix, part)[place] = value
    return matrix


def lists(rows=None, data=None):
    M = sp.lil_matrix(DENSE)
    for part, lines in ((M.rows, rows or {}), (M.data, data or {})):
        for i, line in lines.items():
            part[i] = line
    return M


def keys(kind, key):
    M = kind(DENSE)
    M._dict[key] = 1.0
    return M


def coordinates(kind, axis, value):
    M = kind(DENSE)
    M.coords[axis][3] = value
    return M


def twice(x):
    return np.concatenate([x, x])


CASES = {
    "lil, column too large": lambda: lists({0: [FAR]}, {0: [1.0]}),
    "lil, column negative": lambda: lists({0: [-5]}, {0: [1.0]}),
    "lil, column beyond int64": lambda: lists({0: [10**30]}, {0: [1.0]}),
    "lil, values left over": lambda: lists(data={3: [1.0] * 10**6}),
    "lil, values missing": lambda: lists(data={3: [1.0]}),
    "lil, no list": lambda: lists({3: 7}),
    "lil, value a word": lambda: lists(data={0: ["a"] * N}),
    "lil, no rows": lambda: changed(sp.lil_array(DENSE), rows=None),
    "lil, rows missing": lambda: changed(sp.lil_array(DENSE), rows=sp.lil_array(DENSE).rows[:5]),
    "bsr, column too large": lambda: written(sp.bsr_array(DENSE, blocksize=(3, 2)), "indices", 0, FAR),
    "bsr, column negative": lambda: written(sp.bsr_matrix(DENSE, blocksize=(3, 2)), "indices", 0, -FAR),
    "bsr, pointer too large": lambda: written(sp.bsr_array(DENSE, blocksize=(3, 2)), "indptr", -1, FAR),
    "bsr, pointer negative": lambda: written(sp.bsr_array(DENSE, blocksize=(3, 2)), "indptr", 1, -FAR),
    "bsr, blocks missing": lambda: changed(sp.bsr_array(DENSE, blocksize=(3, 2)), data=np.ones((2, 3, 2))),
    "bsr, blocks too large": lambda: changed(sp.bsr_array(DENSE, blocksize=(3, 2)), data=np.ones((150, 7, 7))),
    "bsr, no blocks": lambda: changed(sp.bsr_array(DENSE, blocksize=(3, 2)), data=np.ones(900)),
    "dia, offsets left over": lambda: changed(sp.dia_array(DENSE), offsets=twice(sp.dia_array(DENSE).offsets)),
    "dia, offset twice": lambda: written(sp.dia_array(DENSE), "offsets", 0, sp.dia_array(DENSE).offsets[1]),
    "dia, no offsets": lambda: changed(sp.dia_array(DENSE), offsets=None),
    "dia, offset beyond int32": lambda: changed(sp.dia_matrix(DENSE), offsets=np.arange(59) + 2**32),
    "dia, offset a fraction": lambda: changed(sp.dia_array(DENSE), offsets=np.arange(59) + 0.5),
    "dok, column too large": lambda: keys(sp.dok_array, (0, FAR)),
    "dok, row too large": lambda: keys(sp.dok_matrix, (FAR, 0)),
    "dok, row negative": lambda: keys(sp.dok_array, (-3, 0)),
    "coo, column too large": lambda: coordinates(sp.coo_array, 1, FAR),
    "coo, row negative": lambda: coordinates(sp.coo_matrix, 0, -1),
    "coo, no indices": lambda: changed(sp.coo_array(DENSE), coords=None),
    "coo, indices missing": lambda: changed(sp.coo_array(DENSE), coords=(np.arange(3), np.arange(3))),
    "coo, values left over": lambda: changed(sp.coo_array(DENSE), data=np.ones(10**6)),
    "coo, fractions": lambda: changed(sp.coo_array(DENSE), coords=(np.arange(900) / 30.0, np.arange(900) % 30)),
    "csr, column too large": lambda: written(sp.csr_array(DENSE), "indices", 3, FAR),
    "csr, columns of fractions": lambda: changed(sp.csr_array(DENSE), indices=np.resize(np.arange(30.0), 900)),
    "csr, columns in a matrix": lambda: changed(sp.csr_array(DENSE), indices=np.zeros((900, 1), dtype=np.int32)),
    "csr, columns beyond int64": lambda: changed(sp.csr_array(DENSE), indices=np.full(900, 2**63, dtype=np.uint64)),
    "csr, a list of columns": lambda: changed(sp.csr_array(DENSE), indices=[0] * 900),
    "csr, values in a matrix": lambda: changed(sp.csr_array(DENSE), data=np.ones((900, 2))),
    "csr, pointers missing": lambda: changed(sp.csr_matrix(DENSE), indptr=np.arange(5)),
    "csc, row too large": lambda: written(sp.csc_array(DENSE), "indices", 3, FAR),
    "csc, pointer negative": lambda: written(sp.csc_matrix(DENSE), "indptr", 1, -7),
    "csc, pointer too large": lambda: written(sp.csc_array(DENSE), "indptr", -1, FAR),
    **{
        f"{form}, {type(data).__name__} for values": lambda form=form, data=data: changed(
            getattr(sp, f"{form}_array")(DENSE), data=data
        )
        for form in ("csr", "csc", "coo", "lil", "dia", "bsr")
        for data in (None, [1.0] * 900)
    },
}


def use(where, matrix):
    if where == "matrices":
        return sb.AffineMatrix(matrix, [np.eye(N)]).values(np.ones(1))
    arguments = {"X": DENSE, "y": np.arange(N) % 2, "groups": np.arange(N) % 3, where: matrix}
    return sb.GroupedLinear(**arguments, fit_intercept=False).evaluate(np.ones(N))


def main(where):
    for name, make in CASES.items():
        matrix = make()
        try:
            use(where, matrix)
        except Exception as error:
            print(json.dumps([name, type(error).__name__, str(error)]), flush=True)
        else:
            print(json.dumps([name, "accepted", ""]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
