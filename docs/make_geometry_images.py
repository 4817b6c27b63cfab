"""Make the pictures of docs/geometries_reference.md: ``python docs/make_geometry_images.py``.

Each shows a set (shaded), level lines of its barrier, and the central path from the analytic center to the best
response. Everything drawn comes from the public interface of the sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from numpy.typing import NDArray
from scipy.linalg import null_space

import saddleback as sb
from saddleback.adversary import Adversary
from saddleback.dual_sets import HasBarrier
from saddleback.linalg.hessians import as_hessian

Array: TypeAlias = NDArray[np.float64]
Map: TypeAlias = Callable[[Array], Array]

IMAGES = Path(__file__).resolve().parent / "images"
INK, GRAY, FILL, LEVEL, ACCENT = "#26323d", "#9aa5b1", "#d6e8ee", "#7fb3c4", "#d1603d"
LOSSES = np.array([1.0, 0.55, 0.0])
GAMMAS = np.geomspace(1e-3, 1e3, 300)


# --- what is drawn ----------------------------------------------------------------------------------------------------


def central_path(dual_set: HasBarrier, z: Array, taus: Array) -> Array:
    """argmin B(lam) - tau <lam, z> for each tau, by Newton steps on the affine hull."""
    lam = dual_set.center(z.size)
    T = null_space(dual_set.affine_hull(z.size)[0]) if len(dual_set.affine_hull(z.size)[0]) else np.eye(z.size)
    points = [lam]
    for tau in taus:
        for _ in range(50):
            slope = T.T @ (dual_set.barrier_gradient(lam) - tau * z)
            H = T.T @ as_hessian(dual_set.barrier_hessian(lam)).dense() @ T
            step = -np.linalg.solve(H, slope)
            decrement = float(np.sqrt(max(0.0, -slope @ step)))
            lam = lam + T @ step / (1.0 + decrement if decrement > 0.2 else 1.0)
            if decrement < 1e-7:
                break
        points.append(lam)
    return np.array(points)


def responses(regularizers: Sequence[sb.Regularizer], dual_set: sb.DualSet, z: Array) -> Array:
    """The best responses to z."""
    return np.array([Adversary(dual_set, r, z.size).best_response(z).lam for r in regularizers])


# --- how it is drawn --------------------------------------------------------------------------------------------------


def panel(ax: Any, dual_set: Any, z: Array, embed: Map, flatten: Map, box: tuple[float, float, float, float]) -> None:
    """The set, level lines of its barrier and the central path; ``embed`` maps the plane to lam, ``flatten`` back."""
    x, y = np.meshgrid(np.linspace(box[0], box[1], 261), np.linspace(box[2], box[3], 261))
    B = np.array([barrier(dual_set, embed(np.array(p))) for p in zip(x.ravel(), y.ravel(), strict=True)])
    B = B.reshape(x.shape)
    inside = np.isfinite(B)
    least = dual_set.barrier(dual_set.center(z.size))
    B = np.where(inside, B - least, 1e3)
    ax.contourf(x, y, inside, levels=[0.5, 1.5], colors=[FILL])
    ax.contour(x, y, B, levels=[0.15, 0.6, 1.5, 3.0], colors=LEVEL, linewidths=0.7)
    path(ax, flatten(central_path(dual_set, z, np.geomspace(1e-2, 1e5, 160)).T), "central path")
    dot(ax, flatten(dual_set.center(z.size)), INK, "center")
    dot(ax, flatten(dual_set.support(z)[1]), ACCENT, "best response")


def barrier(dual_set: HasBarrier, lam: Array) -> float:
    return dual_set.barrier(lam) if lam.size else np.inf


def path(ax: Any, xy: Array, label: str, style: str = "-") -> None:
    ax.plot(*xy, color=ACCENT, linewidth=1.6, linestyle=style, label=label, solid_capstyle="round")


def dot(ax: Any, xy: Array, color: str, label: str) -> None:
    ax.plot(*xy, "o", color=color, markersize=5, markeredgecolor="white", markeredgewidth=0.8, label=label, zorder=5)


def picture(name: str, titles: Sequence[str], draw: Callable[[int, Any], None], height: float = 2.6) -> None:
    """One row of panels in a PNG of some ten kilobytes."""
    figure = Figure(figsize=(7.2, height), layout=ConstrainedLayoutEngine(rect=(0.0, 0.0, 1.0, 0.96)))
    for i, (ax, title) in enumerate(zip(np.atleast_1d(figure.subplots(1, len(titles))), titles, strict=True)):
        draw(i, ax)
        ax.set_title(title, fontsize=9.5, color=INK)
        ax.set_aspect("equal")
        ax.spines[["top", "right", "bottom", "left"]].set_visible(False)
        ax.tick_params(length=0, labelsize=7, colors=GRAY)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    figure.savefig(IMAGES / f"set_{name}.png", dpi=100)


# --- sets inside the simplex ------------------------------------------------------------------------------------------

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
TO_WEIGHTS = np.linalg.inv(np.vstack((CORNERS.T, np.ones(3))))


def weights(p: Array) -> Array:
    """Barycentric coordinates; nothing outside of the triangle."""
    lam = TO_WEIGHTS @ np.append(p, 1.0)
    return lam if lam.min() > 0 else np.zeros(0)


def in_triangle(lam: Array) -> Array:
    return CORNERS.T @ lam


def triangle(ax: Any) -> None:
    ax.plot(*CORNERS[[0, 1, 2, 0]].T, color=GRAY, linewidth=1.0)
    for corner, name, place in zip(CORNERS, ("$f_1$", "$f_2$", "$f_3$"), ("right", "left", "center"), strict=True):
        offset = {"right": (-4, -4), "left": (4, -4), "center": (0, 4)}[place]
        ax.annotate(name, corner, offset, textcoords="offset points", ha=place, fontsize=9, color=INK)
    ax.set(xticks=[], yticks=[], xlim=(-0.12, 1.12), ylim=(-0.06, 0.98))


def draw_in_triangle(ax: Any, dual_set: sb.DualSet) -> None:
    panel(ax, dual_set, LOSSES, weights, in_triangle, (-0.01, 1.01, -0.01, 0.88))
    triangle(ax)


def draw_one(sets: Sequence[sb.DualSet], i: int, ax: Any) -> None:
    draw_in_triangle(ax, sets[i])


def simplex() -> None:
    families: list[Callable[[float], sb.Regularizer]] = [sb.Quadratic, sb.Entropy]

    def draw(i: int, ax: Any) -> None:
        if i == 0:
            draw_in_triangle(ax, sb.Simplex())
            return
        ax.fill(*CORNERS.T, color=FILL, linewidth=0)
        path(ax, in_triangle(responses([families[i - 1](g) for g in GAMMAS], sb.Simplex(), LOSSES).T), "responses")
        dot(ax, in_triangle(np.full(3, 1 / 3)), INK, "center")
        for gamma in (0.3, 1.0):
            at = in_triangle(responses([families[i - 1](gamma)], sb.Simplex(), LOSSES)[0])
            dot(ax, at, GRAY, "")
            ax.annotate(f"{gamma:g}", at, (3, 5), textcoords="offset points", fontsize=7.5, color=INK)
        triangle(ax)

    picture("simplex", ["no regularizer", "Quadratic: best by $\\gamma$", "Entropy: best by $\\gamma$"], draw)


def balls_of_distributions() -> None:
    families: list[tuple[str, str, Callable[[float], sb.DualSet], tuple[float, ...]]] = [
        ("capped_simplex", "$\\alpha$", sb.CappedSimplex, (0.4, 0.6, 0.8)),
        ("contamination", "$p$", sb.Contamination, (0.2, 0.5, 0.8)),
        ("chi2_ball", "$\\rho$", sb.Chi2Ball, (0.1, 0.5, 1.2)),
        ("tv_ball", "$\\rho$", sb.TVBall, (0.1, 0.25, 0.45)),
        ("kl_ball", "$\\rho$", sb.KLBall, (0.05, 0.25, 0.6)),
    ]
    for name, letter, family, values in families:
        sets = [family(value) for value in values]
        titles = [f"{letter} = {value:g}" for value in values]
        picture(name, titles, partial(draw_one, sets))


# --- sets in the plane ------------------------------------------------------------------------------------------------


def flat(name: str, sets: Sequence[sb.DualSet], titles: Sequence[str], z: Array) -> None:
    corners = np.array([dual_set.bounds(2) for dual_set in sets])
    lower, upper = corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)
    room = 0.05 * (upper - lower)
    (left, below), (right, above) = lower - room, upper + room

    def draw(i: int, ax: Any) -> None:
        panel(ax, sets[i], z, np.array, np.array, (left, right, below, above))
        ax.set_xlabel("$\\lambda_1$", fontsize=8, color=INK)
        ax.set_ylabel("$\\lambda_2$", fontsize=8, color=INK)
        ax.locator_params(nbins=4)

    picture(name, titles, draw, height=2.7)


def planar_sets() -> None:
    z = np.array([1.0, 0.4])
    boxes = [sb.Box(0, 1), sb.Box(np.array([0.5, 0.0]), 1), sb.Box(-1, 1)]
    flat("box", boxes, ["$[0, 1]^2$", r"$[0.5, 1] \times [0, 1]$", "$[-1, 1]^2$"], z)
    balls = [sb.Ball(0, 1), sb.Ball([0.5, 0.5], 0.5), sb.Ball([0.5, 0.5], 0.2)]
    flat("ball", balls, ["center 0, radius 1", "center ½, radius 0.5", "center ½, radius 0.2"], z)
    # Rows (a_1, a_2, b) of a_1 lam_1 + a_2 lam_2 <= b.
    positive = [(-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (1.0, 1.0, 1.0)]
    rows = [
        positive,
        [*positive, (1.0, -2.0, 0.0), (-2.0, 1.0, 0.0)],
        [*positive, (1.0, 0.0, 0.6), (0.0, 1.0, 0.8), (-2.0, -1.0, -0.3)],
    ]
    polytopes = [sb.Polytope(np.array(system)[:, :2], np.array(system)[:, 2]) for system in rows]
    titles = ["weights of sum ≤ 1", "neither twice the other", "six inequalities"]
    flat("polytope", polytopes, titles, np.array([1.0, 0.55]))


def product() -> None:
    pairs = [sb.CappedSimplex(0.7), sb.Chi2Ball(0.1)]
    sets = [sb.Product([sb.Simplex(), second], sizes=[2, 2]) for second in (sb.Simplex(), *pairs)]

    def draw(i: int, ax: Any) -> None:
        def embed(p: Array) -> Array:
            return np.array([p[0], 1 - p[0], p[1], 1 - p[1]]) if p.min() > 0 and p.max() < 1 else np.zeros(0)

        z = np.array([1.0, 0.5, 0.3, 0.0])
        panel(ax, sets[i], z, embed, lambda lam: lam[[0, 2]], (-0.03, 1.03, -0.03, 1.03))
        ax.set(xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
        ax.set_xlabel("weight of $f_1$ (of $f_1, f_2$)", fontsize=8, color=INK)
        ax.set_ylabel("of $f_3$ (of $f_3, f_4$)", fontsize=8, color=INK)

    titles = [r"Simplex $\times$ Simplex", r"$\times$ CappedSimplex(0.7)", r"$\times$ Chi2Ball(0.1)"]
    picture("product", titles, draw, height=2.7)


# --- matrices ---------------------------------------------------------------------------------------------------------


def spectrahedron() -> None:
    """[[1/2 + x, y], [y, 1/2 - x]] has trace one, and is positive semidefinite on the disk of radius 1/2."""

    def embed(p: Array) -> Array:
        x, y = p
        return np.array([0.5 + x, np.sqrt(2.0) * y, 0.5 - x])

    def flatten(lam: Array) -> Array:
        return np.array([(lam[0] - lam[2]) / 2, lam[1] / np.sqrt(2.0)])

    def draw(i: int, ax: Any) -> None:
        ax.set(xticks=[], yticks=[], xlim=(-0.63, 0.63), ylim=(-0.6, 0.6))
        if i == 0:
            panel(ax, sb.Spectrahedron(), embed(np.array([0.4, 0.6])), embed, flatten, (-0.52, 0.52, -0.52, 0.52))
            return
        angle = np.linspace(0, 2 * np.pi, 200)
        circle = np.array([np.cos(angle), np.sin(angle)])
        ax.fill(*(0.5 * circle), color=FILL, linewidth=0)
        for radius, count in ((0.0, 1), (0.26, 8), (0.5, 12)):
            for turn in 2 * np.pi * np.arange(count) / count:
                x, y = place = radius * np.array([np.cos(turn), np.sin(turn)])
                values, U = np.linalg.eigh(np.array([[0.5 + x, y], [y, 0.5 - x]]))
                ellipse = 0.075 * U @ (np.maximum(values, 0.0)[:, None] * (U.T @ circle))
                ax.plot(*(place[:, None] + ellipse), color=INK, linewidth=1.0, solid_capstyle="round")

    picture("spectrahedron", [r"2 $\times$ 2 density matrices: a disk", "the matrices, as ellipses"], draw, height=3.1)


def main() -> None:
    simplex()
    balls_of_distributions()
    planar_sets()
    product()
    spectrahedron()


if __name__ == "__main__":
    main()
