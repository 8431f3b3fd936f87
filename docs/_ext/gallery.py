"""The order of the examples in the gallery: from the first fit to the special methods."""

from __future__ import annotations

from pathlib import Path

ORDER = (
    # What everybody needs.
    "start_here",
    "what_is_a_kernel",
    "which_inputs_matter",
    # Several kernels, several sources.
    "learned_weights",
    "several_sources",
    "text_categories_numbers",
    # Outcomes of other kinds.
    "times_to_an_event",
    "ranking_from_grades",
    "several_outcomes",
    "learned_distance",
    # What a fit does.
    "leave_one_out",
    "certificate",
    "weights_along_c",
    # Knowledge that goes into a fit.
    "constrained_weights",
    "prior_kernel",
    # Special data and methods.
    "graph_fusion",
    "substitution_matrix",
    "alignments_and_scatter",
    "hyperkernel_scales",
    "infinite_kernels",
    "loss_by_rank",
    "recursive_transduction",
)


class Order:
    """The sort key that Sphinx-Gallery asks for: the place of a file in `ORDER`."""

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, filename: str) -> int:
        """Return the place of an example; an example without one is an error."""
        name = Path(filename).stem
        if name not in ORDER:
            raise ValueError(
                f"expected a place for the example {name}: add it to ORDER in {__file__}"
            )
        return ORDER.index(name)
