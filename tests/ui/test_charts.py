"""Charts: drawn in both schemes, read by keys, and there as a table."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from chatty_desktop.domain.settings import Appearance
from chatty_desktop.ui.charts.chart import Chart
from chatty_desktop.ui.charts.data import ChartData, Series
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import DARK, LIGHT
from tests.ui.panels import until

TURNS = ChartData(
    kind="line",
    title="Tokens per turn",
    label_title="Turn",
    value_title="tokens",
    labels=("1", "2", "3"),
    series=(Series("Window", (100, 1200, 300)), Series("None", (50, None, 70))),
)
BARS = ChartData(
    kind="bar",
    title="Right folds",
    label_title="Model",
    value_title="per cent",
    labels=("small", "large"),
    series=(Series("right", (60.0, 95.0)),),
)


@pytest.fixture
async def chart(theme: Theme) -> AsyncIterator[Chart]:
    failures: list[str] = []
    tasks = Tasks(failures.append)
    made = Chart(theme, tasks)
    made.resize(640, 360)
    made.show()
    yield made
    await tasks.close()
    made.close()
    made.deleteLater()
    assert failures == []


def colours(chart: Chart) -> set[str]:
    assert chart.plot is not None
    image = chart.plot.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return {
        QColor(image.pixel(x, y)).name()
        for x in range(image.width())
        for y in range(image.height())
    }


async def test_lines_and_bars_are_drawn_in_the_colours_of_the_scheme_and_follow_it(
    chart: Chart, theme: Theme
) -> None:
    chart.show_data(BARS)
    await until(lambda: chart.plot)
    assert LIGHT.accent in colours(chart)
    theme.show(Appearance(theme="dark"))
    assert DARK.accent in colours(chart) and LIGHT.accent not in colours(chart)
    chart.show_data(TURNS)
    assert {DARK.accent, DARK.warning} <= colours(chart)


async def test_the_keys_go_from_place_to_place_and_say_its_numbers(chart: Chart) -> None:
    chosen: list[int] = []
    chart.chosen.connect(chosen.append)
    chart.show_data(TURNS)
    await until(lambda: chart.plot)
    plot = chart.plot
    assert plot is not None
    plot.setFocus()
    QTest.keyClick(plot, Qt.Key.Key_Right)
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert chart.said() == "Turn 2: Window 1,200, None – (tokens)"
    assert plot.accessibleDescription() == chart.said()
    QTest.keyClick(plot, Qt.Key.Key_End)
    QTest.keyClick(plot, Qt.Key.Key_Right)
    QTest.keyClick(plot, Qt.Key.Key_Home)
    assert chosen == [0, 1, 2, 2, 0]


async def test_a_place_gone_to_stays_marked_when_the_scheme_flips(
    chart: Chart, theme: Theme
) -> None:
    chart.show_data(TURNS)
    await until(lambda: chart.plot)
    chart.go(2)
    theme.show(Appearance(theme="dark"))
    assert chart.plot is not None
    assert chart.plot.accessibleDescription() == "Turn 3: Window 300, None 70 (tokens)"


async def test_the_numbers_are_there_as_a_table_by_the_keyboard(chart: Chart) -> None:
    chart.show_data(TURNS)
    chart.toggle.setFocus()
    QTest.keyClick(chart.toggle, Qt.Key.Key_Space)
    table = chart.table
    assert table.isVisible() and chart.toggle.text() == "Show as chart"
    heads = [table.horizontalHeaderItem(c) for c in range(table.columnCount())]
    assert [head.text() for head in heads if head] == ["Turn", "Window", "None"]
    cells = [[table.item(r, c) for c in range(3)] for r in range(3)]
    assert [[cell.text() for cell in row if cell] for row in cells] == [
        ["1", "100", "50"],
        ["2", "1,200", "–"],
        ["3", "300", "70"],
    ]
    await until(lambda: chart.plot)
    assert table.isVisible()
    QTest.keyClick(chart.toggle, Qt.Key.Key_Space)
    assert chart.plot is not None and chart.plot.isVisible()


async def test_no_numbers_and_numbers_all_alike_are_drawn_too(chart: Chart) -> None:
    for values in ((), (0.0,), (None, None), (5.0, 5.0, 5.0)):
        labels = tuple(str(n) for n in range(len(values)))
        for kind in ("line", "bar"):
            chart.show_data(
                ChartData(kind, "All", "Turn", "tokens", labels, (Series("a", values),))
            )
            await until(lambda: chart.plot)
            colours(chart)
            QApplication.processEvents()


@pytest.mark.parametrize(("most", "digits"), [(0.2, 0), (1, 0), (2, 0), (3, 1), (7, 0), (5_000, 0)])
async def test_no_number_stands_twice_at_the_axis(chart: Chart, most: float, digits: int) -> None:
    values = Series("a", (0, most))
    chart.show_data(ChartData("line", "All", "Turn", "facts", ("1", "2"), (values,), digits=digits))
    await until(lambda: chart.plot)
    assert chart.plot is not None
    axis = chart.plot.getPlotItem().getAxis("left")
    for spacing, places in axis.tickValues(0, most, 300)[:1]:
        written = axis.tickStrings(places, 1.0, spacing)
        assert len(set(written)) == len(written) > 0


def test_a_process_that_drew_a_chart_ends_well() -> None:
    code = (
        "from PySide6.QtWidgets import QApplication\n"
        "application = QApplication([])\n"
        "from chatty_desktop.ui.theme import Theme\n"
        "theme = Theme(application, 'light')\n"
        "from tests.ui.test_charts import TURNS\n"
        "from chatty_desktop.ui.charts.plot import Plot\n"
        "plot = Plot(TURNS, theme)\nplot.show()\nplot.grab()\nprint('drawn')\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (0, "drawn", "")
