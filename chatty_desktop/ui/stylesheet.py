"""The one stylesheet, built from tokens.

Widgets ask for a look by property, never by a colour of their own:
`tone` on labels (muted, accent, memory, danger, warning, success),
`kind` on push buttons (primary, quiet, danger, link),
`kind` on combo boxes (quiet, chevron: draws its own arrow) and number fields (plain: no arrows),
`panel` on frames (surface, raised, selected, card, choice, handle, composer, palette, memory,
danger, warning, accent).
"""

from __future__ import annotations

from chatty_desktop.paths import resources_folder
from chatty_desktop.ui.tokens import Measures, Tokens


def build(t: Tokens, m: Measures, icon: int) -> str:
    """The stylesheet of the application for a palette and a density; `icon` is the size of the
    icons on buttons in pixels."""
    icons = f"QToolButton, QPushButton {{ qproperty-iconSize: {icon}px {icon}px; }}"
    with_measures = (_buttons(t, m), _inputs(t, m), _lists(t, m), _chrome(t, m))
    return "\n".join((icons, _frames(t), _text(t), *with_measures))


def _frames(t: Tokens) -> str:
    return f"""
QFrame[panel="surface"], QWidget[panel="surface"] {{ background: {t.surface}; }}
QFrame[panel="raised"] {{ background: {t.raised}; border-radius: 8px; }}
QFrame[panel="memory"] {{ background: {t.memory_soft}; border-radius: 8px; }}
QFrame[panel="danger"] {{ background: {t.danger_soft}; border-radius: 8px; }}
QFrame[panel="warning"] {{ background: {t.warning_soft}; border-radius: 8px; }}
QFrame[panel="accent"] {{ background: {t.accent_soft}; border-radius: 8px; }}
QFrame[panel="selected"] {{ background: {t.selection}; border-radius: 8px; }}
QFrame[line="memory"] {{ background: {t.memory}; border: none; }}
QFrame[panel="card"] {{
    background: {t.raised}; border: 1px solid transparent; border-radius: 8px;
}}
QFrame[panel="card"]:hover {{ background: {t.hover}; }}
QFrame[panel="card"]:focus {{ border-color: {t.accent}; }}
QFrame[panel="choice"] {{
    background: {t.surface}; border: 1px solid {t.border}; border-radius: 8px;
}}
QFrame[panel="choice"]:hover {{ border-color: {t.control}; }}
QFrame[panel="choice"]:focus {{ border-color: {t.accent}; }}
QFrame[panel="choice"][taken="true"] {{
    background: {t.accent_soft}; border-color: {t.accent};
}}
QFrame[panel="handle"] {{
    background: transparent; border: 1px solid transparent; border-radius: 6px;
}}
QFrame[panel="question"] {{
    background: {t.surface}; border: 1px solid {t.accent}; border-radius: 10px;
}}
QFrame[panel="question"]:focus {{ background: {t.accent_soft}; }}
QFrame[panel="step"] {{
    background: transparent; border: 1px solid transparent; border-radius: 6px;
}}
QFrame[panel="step"]:hover {{ background: {t.hover}; }}
QFrame[panel="step"]:focus {{ border-color: {t.accent}; }}
QFrame[panel="handle"]:focus {{ border-color: {t.accent}; }}
QFrame[panel="palette"] {{
    background: {t.surface}; border: 1px solid {t.control}; border-radius: 10px;
}}
QFrame[panel="composer"] {{
    background: {t.surface}; border: 1px solid {t.control}; border-radius: 10px;
}}
QFrame[panel="composer"][focused="true"] {{ border-color: {t.accent}; }}
QFrame[line="true"] {{ background: {t.border}; border: none; }}
"""


def _text(t: Tokens) -> str:
    tones = ("text", "muted", "accent", "memory", "danger", "warning", "success")
    rules = [f'QLabel[tone="{tone}"] {{ color: {getattr(t, tone)}; }}' for tone in tones]
    return "\n".join(rules)


def _buttons(t: Tokens, m: Measures) -> str:
    return f"""
QPushButton {{
    background: {t.surface}; color: {t.text}; border: 1px solid {t.control};
    border-radius: 6px; padding: {m.control}px 12px; min-height: 18px;
}}
QPushButton:hover {{ background: {t.hover}; }}
QPushButton:pressed {{ background: {t.selection}; }}
QPushButton:focus {{ border: 1px solid {t.accent}; }}
QPushButton:disabled {{ color: {t.disabled}; border-color: {t.border}; }}
QPushButton[kind="primary"] {{
    background: {t.accent}; color: {t.on_accent}; border: 1px solid {t.accent}; font-weight: 600;
}}
QPushButton[kind="primary"]:hover {{ background: {t.accent_hover}; }}
QPushButton[kind="primary"]:disabled {{
    background: {t.hover}; color: {t.muted}; border-color: {t.hover};
}}
QPushButton[kind="quiet"] {{ background: transparent; border: 1px solid transparent; }}
QPushButton[kind="quiet"]:hover {{ background: {t.hover}; }}
QPushButton[kind="quiet"]:focus {{ border-color: {t.accent}; }}
QPushButton[kind="link"] {{
    background: transparent; color: {t.accent}; border: 1px solid transparent;
    border-radius: 4px; padding: 0; min-height: 0; text-align: left;
}}
QPushButton[kind="link"]:hover {{ text-decoration: underline; }}
QPushButton[kind="link"]:focus {{ border-color: {t.accent}; }}
QPushButton[kind="link"][tone="muted"] {{ color: {t.muted}; }}
QPushButton[kind="link"]:disabled {{ color: {t.muted}; border-color: transparent; }}
QPushButton[kind="danger"] {{ color: {t.danger}; border-color: {t.danger}; }}
QPushButton[kind="danger"]:hover {{ background: {t.danger_soft}; }}
QToolButton {{
    background: transparent; color: {t.text}; border: 1px solid transparent;
    border-radius: 6px; padding: 4px;
}}
QToolButton:hover {{ background: {t.hover}; }}
QToolButton:pressed, QToolButton:checked {{ background: {t.selection}; }}
QToolButton:focus {{ border: 1px solid {t.accent}; }}
QToolButton:disabled {{ color: {t.disabled}; }}
QToolButton::menu-button {{ background: transparent; border: none; width: 12px; }}
QToolButton[kind="panel"]:checked {{ background: transparent; }}
QToolButton[kind="panel"]:hover {{ background: {t.hover}; }}
QToolButton[kind="floating"] {{
    background: {t.surface}; border: 1px solid {t.control}; border-radius: 14px;
    padding: 4px 12px 4px 8px;
}}
QToolButton[kind="floating"]:hover {{ background: {t.hover}; }}
QToolButton[kind="floating"]:focus {{ border-color: {t.accent}; }}
QToolButton[kind="line"] {{ padding: 0 4px; }}
QToolButton[kind="status"] {{ padding: 1px 6px; border-radius: 4px; color: {t.muted}; }}
QToolButton[kind="status"][tone="warning"] {{ color: {t.warning}; }}
QToolButton[kind="status"][tone="danger"] {{ color: {t.danger}; }}
QToolButton::menu-indicator {{ image: none; }}
"""


def _inputs(t: Tokens, m: Measures) -> str:
    mark = (resources_folder() / "icons" / f"check-{t.name}.svg").as_posix()
    return f"""
QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox {{
    background: {t.surface}; color: {t.text}; border: 1px solid {t.control};
    border-radius: 6px; padding: {m.control - 1}px 8px;
    selection-background-color: {t.selection}; selection-color: {t.text};
}}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus {{
    border: 1px solid {t.accent};
}}
QLineEdit, QPlainTextEdit, QTextEdit {{ placeholder-text-color: {t.muted}; }}
QLineEdit:disabled, QPlainTextEdit:disabled, QTextEdit:disabled {{ color: {t.muted}; }}
QLineEdit[invalid="true"], QPlainTextEdit[invalid="true"] {{ border: 1px solid {t.danger}; }}
QPlainTextEdit[code="true"] {{
    background: {t.code_background}; border: 1px solid {t.border};
}}
QPlainTextEdit[code="true"]:focus {{ border-color: {t.accent}; }}
QTextEdit[bare="true"], QPlainTextEdit[bare="true"], QLineEdit[bare="true"] {{
    background: transparent; border: none; padding: 0;
}}
QRadioButton {{ spacing: 8px; }}
QRadioButton::indicator {{
    width: 14px; height: 14px; border: 1px solid {t.muted}; border-radius: 8px;
    background: {t.surface};
}}
QRadioButton::indicator:checked {{
    width: 6px; height: 6px; border: 5px solid {t.accent}; background: {t.surface};
}}
QRadioButton::indicator:disabled {{ border-color: {t.border}; }}
QCheckBox {{ spacing: 8px; }}
QCheckBox::indicator, QAbstractItemView::indicator {{
    width: 14px; height: 14px; border: 1px solid {t.muted}; border-radius: 4px;
    background: {t.surface};
}}
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked {{
    border-color: {t.accent}; background: {t.accent}; image: url("{mark}");
}}
QCheckBox::indicator:disabled {{ border-color: {t.border}; }}
QCheckBox, QRadioButton {{ border: 1px solid transparent; border-radius: 4px; }}
QCheckBox:focus, QRadioButton:focus {{ border-color: {t.accent}; }}
QFrame[panel="choice"] QRadioButton:focus {{
    border-color: transparent; color: {t.accent}; text-decoration: underline;
}}
QCheckBox:disabled {{ color: {t.muted}; }}
QRadioButton:disabled {{ color: {t.muted}; }}
QComboBox {{
    background: {t.surface}; color: {t.text}; border: 1px solid {t.control};
    border-radius: 6px; padding: {m.control - 1}px 8px; min-height: 18px;
}}
QComboBox[kind="chevron"]::drop-down {{ border: none; width: 24px; }}
QComboBox QLineEdit {{ background: transparent; border: none; padding: 0; }}
QAbstractSpinBox[kind="plain"]::up-button, QAbstractSpinBox[kind="plain"]::down-button {{
    width: 0; border: none;
}}
QAbstractSpinBox[kind="plain"] QLineEdit {{ background: transparent; border: none; padding: 0; }}
QComboBox:hover {{ background: {t.hover}; }}
QComboBox:focus {{ border: 1px solid {t.accent}; }}
QComboBox[kind="quiet"] {{ background: transparent; border: 1px solid transparent; }}
QComboBox[kind="quiet"]:hover {{ background: {t.hover}; }}
QComboBox[kind="quiet"]:focus {{ border: 1px solid {t.accent}; }}
QComboBox QAbstractItemView {{
    background: {t.surface}; color: {t.text}; border: 1px solid {t.border};
    selection-background-color: {t.selection}; selection-color: {t.text}; outline: none;
}}
QProgressBar {{
    background: {t.hover}; border: none; border-radius: 3px; max-height: 6px; min-height: 6px;
    text-align: center; color: transparent;
}}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 3px; }}
QProgressBar[tone="memory"]::chunk {{ background: {t.memory}; }}
"""


def _lists(t: Tokens, m: Measures) -> str:
    return f"""
QListView, QTreeView, QTableView {{
    background: {t.surface}; color: {t.text}; border: none; outline: none;
    selection-background-color: {t.selection}; selection-color: {t.text};
}}
QListView[panel="window"] {{ background: {t.window}; }}
QListView::item {{
    padding: {m.item - 1}px 7px; border: 1px solid transparent; border-radius: 6px;
}}
QListView::item:focus {{ border-color: {t.accent}; }}
QListView::item:hover {{ background: {t.hover}; }}
QListView::item:selected {{ background: {t.selection}; color: {t.text}; }}
QTableView[panel="framed"], QListView[panel="framed"], QTreeView[panel="framed"] {{
    border: 1px solid {t.control}; border-radius: 6px;
}}
QTableView[panel="framed"]:focus, QListView[panel="framed"]:focus,
QTreeView[panel="framed"]:focus {{ border-color: {t.accent}; }}
QTreeView::item {{ padding: 0 8px; }}
QTreeView::item:selected {{ background: {t.selection}; color: {t.text}; }}
QTableView::item {{ padding: 0 8px; }}
QHeaderView {{ background: transparent; }}
QHeaderView::section {{
    background: {t.surface}; color: {t.muted}; border: none;
    border-bottom: 1px solid {t.border}; padding: 4px 8px;
}}
QTabWidget::pane {{ border: none; border-top: 1px solid {t.border}; }}
QTabBar {{ background: transparent; }}
QTabBar::tab {{
    background: transparent; color: {t.muted}; padding: {m.tab}px 12px; border: none;
    border-bottom: 2px solid transparent;
}}
QTabBar::tab:hover {{ color: {t.text}; }}
QTabBar::tab:selected {{ color: {t.text}; border-bottom: 2px solid {t.accent}; }}
QTabBar::tab:focus {{
    color: {t.accent}; background: {t.accent_soft};
    border-top-left-radius: 6px; border-top-right-radius: 6px;
}}
"""


def _chrome(t: Tokens, m: Measures) -> str:
    return f"""
QScrollArea, QScrollArea > QWidget > QWidget[scrolled="true"] {{
    background: transparent; border: none;
}}
QScrollArea:focus {{ background: {t.accent_soft}; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {t.control}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {t.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QSplitter::handle {{ background: {t.border}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
QSplitter::handle:vertical {{ height: 1px; }}
QMenuBar {{ background: {t.window}; color: {t.text}; }}
QMenuBar::item {{ padding: 4px 8px; background: transparent; border-radius: 4px; }}
QMenuBar::item:selected {{ background: {t.hover}; }}
QMenu {{ background: {t.surface}; color: {t.text}; border: 1px solid {t.border}; padding: 4px; }}
QMenu::item {{ padding: {m.item}px 24px 5px 12px; border-radius: 4px; }}
QMenu::icon {{ padding-left: 8px; }}
QMenu::item:selected {{ background: {t.selection}; }}
QMenu::item:disabled {{ color: {t.muted}; }}
QMenu::separator {{ height: 1px; background: {t.border}; margin: 4px 8px; }}
QMessageBox {{ background: {t.surface}; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QMessageBox QLabel#qt_msgbox_label {{ font-weight: 600; }}
QMessageBox QLabel#qt_msgbox_informativelabel {{ min-width: 300px; }}
QToolTip {{
    background: {t.raised}; color: {t.text}; border: 1px solid {t.border}; padding: 4px;
}}
"""
