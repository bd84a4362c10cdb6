"""What LaTeX's commands for symbols look like."""

from __future__ import annotations

from typing import Final


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LETTERS: Final = _pairs(
    """
    alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
    kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ
    upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ
    Upsilon Υ Phi Φ Psi Ψ Omega Ω ell ℓ hbar ℏ hslash ℏ imath ı jmath ȷ Re ℜ Im ℑ wp ℘ aleph ℵ
    beth ℶ partial ∂ nabla ∇ infty ∞ emptyset ∅ varnothing ∅ forall ∀ exists ∃ nexists ∄ neg ¬
    lnot ¬ top ⊤ bot ⊥ angle ∠ measuredangle ∡ triangle △ square □ Box □ blacksquare ■ diamond ⋄
    clubsuit ♣ diamondsuit ♢ heartsuit ♡ spadesuit ♠ sharp ♯ flat ♭ natural ♮ prime ′ backprime ‵
    degree ° celsius ℃ checkmark ✓ dagger † ddagger ‡ S § P ¶ copyright © pounds £ euro € yen ¥
    ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ dotsc … dotsb ⋯ dotsm ⋯ dotsi ⋯ surd √ complement ∁
    bigstar ★ star ⋆ lightning ↯ eth ð hookrightarrow ↪ AA Å aa å o ø O Ø ae æ AE Æ ss ß
    """
)
"""Stand for a thing, as a letter does."""

OPERATORS: Final = _pairs(
    """
    pm ± mp ∓ times × div ÷ cdot · ast ∗ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙
    cap ∩ cup ∪ uplus ⊎ sqcap ⊓ sqcup ⊔ vee ∨ lor ∨ wedge ∧ land ∧ setminus ∖ smallsetminus ∖ wr ≀
    amalg ⨿ bowtie ⋈ ltimes ⋉ rtimes ⋊ veebar ⊻ barwedge ⊼ centerdot · dotplus ∔ boxplus ⊞
    boxtimes ⊠ bmod mod
    """
)
"""Stand between two things."""

RELATIONS: Final = _pairs(
    """
    le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ ne ≠ neq ≠ equiv ≡ approx ≈ approxeq ≊ sim ∼
    simeq ≃ cong ≅ propto ∝ varpropto ∝ ll ≪ gg ≫ lll ⋘ ggg ⋙ prec ≺ succ ≻ preceq ⪯ succeq ⪰
    subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ supsetneq ⊋ nsubseteq ⊈ sqsubseteq ⊑
    sqsupseteq ⊒ in ∈ ni ∋ notin ∉ mid ∣ nmid ∤ parallel ∥ nparallel ∦ perp ⊥ vdash ⊢ dashv ⊣
    models ⊨ vDash ⊨ Vdash ⊩ asymp ≍ doteq ≐ triangleq ≜ coloneqq ≔ eqqcolon ≕ coloneq ≔ lesssim ≲
    gtrsim ≳ nless ≮ ngtr ≯ nleq ≰ ngeq ≱ to → gets ← rightarrow → leftarrow ← leftrightarrow ↔
    Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ longrightarrow ⟶
    longleftarrow ⟵ longleftrightarrow ⟷ Longrightarrow ⟹ Longleftarrow ⟸ Longleftrightarrow ⟺
    mapsto ↦ longmapsto ⟼ uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ nearrow ↗
    searrow ↘ swarrow ↙ nwarrow ↖ rightharpoonup ⇀ rightharpoondown ⇁ leftharpoonup ↼
    leftharpoondown ↽ rightleftharpoons ⇌ rightrightarrows ⇉ twoheadrightarrow ↠ hookleftarrow ↩
    leadsto ⇝ rightsquigarrow ⇝ therefore ∴ because ∵ colon :
    """
)

BIG: Final = _pairs(
    """
    sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ oiint ∯ bigcup ⋃ bigcap ⋂ bigvee ⋁
    bigwedge ⋀ bigoplus ⨁ bigotimes ⨂ bigodot ⨀ biguplus ⨄ bigsqcup ⨆
    """
)
"""Operators on what follows, often with limits."""

BRACKETS: Final = _pairs(
    """
    { { } } | ‖ lbrace { rbrace } langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ vert |
    lvert | rvert | Vert ‖ lVert ‖ rVert ‖ lbrack [ rbrack ] lgroup ( rgroup ) backslash \\ # #
    % % & & _ _ $ $
    """
)

NAMES: Final = _words(
    """
    sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth exp log ln lg lim limsup
    liminf sup inf max min det dim ker deg gcd lcm hom arg Pr argmax argmin rank tr sgn
    """
)
"""Functions that are written upright."""

SPACES: Final = {
    ",": "\u2009",
    ":": "\u2005",
    ";": "\u2005",
    ">": "\u2005",
    " ": " ",
    "!": "",
    "quad": "\u2003",
    "qquad": "\u2003\u2003",
    "enspace": "\u2002",
    "thinspace": "\u2009",
    "medspace": "\u2005",
    "thickspace": "\u2005",
    "negthinspace": "",
}

MARKS: Final = {
    "hat": "\u0302",
    "widehat": "\u0302",
    "bar": "\u0304",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "vec": "\u20d7",
    "dot": "\u0307",
    "ddot": "\u0308",
    "dddot": "\u20db",
    "acute": "\u0301",
    "grave": "\u0300",
    "breve": "\u0306",
    "check": "\u030c",
    "mathring": "\u030a",
}
"""Marks above a letter, as characters that combine with it."""

IGNORED: Final = _words(
    """
    displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits nonumber notag hline
    big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm middle allowbreak
    centering strut mathstrut
    """
)
"""Say how it is set, not what it says."""

_BLACKBOARD = {"C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ"}
_SCRIPT = {
    **dict(zip("BEFHILMR", "ℬℰℱℋℐℒℳℛ", strict=True)),
    **dict(zip("ego", "ℯℊℴ", strict=True)),
}
_FRAKTUR = {"C": "ℭ", "H": "ℌ", "I": "ℑ", "R": "ℜ", "Z": "ℨ"}

_ALPHABETS: Final = {
    "mathbb": (_BLACKBOARD, 0x1D538, 0x1D552),
    "mathcal": (_SCRIPT, 0x1D49C, 0x1D4B6),
    "mathscr": (_SCRIPT, 0x1D49C, 0x1D4B6),
    "mathfrak": (_FRAKTUR, 0x1D504, 0x1D51E),
}
ALPHABETS: Final = frozenset(_ALPHABETS)
"""Commands that write letters in another alphabet."""


def in_alphabet(command: str, text: str) -> str:
    """A text with its letters in the alphabet of a command."""
    odd, capital, small = _ALPHABETS[command]
    return "".join(
        odd.get(char)
        or (chr(capital + ord(char) - 65) if "A" <= char <= "Z" else "")
        or (chr(small + ord(char) - 97) if "a" <= char <= "z" else "")
        or char
        for char in text
    )
