"""Measuring how well models keep the notes of an agent, for people who know no folds."""
