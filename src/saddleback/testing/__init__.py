"""Contract suites for your own dual sets, regularizers, losses and pointwise losses.

Call one function in your tests. It returns None if the object satisfies the contract, and otherwise raises one
`ContractError` that lists what is wrong, where, in which direction, and what to do.

>>> import numpy as np
>>> import saddleback as sb
>>> from saddleback.testing import ContractError, check_dual_set, check_losses, check_regularizer
>>> check_dual_set(sb.Simplex(), 4)
>>> check_regularizer(sb.Entropy(0.1), sb.Simplex(), 4)
>>> def fun(w):
...     return [w[0] ** 2 + w[1], w[1] ** 2], [[2 * w[0], 1.0], [0.0, 3 * w[1]]]
>>> losses = sb.from_functions(fun, np.ones(2), jac=True)
>>> try:
...     check_losses(losses, np.ones(2))
... except ContractError as error:
...     print("row 1 of the Jacobian is not the gradient of loss 1" in str(error), "coordinate is 1" in str(error))
True True
"""

from .dual_set_contract import check_dual_set
from .failures import ContractError
from .losses_contract import check_losses
from .pointwise_contract import check_pointwise_loss
from .regularizer_contract import check_regularizer

__all__ = ["ContractError", "check_dual_set", "check_losses", "check_pointwise_loss", "check_regularizer"]
