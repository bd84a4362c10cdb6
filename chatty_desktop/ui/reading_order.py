"""Tab goes where the eye goes: by where things stand, not by when they were made.

Qt walks widgets in the order in which they came to be. Half of a window here is made anew while it
is open, and would always come last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cmp_to_key

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QScrollArea, QWidget

PASSED_BY = "passed_by"
"""The property of a widget whose parts Tab passes by when the keyboard is on the widget itself, as
on the messages of a chat: there may be hundreds. Coming from below, it enters."""


def to_next(window: QWidget, *, forward: bool) -> bool:
    """Take the keyboard to what follows in a window, or what comes before; for
    `QWidget.focusNextPrevChild`. Whether there is anything."""
    # Where things stand is known once what was just made or moved is laid out.
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    focused = QApplication.focusWidget()
    stops = [widget for widget in _in_order(window) if _stops(widget) or widget is focused]
    if not stops:
        return False
    if focused in stops:
        at = stops.index(focused)
        inside = forward and focused.property(PASSED_BY)
        while True:
            at = (at + (1 if forward else -1)) % len(stops)
            if not (inside and focused.isAncestorOf(stops[at])):
                break
    else:
        at = 0 if forward else -1
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    stops[at].setFocus(reason)
    _bring_into_sight(stops[at])
    return True


def to_next_of(panes: Sequence[QWidget]) -> None:
    """Take the keyboard from pane to pane: to the one after that which has it, among those shown;
    to the first where none has it."""
    shown = [pane for pane in panes if pane.isVisible()]
    focused = QApplication.focusWidget()
    at = next(
        (
            i
            for i, pane in enumerate(shown)
            if focused and (pane is focused or pane.isAncestorOf(focused))
        ),
        -1,
    )
    if shown:
        shown[(at + 1) % len(shown)].setFocus(Qt.FocusReason.ShortcutFocusReason)


def _in_order(parent: QWidget) -> Iterator[QWidget]:
    """All that is shown in a widget: what stands above first, then from where reading begins."""
    inner = [
        child
        for child in parent.children()
        if isinstance(child, QWidget) and not child.isWindow() and not child.isHidden()
    ]
    backwards = parent.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def compare(one: QWidget, other: QWidget) -> int:
        a, b = one.geometry(), other.geometry()
        shared = min(a.bottom(), b.bottom()) - max(a.top(), b.top()) + 1
        if 2 * shared > min(a.height(), b.height()):
            return (b.left() - a.left()) if backwards else (a.left() - b.left())
        return a.top() - b.top()

    for child in sorted(inner, key=cmp_to_key(compare)):
        yield child
        yield from _in_order(child)


def _stops(widget: QWidget) -> bool:
    policy = Qt.FocusPolicy.TabFocus
    if widget.focusPolicy() & policy != policy or widget.focusProxy() is not None:
        return False
    return widget.isVisible() and widget.isEnabled() and not _another_is_checked(widget)


def _another_is_checked(widget: QWidget) -> bool:
    """Of choices that exclude each other only the one that is made is come to; arrows go on."""
    if not isinstance(widget, QAbstractButton) or not widget.isCheckable() or widget.isChecked():
        return False
    group = widget.group()
    if group is not None:
        checked = group.checkedButton() if group.exclusive() else None
        return checked is not None and checked.isVisible()
    parent = widget.parentWidget()
    return widget.autoExclusive() and any(
        other.autoExclusive() and other.isChecked() and other.parentWidget() is parent
        for other in (parent.findChildren(QAbstractButton) if parent is not None else ())
    )


def _bring_into_sight(widget: QWidget) -> None:
    """Scroll every area around it to where it is."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(widget)
        above = above.parentWidget()
