"""Draw the packages of kernlearn and the imports between them.

``python docs/draw_imports.py FILE.svg`` reads the imports from the source. A box is a package, a
module at the top, or a package inside `solvers` or `estimators`. An arrow points to the package
that is imported; arrows that follow from others are left out. A package stands above everything
that it imports.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path
from xml.sax.saxutils import escape

SOURCE = Path(__file__).parent.parent / "src" / "kernlearn"
OPENED = ("solvers", "estimators")  # packages whose own packages have boxes
WIDTH, HEIGHT, ACROSS, DOWN = 164, 38, 16, 40  # of a box, and the space between boxes

Graph = dict[str, set[str]]


def package_of(module: str) -> str | None:
    """The package of a dotted name; None for what is not a part of the library."""
    parts = module.split(".")
    if parts[0] != "kernlearn" or len(parts) < 2:
        return None
    depth = 3 if parts[1] in OPENED and (SOURCE / "/".join(parts[1:3])).is_dir() else 2
    return ".".join(parts[1:depth])


def imports_of(file: Path) -> set[str]:
    """Every module of the library that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def read_packages() -> tuple[Graph, dict[str, int]]:
    """Which package imports which, and the number of lines of each."""
    graph: Graph = defaultdict(set)
    lines: dict[str, int] = defaultdict(int)
    for file in sorted(SOURCE.rglob("*.py")):
        name = ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts)
        package = package_of(name)
        if package is None or package == "__init__" or file.parent.name in OPENED:
            continue
        lines[package] += file.read_text(encoding="utf-8").count("\n")
        graph[package] |= {found for each in imports_of(file) if (found := package_of(each))}
    return {
        package: {to for to in graph[package] - {package} if to in lines} for package in lines
    }, lines


def reachable(graph: Graph) -> Graph:
    """All packages that a package imports, directly or through others."""
    found: Graph = {}

    def visit(package: str, path: tuple[str, ...] = ()) -> set[str]:
        if package in path:
            raise SystemExit(f"the imports run in a circle: {' -> '.join((*path, package))}")
        if package not in found:
            found[package] = set().union(
                *({to} | visit(to, (*path, package)) for to in graph[package])
            )
        return found[package]

    for package in graph:
        visit(package)
    return found


def layers_of(graph: Graph) -> list[list[str]]:
    """The packages by layer, the lowest first."""
    layer: dict[str, int] = {}

    def level(package: str) -> int:
        if package not in layer:
            layer[package] = 1 + max(map(level, graph[package]), default=-1)
        return layer[package]

    layers: list[list[str]] = [[] for _ in range(1 + max(map(level, graph)))]
    for package in sorted(graph):
        layers[layer[package]].append(package)
    return layers


def drawing(graph: Graph, lines: dict[str, int]) -> str:
    """The picture as SVG."""
    further = reachable(graph)
    needed = {
        package: {to for to in targets if not any(to in further[other] for other in targets)}
        for package, targets in graph.items()
    }
    layers = layers_of(graph)
    across = max(map(len, layers)) * (WIDTH + ACROSS)
    height = len(layers) * (HEIGHT + DOWN)
    place = {
        package: (
            across * (i + 0.5) / len(packages) + ACROSS / 2,
            height - (layer + 0.5) * (HEIGHT + DOWN),
        )
        for layer, packages in enumerate(layers)
        for i, package in enumerate(packages)
    }
    drawn = [
        _arrow(place[package], place[to]) for package in needed for to in sorted(needed[package])
    ]
    drawn += [_box(*place[package], package, lines[package]) for package in sorted(place)]
    body = "\n".join(drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across + ACROSS} {height}" '
        f'font-family="sans-serif" font-size="12" text-anchor="middle">\n'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#888"/></marker></defs>\n'
        f"{body}\n</svg>\n"
    )


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (u, v) = start, end
    y, v = y + HEIGHT / 2, v - HEIGHT / 2
    bend = (v - y) / 2
    return (
        f'<path d="M{x:.0f} {y:.0f}C{x:.0f} {y + bend:.0f} {u:.0f} {v - bend:.0f} {u:.0f} {v:.0f}" '
        'fill="none" stroke="#aaa" marker-end="url(#tip)"/>'
    )


def _box(x: float, y: float, package: str, lines: int) -> str:
    return (
        f'<rect x="{x - WIDTH / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{WIDTH}" height="{HEIGHT}" '
        'rx="5" fill="#eef3fa" stroke="#47698f"/>'
        f'<text x="{x:.0f}" y="{y - 2:.0f}">{escape(package)}</text>'
        f'<text x="{x:.0f}" y="{y + 13:.0f}" font-size="10" fill="#666">{lines:,} lines</text>'
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawing(*read_packages()), encoding="utf-8")
