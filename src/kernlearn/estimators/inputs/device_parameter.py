"""The device on which estimators with landmarks process rows."""

from __future__ import annotations

from kernlearn._device import HOST, Place, on_place, place_of
from kernlearn.typing import Rows


class DeviceParameter:
    """Mixin for estimators with the parameter ``device``; None for estimators without it.

    Data are checked on the host, which then holds the fitted model. Kernels and products over
    blocks of rows, which take most of the time, are computed on the device.
    """

    device: str | None = None
    device_: str

    def _note_device(self, X: Rows) -> None:
        """Store the name of the device for this X."""
        place = place_of(self.device, X)
        self.device_ = HOST if place is None else str(place)

    def _on_its_device(self, rows: Rows) -> Rows:
        """Checked training rows as a source for the device that was noted."""
        return on_place(rows, None if self.device_ == HOST else Place.named(self.device_))

    def _on_device_of(self, X: Rows, rows: Rows) -> Rows:
        """The checked rows of a new X, as a source for the device of this X."""
        return on_place(rows, place_of(self.device, X))
