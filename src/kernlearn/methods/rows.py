"""Account of the rows: read, left out, held out, sampled and learned from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn.methods.splits import single_rows
from kernlearn.methods.task import LearningResult, Task
from kernlearn.runtime.phrases import listed
from kernlearn.tables.survival_target import SURVIVAL
from kernlearn.typing import Indices, Json, Targets

SHOWN = 3
SMALL = 5


def row_account(
    task: Task, outcome: LearningResult, n_read: int, dropped: Sequence[tuple[str, int]]
) -> Json:
    """Account of every row, as numbers and as sentences.

    JSON values: ``read``, ``dropped`` (why, and how many), ``used``, ``held_out``, ``folds`` (None
    with one split), ``repeats`` (of the folds), ``to_learn_from``, ``models`` (rows that each
    learned from, and those its parameters were tuned on, None if nothing was), ``refitted``,
    ``took_over`` (whether the refit kept the choices of the scored model), ``in_the_file`` (rows
    that the model in the file learned from), ``single_classes``, ``small_classes`` (with their
    rows), ``groups`` (how many, None without), ``duplicates`` (rows that repeat an earlier one) and
    ``sentences``.
    """
    kept = outcome.final
    singles = np.unique(task.y[_singles(task)])
    account: Json = {
        "read": n_read,
        "dropped": [{"reason": reason, "rows": n} for reason, n in dropped],
        "used": len(task.y),
        "held_out": len(np.unique(outcome.tests)),
        "folds": len(task.first_splits()) if task.cv else None,
        "repeats": task.repeats if task.cv else None,
        "to_learn_from": outcome.judged[0].n_available,
        "models": [
            {"name": j.name, "learned_from": j.n_train, "tuned_on": j.n_tuned}
            for j in outcome.judged
        ],
        "refitted": outcome.refitted,
        "took_over": kept.took_over,
        "in_the_file": len(kept.learner.rows(task.y[kept.rows])),
        "single_classes": [str(label) for label in singles.tolist()],
        "small_classes": _small(task),
        "groups": None if task.groups is None else len(set(task.groups)),
        "duplicates": task.units.n_duplicates,
    }
    return {**account, "sentences": _sentences(task, account, task.y[np.unique(outcome.tests)])}


def _sentences(task: Task, account: Json, tested: Targets) -> list[str]:
    sentences = [_read(account), _held_out(task, account)]
    sentences += _together(account)
    sentences += _learning_rows(account)
    sentences.append(_model_in_file(task, account))
    sentences += _singleton_classes(
        account["single_classes"], "row" if task.groups is None else "group"
    )
    sentences += _rare_classes(account["small_classes"], tested)
    return sentences


def _rare_classes(small: dict[str, int], tested: Targets) -> list[str]:
    """Sentences on classes with few rows; `tested` has the classes of held-out rows."""
    sentences = []
    for name, n in list(small.items())[:SHOWN]:
        out = int(np.count_nonzero(tested.astype(str) == name))
        verdict = "little can be said" if out else "nothing can be said"
        sentences.append(
            f"The class {name!r} has {n} rows, {out or 'none'} held out: {verdict} of it."
        )
    more = len(small) - SHOWN
    if more > 0:
        have = "1 more class has" if more == 1 else f"{more} more classes have"
        sentences.append(f"{have} fewer than {SMALL} rows.")
    return sentences


def _small(task: Task) -> dict[str, int]:
    """Classes of a few rows."""
    if task.setting.task != "classification":
        return {}
    labels, counts = np.unique(task.y, return_counts=True)
    few = (counts > 1) & (counts < SMALL)
    return dict(zip(map(str, labels[few].tolist()), counts[few].tolist(), strict=True))


def _read(account: Json) -> str:
    read, used = account["read"], account["used"]
    if read == used:
        return f"All {read} rows of the table were used."
    reasons = "; ".join(f"{entry['rows']} {entry['reason']}" for entry in account["dropped"])
    return f"The table has {_rows(read)}; {used} were used, and left out were {reasons}."


def _held_out(task: Task, account: Json) -> str:
    held_out, learned = account["held_out"], account["to_learn_from"]
    if task.times is not None:
        return _later(account)
    kinds = "event" if task.setting.task == SURVIVAL else "class"
    stratified = f", stratified by {kinds}" if _has_shares(task) else ""
    if account["folds"]:
        times = f"{account['repeats']} times" if account["repeats"] > 1 else "once"
        how = f"in {account['folds']} folds{stratified}"
        if account["repeats"] > 1:
            how += ", drawn again each time"
        who = f"All {held_out} rows" if held_out == account["used"] else _rows(held_out)
        return f"{who} were held out {times}, {how}; at most {learned} rows trained a model."
    return (
        f"{held_out} of {_rows(account['used'])} {'was' if held_out == 1 else 'were'} held out at "
        f"random{stratified}; {learned} trained the model."
    )


def _later(account: Json) -> str:
    """Rows held out in the order of time."""
    held_out, learned = account["held_out"], account["to_learn_from"]
    if account["folds"]:
        return (
            f"{_rows(held_out)} of {account['used']} were predicted from the rows before them, in "
            f"{account['folds']} consecutive parts; at most {learned} rows trained a model."
        )
    return (
        f"The latest {held_out} of {_rows(account['used'])} were held out; the {learned} before "
        "them trained the model."
    )


def _together(account: Json) -> list[str]:
    """Sentences on rows that are held out together."""
    sentences, n = [], account["duplicates"]
    if account["groups"]:
        sentences.append(
            f"The rows belong to {account['groups']} groups: the rows of a group are held out "
            "together, and tests and intervals count groups."
        )
    if n:
        repeat = "1 row repeats" if n == 1 else f"{n} rows repeat"
        sentences.append(
            f"{repeat} an earlier one in all columns: copies are held out together, so that none "
            "is predicted from another."
        )
    return sentences


def _singles(task: Task) -> Indices:
    return single_rows(task.y, task.setting.task, task.units.known)


def _has_shares(task: Task) -> bool:
    """Whether every split holds out enough rows for each class to have one."""
    if task.setting.task == SURVIVAL:
        return True
    if task.setting.task != "classification":
        return False
    n_classes = len(np.unique(task.y)) - len(np.unique(task.y[_singles(task)]))
    return min(len(test) for _, test in task.splits()) >= n_classes


def _learning_rows(account: Json) -> list[str]:
    """Sentences on models that learned from, or were tuned on, fewer rows than there were."""
    sentences = []
    n = account["to_learn_from"]
    for model in account["models"]:
        few, tuned = model["learned_from"] < n, model["tuned_on"]
        if few:
            sentences.append(
                f"{_capital(model['name'])} learned from {model['learned_from']} of these rows, "
                "drawn at random: the most that it is given."
            )
        if tuned is not None and tuned < model["learned_from"]:
            sentences.append(
                f"The parameters of {model['name']} were tuned on a random {tuned} of its rows."
            )
    if not any(model["learned_from"] < n for model in account["models"]):
        others = len(account["models"]) > 1
        sentences.insert(
            0, f"The model{' and the baselines' * others} learned from all of these rows."
        )
    return sentences


def _model_in_file(task: Task, account: Json) -> str:
    n, used = account["in_the_file"], account["used"]
    if account["refitted"]:
        which = f"all {_rows(used)}" if n == used else f"a random {n} of all {_rows(used)}"
        how = ", with the kernels, ranks and C of the one before" * account["took_over"]
        return (
            f"The model in the file was then fitted again, to {which}{how}; the scores are those "
            f"of the earlier {'models' if task.cv else 'model'}."
        )
    why = "as asked for" if not task.refit else "since it is given no more rows than it had"
    return f"The model in the file is the one that was scored, {why}: it has not seen those rows."


def _singleton_classes(labels: list[str], what: str) -> list[str]:
    if not labels:
        return []
    shown = listed([repr(label) for label in labels], SHOWN)
    if len(labels) == 1:
        return [f"The class {shown} has a single {what}: it is learned from, and never held out."]
    return [
        f"{len(labels)} classes have a single {what} each ({shown}): these are learned from, and "
        "never held out."
    ]


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n} rows"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
