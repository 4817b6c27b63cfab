"""A checkpoint of another problem is refused, as its bound would be false."""

from dataclasses import replace

import numpy as np
import pytest
from checkpoints import WEIGHTS, Bowls, HeavyBall, assert_same_bits, bowls, problem, quiet_solve, run

import saddleback as sb
from saddleback.dual_sets import Simplex


def table(seed=0, n=120, d=4, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return sb.GroupedLinear(X, X @ rng.normal(size=d) + rng.normal(size=n) > 0, np.arange(n) % 3, **options)


def refused(path, other, **options):
    with pytest.raises(sb.ProblemError, match="is of another run") as caught:
        quiet_solve(other, checkpoint=path, resume=True, **options)
    return str(caught.value)


@pytest.mark.parametrize("max_iter", [0, 1, 3])
def test_another_table_whose_losses_agree_at_the_start(max_iter, tmp_path):
    """Logistic losses at w = 0 are log 2 for any data: values there do not tell tables A and B apart."""
    path = tmp_path / "run.ckpt"
    quiet_solve(sb.Problem(table(0, l2=1e-2)), checkpoint=path, max_iter=max_iter)
    assert "loss" in refused(path, sb.Problem(table(1, l2=1e-2)))


@pytest.mark.parametrize(
    "change",
    [{"l2": 2e-2}, {"l2": 1e-2 * (1 + 1e-9)}, {"n": 121}, {"loss": "squared"}],
    ids=["l2", "l2 in the ninth digit", "one more row", "loss"],
)
def test_nearly_the_same_table(change, tmp_path):
    path, options = tmp_path / "run.ckpt", {"method": "quasi-newton"}
    quiet_solve(sb.Problem(table(0, l2=1e-2)), checkpoint=path, max_iter=2, **options)
    refused(path, sb.Problem(table(0, **{"l2": 1e-2, **change})), **options)


def test_column_of_ones_is_no_intercept(tmp_path):
    """The same losses at w = 0, and the same gradients; only the penalty is another."""
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(90, 3)), rng.integers(0, 2, 90), np.arange(90) % 3
    path, options = tmp_path / "run.ckpt", {"method": "quasi-newton", "max_iter": 0}
    quiet_solve(sb.Problem(sb.GroupedLinear(X, y, groups, fit_intercept=True, l2=0.1)), checkpoint=path, **options)
    ones = np.column_stack((X, np.ones(90)))
    refused(path, sb.Problem(sb.GroupedLinear(ones, y, groups, fit_intercept=False, l2=0.1)), **options)


def test_one_label_that_is_another(tmp_path):
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(2000, 4)), rng.integers(0, 2, 2000), np.arange(2000) % 2
    path = tmp_path / "run.ckpt"
    quiet_solve(sb.Problem(sb.GroupedLinear(X, y, groups)), checkpoint=path, max_iter=0)
    y = y.copy()
    y[7] = 1 - y[7]
    refused(path, sb.Problem(sb.GroupedLinear(X, y, groups)))


def offsets():
    """An offset, and others: none, one row of another, two rows of one group and class swapped, of opposite sign."""
    offset = np.random.default_rng(1).normal(size=120)
    one, swapped = offset.copy(), offset.copy()
    one[7] += 1e-3
    labels = np.asarray(table()._passes.reader.y)[np.argsort(table()._passes.reader.plan.rows)]
    i, j = np.flatnonzero((np.arange(120) % 3 == 0) & (labels == 1))[:2]
    swapped[[i, j]] = offset[[j, i]]
    return {"none": None, "one row": one, "swapped": swapped, "opposite": -offset}, offset


@pytest.mark.parametrize("max_iter", [0, 2])
@pytest.mark.parametrize("name", offsets()[0])
def test_another_offset(name, max_iter, tmp_path):
    """With two rows of one group and class swapped, the losses at w = 0 are equal and only gradients differ."""
    others, offset = offsets()
    path = tmp_path / "run.ckpt"
    quiet_solve(sb.Problem(table(0, l2=1e-2, offset=offset)), checkpoint=path, max_iter=max_iter)
    assert "loss" in refused(path, sb.Problem(table(0, l2=1e-2, offset=others[name])))


def test_the_same_offset_resumes(tmp_path):
    _, offset = offsets()
    whole = quiet_solve(sb.Problem(table(0, l2=1e-2, offset=offset)), tol=1e-9)
    options = {"checkpoint": tmp_path / "run.ckpt", "tol": 1e-9}
    quiet_solve(sb.Problem(table(0, l2=1e-2, offset=offset)), max_iter=2, **options)
    assert_same_bits(quiet_solve(sb.Problem(table(0, l2=1e-2, offset=offset.copy())), resume=True, **options), whole)


SETS = [
    sb.Simplex(),
    sb.CappedSimplex(0.5),
    sb.CappedSimplex(0.6),
    sb.CappedSimplex(0.5, prior=[0.1, 0.2, 0.3, 0.4]),
    sb.Contamination(0.5),
    sb.Contamination(0.6),
    sb.Contamination(0.5, prior=[0.1, 0.2, 0.3, 0.4]),
    sb.Chi2Ball(0.5),
    sb.KLBall(0.5),
    sb.TVBall(0.5),
    sb.Box(0.0, 1.0),
    sb.Box(0.0, 2.0),
    sb.Ball(np.full(4, 0.25), 0.1),
    sb.Ball(np.full(4, 0.25), 0.2),
    sb.Polytope(np.vstack((-np.eye(4), np.ones((1, 4)))), np.array([0, 0, 0, 0, 1.0])),
    sb.Polytope(np.vstack((-np.eye(4), np.ones((1, 4)))), np.array([0, 0, 0, 0, 2.0])),
    sb.Product([sb.Simplex(), sb.Box(0.0, 1.0)], [2, 2]),
    sb.Product([sb.Simplex(), sb.Box(0.0, 2.0)], [2, 2]),
]


@pytest.mark.parametrize("first", range(0, len(SETS), 2))
def test_another_dual_set(first, tmp_path):
    path = tmp_path / "run.ckpt"
    quiet_solve(problem(dual_set=SETS[first]), checkpoint=path, max_iter=2)
    for k, other in enumerate(SETS):
        if k != first:
            assert "the dual set was" in refused(path, problem(dual_set=other))
    assert quiet_solve(problem(dual_set=SETS[first]), checkpoint=path, resume=True, max_iter=3).n_iter >= 2


REGULARIZERS = [
    sb.Zero(),
    sb.Quadratic(0.5),
    sb.Quadratic(0.5000001),
    sb.Quadratic(0.5, center=[0.1, 0.2, 0.3, 0.4]),
    sb.Entropy(0.5),
    sb.Entropy(0.5, prior=[0.1, 0.2, 0.3, 0.4]),
]


@pytest.mark.parametrize("first", range(len(REGULARIZERS)))
def test_another_regularizer(first, tmp_path):
    path = tmp_path / "run.ckpt"
    quiet_solve(problem(regularizer=REGULARIZERS[first]), checkpoint=path, max_iter=2)
    for k, other in enumerate(REGULARIZERS):
        if k != first:
            assert "the regularizer was" in refused(path, problem(regularizer=other))


def test_default_spelled_out_is_no_other_regularizer(tmp_path):
    path = tmp_path / "run.ckpt"
    quiet_solve(problem(regularizer=sb.Quadratic(0.5)), checkpoint=path, max_iter=2)
    same = problem(regularizer=sb.Quadratic(0.5, center=np.full(4, 0.25)))
    assert quiet_solve(same, checkpoint=path, resume=True, max_iter=4).n_iter >= 2


class Shrunk(Simplex):
    """A user's own set that is no dataclass of its own: {(1 - share)/n + share q : q in the simplex}."""

    share = 1.0

    def support(self, z):
        lam = (1 - self.share) / z.size + self.share * super().support(z)[1]
        return float(lam @ z), lam

    def support_value(self, z):
        return self.support(z)[0]

    def contains(self, lam, tol=1e-12):
        return True


def shrunk(share):
    return type("Shrunk", (Shrunk,), {"share": share})()


def test_own_set_is_known_by_its_answers(tmp_path):
    path = tmp_path / "run.ckpt"
    options = {"method": "prox-linear", "inner": "path-following", "max_iter": 0}
    quiet_solve(problem(dual_set=shrunk(0.9), regularizer=sb.Zero()), checkpoint=path, **options)
    message = refused(path, problem(dual_set=shrunk(0.8), regularizer=sb.Zero()), **options)
    assert "answers losses differently" in message
    quiet_solve(problem(dual_set=shrunk(0.9), regularizer=sb.Zero()), checkpoint=path, resume=True, **options)


METHODS = [
    sb.Accelerated(),
    sb.Accelerated(restart=False),
    sb.Accelerated(steps="paper"),
    sb.Accelerated(smoothness=30.0),
    sb.Accelerated(smoothness=31.0),
    sb.ProxLinear(),
    sb.QuasiNewton(),
    sb.QuasiNewton(memory=5),
    sb.Newton(),
    sb.AlgorithmOne(smoothness=20.0),
    sb.AlgorithmOne(smoothness=21.0),
    sb.FixedPoint(),
    sb.FixedPoint(accuracy=1e-8),
    sb.APGD(),
    sb.Extragradient(),
    sb.Optimistic(),
    sb.LBFGSB(),
    sb.LBFGSB(memory=3),
]


@pytest.mark.parametrize("first", range(len(METHODS)))
def test_another_method(first, tmp_path):
    path = tmp_path / "run.ckpt"
    run(method=METHODS[first], max_iter=2, checkpoint=path)
    before = path.read_bytes()
    for k, other in enumerate(METHODS):
        if k != first:
            message = refused(path, problem(), method=other, max_iter=2)
            if type(other) is not type(METHODS[first]):
                assert f"the method was {METHODS[first].name}, and is {other.name} now" in message
            else:
                assert f"the method was {METHODS[first]!r}, and is {other!r}" in message
            assert "give another name" in message
            assert "elete" not in message
    assert path.read_bytes() == before


def test_hessian_that_makes_auto_another_method(tmp_path):
    """The message names the two methods, not the parts of their states."""
    options = {"jac": True, "checkpoint": tmp_path / "run.ckpt", "tol": 1e-12}
    with pytest.warns(sb.ConvergenceWarning):
        sb.minimax(bowls, np.ones(6), max_iter=2, **options)
    hess = Bowls().hessian
    with pytest.raises(sb.ProblemError, match=r"the method was quasi-newton, and is newton now\. Resume with"):
        sb.minimax(bowls, np.ones(6), hess=hess, resume=True, **options)
    assert sb.minimax(bowls, np.ones(6), hess=hess, method="quasi-newton", resume=True, **options).success


def test_own_methods_are_named(tmp_path):
    path = tmp_path / "run.ckpt"
    run(method=HeavyBall(), max_iter=2, checkpoint=path)
    message = refused(path, problem(), method="accelerated")
    assert "the method was heavy-ball, and is accelerated now" in message


def test_name_of_a_method_is_the_method_with_its_defaults(tmp_path):
    path = tmp_path / "run.ckpt"
    run(method="accelerated", max_iter=2, checkpoint=path)
    assert run(method=sb.Accelerated(), max_iter=3, checkpoint=path, resume=True).n_iter == 3


@pytest.mark.parametrize("metric", [None, 2.0, np.linspace(1.0, 2.0, 6)])
def test_another_metric(metric, tmp_path):
    path = tmp_path / "run.ckpt"
    quiet_solve(problem(metric=WEIGHTS), checkpoint=path, max_iter=2)
    assert "metric" in refused(path, problem(metric=metric))


def test_another_start(tmp_path):
    path = tmp_path / "run.ckpt"
    run(max_iter=2, checkpoint=path)
    assert "w0" in refused(path, problem(), w0=np.zeros(6))
    assert run(w0=None, max_iter=3, checkpoint=path, resume=True).n_iter == 3


class Bent(Bowls):
    """Two problems whose losses and gradients agree at one point and differ elsewhere."""

    def __init__(self, point):
        self.point = point

    def evaluate(self, w):
        f, G = bowls(w)
        step = w - self.point
        return f + 0.01 * step @ step, G + 0.02 * step


@pytest.mark.parametrize("iterations", [0, 2])
def test_losses_that_agree_to_first_order_at_the_point_of_the_checkpoint(iterations, tmp_path):
    path = tmp_path / "run.ckpt"
    first = run(max_iter=iterations, method="quasi-newton", checkpoint=path)
    message = refused(path, problem(losses=Bent(first.w)), w0=np.ones(6), method="quasi-newton")
    assert "loss" in message


def test_losses_in_other_units_of_the_parameters_are_told_apart(tmp_path):
    """The second point is chosen by the slopes of the losses, so that it does not depend on units."""
    for unit in (1e-8, 1e8):

        def pair(w, bend=0.0, unit=unit):
            f, G = bowls(w / unit)
            step = w / unit - 1.0
            return f + bend * step @ step, (G + 2 * bend * step) / unit

        path = tmp_path / "run.ckpt"
        plain, bent = (sb.from_functions(lambda w, b=b: pair(w, b), np.full(6, unit), jac=True) for b in (0.0, 0.01))
        quiet_solve(sb.Problem(plain), np.full(6, unit), method="prox-linear", checkpoint=path, max_iter=0)
        refused(path, sb.Problem(bent), method="prox-linear")
        path.unlink()


@pytest.mark.parametrize("raises", [True, False])
def test_losses_that_are_undefined_beside_the_start_can_be_kept(raises, tmp_path):
    """The point beside w0 may be outside their domain, where they are not finite or raise."""

    def narrow(w):
        if w[0] != 1.0:
            if raises:
                raise ValueError("outside")
            return np.full(2, np.nan), np.full((2, 1), np.nan)
        return np.array([2.0, 1.0]), np.array([[1.0], [-1.0]])

    path, options = tmp_path / "run.ckpt", {"w0": np.ones(1), "method": HeavyBall(), "max_iter": 0, "tol": 0.0}
    losses = sb.from_functions(narrow, np.ones(1), jac=True)
    first = quiet_solve(sb.Problem(losses), **options, checkpoint=path)
    assert_same_bits(quiet_solve(sb.Problem(losses), **options, checkpoint=path, resume=True), first)


class Rounded(Bowls):
    """The same losses as another machine rounds them."""

    def __init__(self, error):
        self.rng = np.random.default_rng(0)
        self.error = error

    def evaluate(self, w):
        f, G = bowls(w)
        return tuple(x * (1 + self.error * self.rng.uniform(-1, 1, x.shape)) for x in (f, G))


@pytest.mark.parametrize("method", ["quasi-newton", "accelerated", "newton", "lbfgsb"])
@pytest.mark.parametrize("iterations", [0, 5, 40])
def test_rounding_errors_of_another_machine_are_allowed(method, iterations, tmp_path):
    path = tmp_path / "run.ckpt"
    run(method=method, max_iter=iterations, checkpoint=path)
    other = problem(losses=Rounded(1e-14))
    assert quiet_solve(other, np.ones(6), method=method, max_iter=iterations, checkpoint=path, resume=True)
    refused(path, problem(losses=Rounded(1e-9)), method=method, max_iter=iterations)


def test_rounding_errors_of_a_gradient_that_vanishes_are_allowed(tmp_path):
    """At a minimum the gradient is a rounding error, which differs between machines."""
    path = tmp_path / "run.ckpt"
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(400, 5)), rng.normal(size=400)
    order = rng.permutation(400)

    def mean_square(rows):
        A, b = X[rows], y[rows]
        return sb.from_functions(
            lambda w: ([np.mean((A @ w - b) ** 2)], [2 * (A @ w - b) @ A / 400]), np.zeros(5), jac=True
        )

    first = quiet_solve(sb.Problem(mean_square(np.arange(400))), tol=1e-14, method="quasi-newton", checkpoint=path)
    assert np.abs(mean_square(order).evaluate(first.w)[1]).max() < 1e-7
    quiet_solve(sb.Problem(mean_square(order)), tol=1e-14, method="quasi-newton", checkpoint=path, resume=True)


def test_single_precision_and_finite_differences_are_compared_by_their_own_errors(tmp_path):
    def single(w):
        f, G = bowls(w)
        return f.astype(np.float32), G.astype(np.float32)

    with pytest.warns(UserWarning, match="central differences"):
        differences = sb.from_functions(lambda w: bowls(w)[0], np.ones(6))
    for losses in (sb.from_functions(single, np.ones(6), jac=True), differences):
        path = tmp_path / "run.ckpt"
        whole = quiet_solve(problem(losses=losses), np.ones(6), max_iter=6)
        quiet_solve(problem(losses=losses), np.ones(6), max_iter=3, checkpoint=path)
        assert_same_bits(quiet_solve(problem(losses=losses), max_iter=6, checkpoint=path, resume=True), whole)
        path.unlink()


def test_tolerance_limits_and_inner_solver_may_change(tmp_path):
    path = tmp_path / "run.ckpt"
    run(max_iter=2, tol=1e-3, inner="qp", checkpoint=path)
    result = run(max_iter=50, tol=1e-8, time_limit=60.0, inner="path-following", checkpoint=path, resume=True)
    assert result.success


def test_foreign_file_is_left_as_it_was(tmp_path):
    path = tmp_path / "run.ckpt"
    run(max_iter=2, checkpoint=path)
    before = path.read_bytes()
    refused(path, problem(regularizer=sb.Zero()))
    assert path.read_bytes() == before


def test_problem_that_was_rebuilt_is_the_same_problem(tmp_path):
    path = tmp_path / "run.ckpt"
    quiet_solve(sb.Problem(table(0, l2=1e-2)), checkpoint=path, max_iter=2)
    again = replace(sb.Problem(table(0, l2=1e-2)))
    assert quiet_solve(again, checkpoint=path, resume=True).success
