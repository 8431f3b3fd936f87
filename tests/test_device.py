"""Arrays elsewhere: by the strictest array API, by PyTorch where it is installed, and on GPUs."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
import scipy.linalg
from scipy.linalg import LinAlgError

from kernlearn import (
    FirstLevelRegressor,
    LSSVMClassifier,
    LSSVMRegressor,
    MKLClassifier,
    MKLNoveltyDetector,
    MKLOptions,
    MKLRegressor,
    MKLSurvival,
)
from kernlearn import _device as device
from kernlearn._device import Place, algebra, on_place, place_of
from kernlearn._device import devices as devices_module
from kernlearn.families.kernel_pool import KernelPool
from kernlearn.families.parametric import ARDGaussianFamily, GaussianFamily
from kernlearn.gram.rows import reduce_rows
from kernlearn.kernels import (
    ARDGaussian,
    Columns,
    Gaussian,
    Grid,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    WeightedSum,
)
from kernlearn.quality.margins import soft_margin
from kernlearn.solvers.nystroem.selection import LandmarkSelection, press
from kernlearn.solvers.selection.batched import SelectionStacks
from kernlearn.solvers.selection.objective import EvaluationRequest
from kernlearn.solvers.weights.column_master import GramMaster, MasterOptions

PLACES = [Place("array_api_strict", "cpu"), Place("torch", "cpu")]
PLACES += [
    Place(library, "cuda:0") for library, devices, _ in devices_module.libraries() if devices
]
KERNELS = [
    Gaussian(0.3),
    ARDGaussian([0.1, 0.0, 2.0]),
    Linear(),
    Polynomial(degree=3),
    Laplacian(0.2),
    Normalized(Polynomial(degree=2)),
    0.5 * Gaussian(1.0) + Linear() * Gaussian(0.1),
    Columns([0, 2], Gaussian(0.5)) ** 2,
    WeightedSum([Linear(), Gaussian(2.0)], [0.5, 1.5]),
]
rng = np.random.default_rng(0)
X = rng.standard_normal((120, 3))
y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(120)


@pytest.fixture(params=PLACES, ids=str)
def place(request: pytest.FixtureRequest) -> Place:
    pytest.importorskip(request.param.library)
    return request.param


@pytest.mark.parametrize("size", [1.0, 1e4])
def test_kernels_follow_arrays(size: float, place: Place) -> None:
    table = size * X
    there = place.put(table)
    for kernel in KERNELS:
        for found, expected in (
            (kernel(there, table[:40]), kernel(table, table[:40])),
            (kernel(there), kernel(table)),
            (kernel.diag(there), kernel.diag(table)),
        ):
            assert Place.of(found) == place
            atol = 1e-12 * np.abs(expected).max()
            np.testing.assert_allclose(
                device.to_host(found), expected, atol=atol, rtol=1e-9, err_msg=str(kernel)
            )


def test_an_overflow_is_refused(place: Place) -> None:
    with pytest.raises(ValueError, match="Polynomial must give finite values"):
        Polynomial(degree=9)(place.put(1e40 * X))


def test_linear_algebra(place: Place) -> None:
    A = X.T @ X
    there = place.put(A)
    L = device.lower_factor(there)
    np.testing.assert_allclose(np.tril(device.to_host(L)), np.linalg.cholesky(A), rtol=1e-12)
    B = place.put(X[:3])
    np.testing.assert_allclose(
        device.to_host(device.solve_factored(L, B)), np.linalg.solve(A, X[:3]), rtol=1e-10
    )
    with pytest.raises(LinAlgError):
        device.lower_factor(place.put(-A))
    ridge = device.add_to_diagonal(place.put(A.copy()), 2.0)
    np.testing.assert_allclose(device.to_host(ridge), A + 2 * np.eye(3), rtol=1e-14)


def test_stacks_are_factorised_one_by_one(place: Place) -> None:
    roots = rng.standard_normal((3, 4, 4))
    A = roots @ device.matrix_transpose(roots) + np.eye(4)
    A[1] -= 20 * np.eye(4)
    B = rng.standard_normal((3, 4, 2))
    for put in (np.copy, place.put):
        L, found = device.lower_factors(put(A))
        assert found.tolist() == [True, False, True]
        for transposed in (False, True):
            solved = device.to_host(device.solve_lower(L, put(B), transposed))
            for i in (0, 2):
                factor = np.linalg.cholesky(A[i])
                expected = np.linalg.solve(factor.T if transposed else factor, B[i])
                np.testing.assert_allclose(solved[i], expected, rtol=1e-10)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_on_the_host_they_are_as_scipy_has_them(dtype: type, order: Literal["C", "F"]) -> None:
    A, B = (X @ X.T + np.eye(len(X))).astype(dtype), X.astype(dtype)
    factor = scipy.linalg.cholesky(A, lower=True)
    # SciPy may take either triangle, in either order of memory: equal up to rounding.
    few = 50 * float(np.finfo(dtype).eps)

    def assert_same(found: Any, expected: Any) -> None:
        np.testing.assert_allclose(found, expected, rtol=0, atol=few * np.abs(X).max())

    assert_same(np.tril(device.lower_factor(A.copy())), factor)
    L = np.array(factor, order=order)
    for right in (B, B[:, 0], B[:, :0]):
        expected = scipy.linalg.cho_solve((L, True), right)
        assert_same(device.solve_factored(L, right), expected)
        for transposed in (False, True):
            solved = device.solve_lower(L, right, transposed)
            expected = scipy.linalg.solve_triangular(L, right, lower=True, trans=int(transposed))
            assert_same(solved, expected)
            assert right.size == 0 or solved.dtype == dtype
    none = np.zeros((0, 0), dtype=dtype)
    assert device.solve_lower(device.lower_factor(none), B[:0]).shape == B[:0].shape
    L[3, 3] = 0.0
    with pytest.raises(LinAlgError, match="singular"):
        device.solve_lower(L, B)


def test_large_matrices_are_factorised_in_blocks() -> None:
    A = X @ X.T + np.eye(len(X))
    expected = np.linalg.cholesky(A)
    L = algebra.lower_factor_in_blocks(A.copy().T, size=7)
    np.testing.assert_allclose(np.tril(L), expected, rtol=1e-10, atol=1e-14)
    solved = algebra.solved_in_blocks(L[5:, 5:], X[5:], size=7)
    np.testing.assert_allclose(expected[5:, 5:] @ solved, X[5:], atol=1e-12)
    with pytest.raises(LinAlgError):
        algebra.lower_factor_in_blocks(-A, size=7)


def test_slopes_of_the_selection(place: Place) -> None:
    weight = rng.uniform(0.5, 2.0, len(y))
    Z = X @ rng.standard_normal((3, 5))
    here = press(Z, y[:, None], weight, 0.3)
    there = press(*map(place.put, (Z, y[:, None], weight)), 0.3)
    for found, expected in zip(there, here, strict=True):
        np.testing.assert_allclose(device.to_host(found), expected, rtol=1e-10, atol=1e-10)
    for family in (ARDGaussianFamily(), GaussianFamily()):
        z = np.log(np.append(0.1, family.start(X)))
        a, b = (
            LandmarkSelection(family, rows, y[:, None], weight, X[:30])
            for rows in (X, on_place(X, place))
        )
        expected = a.value_and_gradient(z)
        found = b.value_and_gradient(z)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-10)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-8)


MODELS = [
    (
        MKLRegressor(
            [Gaussian(0.2), Linear()],
            quality="least_squares",
            options=MKLOptions(certify="exact"),
            C=1.0,
        ),
        y,
    ),
    (
        MKLRegressor([Gaussian(0.2), Polynomial()], weights="free", quality="least_squares", C=1.0),
        y,
    ),
    (MKLRegressor([Gaussian(0.2), Laplacian(0.5)], C=1.0), y),
    (
        MKLClassifier([Gaussian(0.2), Linear()], quality="squared_soft_margin"),
        np.digitize(y, [-0.5, 0.5]),
    ),
    (MKLClassifier([Gaussian(0.2), Linear()]), y > 0),
    (MKLNoveltyDetector([Gaussian(0.2), Gaussian(1.0)]), None),
    (MKLSurvival([Gaussian(0.2), Linear()], C=1.0), np.column_stack([y > -1.0, np.exp(y)])),
    (LSSVMClassifier(lam=0.1), y > 0),
    (FirstLevelRegressor("rbf", tol=1.0), y),
]


@pytest.mark.parametrize(("model", "target"), MODELS, ids=lambda value: type(value).__name__)
def test_estimators_follow_their_table(model: Any, target: Any, place: Place) -> None:
    model.set_params(rank=15)
    here = model.fit(X, target)._decision(X)
    assert model.device_ == "cpu"
    model.fit(place.put(X), target)
    assert model.device_ == str(place)
    there = model._decision(place.put(X))
    assert isinstance(there, np.ndarray)
    np.testing.assert_allclose(there, here, atol=1e-5 * np.abs(here).max())
    np.testing.assert_allclose(model._decision(X), there, atol=1e-9 * np.abs(here).max())
    for value in vars(model).values():
        assert not device.is_elsewhere(value)


def test_many_kernels_are_learned_where_the_table_is(place: Place) -> None:
    model = MKLClassifier(Grid([Gaussian(0.2), Laplacian(1.0)], size=[1, 2]), rank=None)
    here = model.fit(X, y > 0)._decision(X)
    model.fit(place.put(X), y > 0)
    assert model.device_ == str(place)
    np.testing.assert_allclose(model._decision(X), here, atol=1e-3 * np.abs(here).max())


def test_many_kernels_on_a_full_device(place: Place, monkeypatch: Any) -> None:
    pool = KernelPool(Grid(Gaussian(0.2), size=[1, 2]).bind(X), X, 120, "raise", place=place)
    machine = soft_margin(np.where(y > 0, 1.0, -1.0), np.ones(120))
    monkeypatch.setattr(Place, "free_bytes", lambda self: 10 * 8.0 * 120**2)
    one = MasterOptions(smallest=1)
    assert GramMaster(pool, [machine], one).room == 5  # half of what is free

    def full(*_: Any, **__: Any) -> Any:
        raise OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr("kernlearn.families.matrices.PlacedStack.apply", full)
    with pytest.raises(MemoryError, match="choose a rank"):
        MKLClassifier(Grid(Gaussian(0.2), size=[1, 2]), rank=None).fit(place.put(X), y > 0)


def test_targets_and_weights_may_be_there_too(place: Place) -> None:
    model = MKLRegressor([Gaussian(0.2)], quality="least_squares", rank=25, C=1.0)
    weight = np.linspace(1, 2, len(y))
    here = model.fit(X, y, sample_weight=weight).predict(X)
    model.fit(place.put(X), place.put(y), sample_weight=place.put(weight))
    np.testing.assert_allclose(model.predict(X), here, rtol=1e-8)


def test_the_exact_solver_works_on_the_host(place: Place) -> None:
    model = MKLRegressor([Gaussian(0.2)], rank=None, C=1.0)
    here = model.fit(X[:60], y[:60]).predict(X)
    model.fit(place.put(X[:60]), y[:60])
    assert model.device_ == "cpu"
    np.testing.assert_array_equal(model.predict(place.put(X)), here)


@pytest.mark.parametrize("kernel", ["ard", "rbf"])
def test_first_level_learning_from_all_rows_works_on_the_device(kernel: str, place: Place) -> None:
    model = FirstLevelRegressor(kernel, cv=2, tol=0.1, rank=None)
    model.fit(X[:30], y[:30])
    here = model.predict(X), model.theta_, model.n_machine_solves_
    model.fit(place.put(X[:30]), y[:30])
    assert model.device_ == str(place)
    there = model.predict(place.put(X)), model.theta_, model.n_machine_solves_
    for one, other in zip(there, here, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("selection", ["loo", "cv", "bayes"])
@pytest.mark.parametrize("kernel", ["ard", "rbf"])
def test_least_squares_machines_are_selected_on_the_device(
    kernel: str, selection: str, place: Place, monkeypatch: Any
) -> None:
    monkeypatch.setattr(EvaluationRequest, "alone", None)  # must not be called
    model = LSSVMRegressor(kernel, selection, cv=3, tol=0.1)
    model.fit(place.put(X[:40]), y[:40])
    assert model.device_ == str(place)
    there = model.predict(place.put(X)), model.theta_, model.lam_, model.n_evaluations_
    monkeypatch.undo()
    model.fit(X[:40], y[:40])
    assert model.device_ == "cpu"
    here = model.predict(X), model.theta_, model.lam_, model.n_evaluations_
    for one, other in zip(there, here, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "ard_polynomial"},
        {"kernel": Gaussian(0.2)},
        {"theta": 0.3},
        {"theta": 0.3, "lam": 0.1, "selection": None},
    ],
    ids=str,
)
def test_a_selection_that_is_not_for_stacks_works_on_the_host(options: Any, place: Place) -> None:
    model = LSSVMRegressor(tol=1.0, **options)
    here = model.fit(X[:20], y[:20]).dual_coef_
    np.testing.assert_array_equal(model.fit(place.put(X[:20]), y[:20]).dual_coef_, here)
    assert model.device_ == "cpu"


def test_a_selection_on_a_full_device_says_so(place: Place, monkeypatch: Any) -> None:
    def full(*_: Any) -> Any:
        raise OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(SelectionStacks, "_stacked", full)
    with pytest.raises(MemoryError, match="end what else uses it"):
        LSSVMRegressor().fit(place.put(X[:20]), y[:20])


@pytest.mark.parametrize(
    "options", [{"kernel": "ard_polynomial"}, {"options__strategy": "nelder-mead"}]
)
def test_what_is_not_for_stacks_works_on_the_host(options: Any, place: Place) -> None:
    model = FirstLevelRegressor(cv=2, tol=1.0, rank=None).set_params(**options)
    here = model.fit(X[:20], y[:20]).theta_
    np.testing.assert_array_equal(model.fit(place.put(X[:20]), y[:20]).theta_, here)
    assert model.device_ == "cpu"


def test_a_row_that_is_no_number_is_named(place: Place) -> None:
    bad = X.copy()
    bad[110, 1] = np.nan
    with pytest.raises(ValueError, match="row 110"):
        reduce_rows(on_place(bad, place), lambda block, rows: 1, int.__add__, 10**5)


class OutOfMemoryError(RuntimeError):
    """As PyTorch and CuPy name theirs."""


def test_a_full_device_gets_smaller_blocks(place: Place) -> None:
    table, sizes = np.ones((1000, 2)), []

    def total(block: Any, rows: slice) -> float:
        sizes.append(block.shape[0])
        if block.shape[0] > 300:
            raise OutOfMemoryError("out of memory")
        return float(np.sum(device.to_host(block)))

    assert reduce_rows(on_place(table, place), total, float.__add__, 2) == 2000.0
    assert sizes == [1000, 500, 250, 250, 500, 250, 250]


def test_a_device_without_any_room_says_so(place: Place, monkeypatch: Any) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OutOfMemoryError("CUDA out of memory")

    model = MKLRegressor([Gaussian(0.2)], quality="least_squares", rank=5, C=1.0)
    monkeypatch.setattr("kernlearn.solvers.nystroem.moments.lower_products", full)
    with pytest.raises(MemoryError, match="smaller rank"):
        model.fit(place.put(X), y)


@pytest.mark.parametrize("bad", ["gpu", "cuda:", 0, "mps", "cuda:x"])
def test_an_unknown_device_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="'cuda' or the like of 'cuda:1'"):
        MKLRegressor([Linear()], rank=5, device=bad, C=1.0).fit(X, y)


def test_a_device_that_is_not_there(monkeypatch: Any) -> None:
    monkeypatch.setattr(devices_module, "libraries", lambda: [("torch", 1, "2")])
    assert place_of("cuda", X) == place_of("cuda:0", X) == Place("torch", "cuda:0")
    with pytest.raises(ValueError, match="got 1 of them by torch; use device=None"):
        place_of("cuda:1", X)
    monkeypatch.setattr(devices_module, "libraries", lambda: [])
    with pytest.raises(ImportError, match=r"kernlearn\[gpu\]"):
        place_of("cuda", X)
    assert place_of("cpu", X) is None
    assert place_of(None, X) is None


def test_columns_of_text_stay_on_the_host(place: Place) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    with pytest.raises(ValueError, match="table of numbers for a device"):
        on_place(frame, place)


def test_a_minor_has_the_same_rows_and_columns():
    A, rows = np.arange(49.0).reshape(7, 7), np.array([1, 2, 5])
    expected = A[np.ix_(rows, rows)]
    for layout in (A, np.asfortranarray(A), np.repeat(np.repeat(A, 2, 0), 2, 1)[::2, ::2]):
        np.testing.assert_array_equal(device.minor(layout, rows), expected)
    assert device.minor(A.astype(np.float32), rows).dtype == np.float32
    assert device.minor(A, rows[:0]).shape == (0, 0)
