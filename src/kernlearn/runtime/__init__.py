"""Threads, processes, memory, files, stopping and progress: what every part may count on."""
