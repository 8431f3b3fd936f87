"""One machine at a fixed kernel."""
