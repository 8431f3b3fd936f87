"""The device on which estimators with landmarks process rows."""

from __future__ import annotations

from kernlearn._device import HOST, Place, on_place, place_of
from kernlearn.typing import Rows


class DeviceParameter:
    """Mixed into an estimator with the parameter ``device``; None is for those without it.

    Data are checked on the host, which then holds all that is fitted. What costs time, kernels and
    products over blocks of rows, is done on the device.
    """

    device: str | None = None
    device_: str

    def _note_device(self, X: Rows) -> None:
        """Remember where this X is to be worked on."""
        place = place_of(self.device, X)
        self.device_ = HOST if place is None else str(place)

    def _on_its_device(self, rows: Rows) -> Rows:
        """Checked training rows as a source for the device that was noted."""
        return on_place(rows, None if self.device_ == HOST else Place.named(self.device_))

    def _on_device_of(self, X: Rows, rows: Rows) -> Rows:
        """The checked rows of a new X, as a source for where that X is to be worked on."""
        return on_place(rows, place_of(self.device, X))
