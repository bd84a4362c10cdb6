"""What a chart shows, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chatty_desktop.ui.language import decimal, tr

Kind = Literal["line", "bar"]


@dataclass(frozen=True, slots=True)
class Series:
    """One line, or the bars of one colour. values: one for each label of the chart, None where
    there is none."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class ChartData:
    """Numbers to draw. title: what they are, for the heading and for screen readers.
    labels: the places on the x axis, and of `label_title` what they are ("Turn").
    value_title: what is counted, with its unit ("tokens"). digits: shown after the point."""

    kind: Kind
    title: str
    label_title: str
    value_title: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    digits: int = 0

    def number(self, value: float | None) -> str:
        """A value as the window's language writes it; a dash where there is none."""
        return "–" if value is None else decimal(value, self.digits)

    def said(self, place: int) -> str:
        """One place on the x axis in words: "Turn 3: Window 240, None 12 (tokens)"."""
        values = ", ".join(f"{each.name} {self.number(each.values[place])}" for each in self.series)
        return tr(
            "{what} {label}: {values} ({unit})",
            what=self.label_title,
            label=self.labels[place],
            values=values,
            unit=self.value_title,
        )
