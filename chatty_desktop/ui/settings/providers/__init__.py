"""What the page of the providers is put together from."""
