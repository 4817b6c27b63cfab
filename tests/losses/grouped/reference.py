"""The same losses by their formulas in NumPy, differentiated by autograd."""

from __future__ import annotations

import autograd
import autograd.numpy as anp
import numpy as np


def logistic(eta, y):
    return anp.logaddexp(0.0, -y * eta)


def squared(eta, y):
    return (eta - y) ** 2


def huber(eta, y, delta=1.0):
    r = anp.abs(eta - y)
    return anp.where(r <= delta, 0.5 * r**2, delta * r - 0.5 * delta**2)


def squared_hinge(eta, y):
    return anp.maximum(0.0, 1.0 - y * eta) ** 2


def poisson(eta, y):
    return anp.exp(eta) - y * eta


def quantile(eta, y, q=0.5, smoothing=0.1):
    r = y - eta
    above, below = q * r - 0.5 * smoothing * q**2, (q - 1) * r - 0.5 * smoothing * (1 - q) ** 2
    return anp.where(r > q * smoothing, above, anp.where(r < (q - 1) * smoothing, below, r**2 / (2 * smoothing)))


def softmax(eta, y):
    top = anp.max(eta, axis=1, keepdims=True)
    own = eta[np.arange(len(y)), y.astype(int)]
    return anp.log(anp.sum(anp.exp(eta - top), axis=1)) + top[:, 0] - own


POINTWISE = {f.__name__: f for f in (logistic, squared, huber, squared_hinge, poisson, quantile, softmax)}


class Reference:
    """f_j(w) = sum_i m_ij ell(o_i + x_i'w + b, y_i) / sum_i m_ij + l2/2 |w|^2, y as numbers, m of shape (n, J)."""

    def __init__(self, X, y, m, pointwise, *, l2=0.0, intercept=False, n_classes=None, offset=None):
        self.X = np.asarray(X, dtype=np.float64)
        self.y, self.m, self.pointwise = y, m / m.sum(axis=0), pointwise
        self.l2, self.intercept, self.n_classes = l2, intercept, n_classes
        self.offset = 0.0 if offset is None else offset

    def values(self, w):
        n_outputs = self.n_classes or 1
        n_weights = n_outputs * self.X.shape[1]
        W = anp.reshape(w[:n_weights], (n_outputs, -1))
        eta = anp.dot(self.X, W.T)
        if self.intercept:
            eta = eta + w[n_weights:]
        if self.n_classes is None:
            eta = eta[:, 0]
        eta = eta + self.offset
        return anp.dot(self.m.T, self.pointwise(eta, self.y)) + 0.5 * self.l2 * anp.sum(W**2)

    def jacobian(self, w):
        return autograd.jacobian(self.values)(w)

    def hessian(self, w, lam):
        return autograd.hessian(lambda v: anp.dot(lam, self.values(v)))(w)
