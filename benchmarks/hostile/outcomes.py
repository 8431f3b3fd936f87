"""Hostile targets: classes, numbers, times to an event, and which of two rows is better."""

from __future__ import annotations

import numpy as np

from kernlearn.typing import Array, Targets

REGRESSIONS = ("epsilon_svr", "nu_svr", "huber", "quantile")
UNLABELLED = ("ranking",)


def hostile_outcome(
    rng: np.random.Generator, quality: str, X: Array, wild: bool, words: list[str]
) -> Targets:
    """What the quality learns from; `words` gain what is odd about it."""
    if quality in UNLABELLED:
        return np.zeros(len(X))
    if quality == "cox":
        return hostile_times(rng, X, wild, words)
    n = len(X)
    clean = np.sin(X[:, 0]) + 0.3 * rng.normal(size=n)
    if quality in REGRESSIONS or (quality == "least_squares" and rng.random() < 0.5):
        return _numbers(rng, clean, wild, words)
    return _classes(rng, clean, words)


def _numbers(rng: np.random.Generator, clean: Array, wild: bool, words: list[str]) -> Array:
    y = clean * (10.0 ** rng.uniform(-7, 7) if wild else 1.0)
    if rng.random() < 0.25:
        y = y + 10.0 ** rng.uniform(0, 8 if wild else 3)
        words.append("targets far from zero")
    if rng.random() < 0.2:
        y[0] *= 10.0 ** rng.uniform(1, 8)
        words.append("an outlying target")
    if wild and rng.random() < 0.03:
        y[:] = y[0]
        words.append("constant targets")
    return y


def _classes(rng: np.random.Generator, clean: Array, words: list[str]) -> Array:
    n = len(clean)
    noise = rng.random() * rng.choice([0.0, 1.0, 3.0])
    y = np.where(clean + noise * rng.normal(size=n) > np.median(clean), 1.0, -1.0)
    if rng.random() < 0.15:
        y[:] = -1.0
        y[0] = 1.0
        words.append("one point of a class")
    if np.ptp(y) == 0:
        y[0] = -y[0]
    return y


def hostile_times(rng: np.random.Generator, X: Array, wild: bool, words: list[str]) -> Targets:
    """Right-censored times with the event first: tied, with few events, censored early or late."""
    n = len(X)
    y = np.empty(n, dtype=[("event", bool), ("time", float)])
    time = rng.exponential(np.exp(np.clip(X[:, 0], -3.0, 3.0)))
    if rng.random() < 0.5:
        time = np.ceil(time * 10.0 ** rng.uniform(-0.5, 1.0))
        words.append("ties")
    event = rng.random(n) < rng.choice([0.2, 0.6, 1.0])
    draw = rng.random()
    if draw < 0.15:
        event[:] = False
        words.append("one event")
    elif draw < 0.3:
        event[:] = time == np.sort(time)[-1 if draw < 0.2 else n // 2]
        words.append("events at one time")
    elif draw < 0.4:
        time[: n // 2], event[: n // 2] = 0.0, bool(rng.integers(2))
        words.append("times of zero")
    event[int(rng.integers(n))] = True
    y["event"], y["time"] = event, time * (10.0 ** rng.uniform(-250, 250) if wild else 1.0)
    return y


def preference_pairs(rng: np.random.Generator, n: int, wild: bool, words: list[str]) -> Array:
    """Differences of two of n rows, the better one first, as the rows of a matrix (n, n)."""
    better, worse = rng.integers(0, n, size=(2, n))
    worse = np.where(worse == better, (better + 1) % n, worse)
    if rng.random() < 0.2:
        better[n // 2 :], worse[n // 2 :] = worse[: n - n // 2], better[: n - n // 2]
        words.append("contradictions")
    if wild and rng.random() < 0.2:
        worse[0] = better[0]
        words.append("a row beside itself")
    unit = np.eye(n)
    return np.asarray(unit[better] - unit[worse])
