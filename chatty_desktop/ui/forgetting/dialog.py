"""Forgetting with proof, in three steps: what goes, the work, what is left."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.forgetting import ForgetPlan, ForgetTarget, Needles, Proof, Trace
from chatty_desktop.domain.work import Work
from chatty_desktop.engine.forgetting import Forgetting
from chatty_desktop.ui.forgetting.plan_page import PlanPage
from chatty_desktop.ui.forgetting.proof_page import ProofPage
from chatty_desktop.ui.forgetting.words import TITLES
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.settings.data.work_view import WorkView
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme, restyle
from chatty_desktop.ui.tokens import L, M, S


class ForgetDialog(QDialog):
    """Opened by `open_for`. message_wanted: the ids of a chat and a message of it."""

    message_wanted = Signal(str, str)

    def __init__(self, forgetting: Forgetting, theme: Theme, tasks: Tasks, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._forgetting = forgetting
        self._theme = theme
        self._plan: ForgetPlan | None = None
        self._needles = Needles()
        self.page: PlanPage | None = None
        self.proof = ProofPage(theme)
        self.proof.message_wanted.connect(self.message_wanted)
        self.proof.remove_wanted.connect(self._remove)
        self.work = WorkView(theme, tasks)
        self.work.busy.connect(self._busy)
        self._pages = QStackedWidget()
        self._pages.addWidget(QWidget())
        self._pages.addWidget(self.proof)
        self.forget = QPushButton(tr("Forget"))
        restyle(self.forget, "kind", "danger")
        self.forget.setAutoDefault(False)
        self.forget.clicked.connect(self._forget)
        self.again = QPushButton(tr("Look again"))
        self.again.setAutoDefault(False)
        self.again.clicked.connect(self._look)
        self.again.hide()
        self.close_ = QPushButton(tr("Cancel"))
        self.close_.setDefault(True)
        self.close_.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.setSpacing(S)
        buttons.addStretch(1)
        for button in (self.again, self.forget, self.close_):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(M)
        column.addWidget(self._pages, 1)
        column.addWidget(self.work)
        column.addLayout(buttons)
        letters = QFontMetrics(theme.words())
        room = self.screen().availableSize()
        self.resize(
            min(room.width(), 88 * letters.averageCharWidth() + 2 * L),
            min(room.height(), 34 * letters.height()),
        )

    async def open_for(self, target: ForgetTarget) -> None:
        """Read what would go, then show it. Raises `ChattyError` when it cannot be told."""
        self._plan = plan = await self._forgetting.plan(target)
        self.setWindowTitle(tr(TITLES[target.kind]))
        self.page = PlanPage(plan, self._theme)
        self._pages.insertWidget(0, self.page)
        self._pages.setCurrentWidget(self.page)
        self.open()

    def reject(self) -> None:
        """Not while it is under way: what came of it is to be read."""
        if self.close_.isEnabled():
            super().reject()

    def _forget(self) -> None:
        plan, page = self._plan, self.page
        if plan is None or page is None:
            return
        self._needles = page.needles

        async def doing(work: Work) -> Proof:
            await self._forgetting.carry_out(plan, work)
            return await self._forgetting.prove(self._needles, work)

        page.setEnabled(False)
        self.forget.hide()
        self.work.start(tr("Deleting"), doing, self._proved, stoppable=False)

    def _look(self) -> None:
        self.work.start(
            tr("Looking through the files"),
            lambda work: self._forgetting.prove(self._needles, work),
            self._proved,
        )

    def _remove(self, traces: Sequence[Trace]) -> None:
        async def doing(work: Work) -> Proof:
            for trace in traces:
                await self._forgetting.remove(trace)
            return await self._forgetting.prove(self._needles, work)

        self.work.start(tr("Deleting"), doing, self._proved, stoppable=False)

    def _proved(self, proof: Proof) -> str:
        self.proof.show_proof(proof)
        self._pages.setCurrentWidget(self.proof)
        return ""

    def _busy(self, busy: bool) -> None:
        self.close_.setText(tr("Close"))
        self.close_.setEnabled(not busy)
        self.again.setVisible(not busy)
        if not busy:
            self.close_.setFocus()
