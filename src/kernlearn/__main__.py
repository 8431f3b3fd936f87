"""``python -m kernlearn`` is the command ``kernlearn``."""

from kernlearn.cli import main

if __name__ == "__main__":
    main()
