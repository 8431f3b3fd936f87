r"""Devices and array libraries: the one folder that imports PyTorch and CuPy.

Rows are processed where their array is. An array of NumPy stays on the host; an array of another
library is *elsewhere*: results are computed on its device, in float64, until `to_host` copies them
back. Code for both is written once, against the array API; this folder holds the differences
between the libraries.
"""

from kernlearn._device.algebra import (
    add_to_diagonal,
    column_dots,
    copied,
    empty_beside,
    eye_beside,
    lower_factor,
    lower_factors,
    lower_outer_products,
    lower_products,
    lower_triangle,
    matrix_transpose,
    minor,
    row_dots,
    solve_factored,
    solve_lower,
    take_columns,
    transposed_product,
)
from kernlearn._device.devices import (
    cuda_devices,
    device_memory_errors,
    free_cached_memory,
    is_out_of_memory,
    libraries,
    place_of,
)
from kernlearn._device.places import (
    HOST,
    Place,
    Placed,
    all_rows,
    beside,
    is_elsewhere,
    namespace,
    on_place,
    room_beside,
    rows_on_host,
    take,
    to_host,
)

__all__ = [
    "HOST",
    "Place",
    "Placed",
    "add_to_diagonal",
    "all_rows",
    "beside",
    "column_dots",
    "copied",
    "cuda_devices",
    "device_memory_errors",
    "empty_beside",
    "eye_beside",
    "free_cached_memory",
    "is_elsewhere",
    "is_out_of_memory",
    "libraries",
    "lower_factor",
    "lower_factors",
    "lower_outer_products",
    "lower_products",
    "lower_triangle",
    "matrix_transpose",
    "minor",
    "namespace",
    "on_place",
    "place_of",
    "room_beside",
    "row_dots",
    "rows_on_host",
    "solve_factored",
    "solve_lower",
    "take",
    "take_columns",
    "to_host",
    "transposed_product",
]
