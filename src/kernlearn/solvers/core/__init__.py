"""The statement of a problem, its value and its certificate, which every search shares."""
