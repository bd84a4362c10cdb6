"""Charts of numbers, with the numbers as a table beside them."""
