"""Draw the packages of kernlearn and the imports between them.

``python docs/draw_rooms.py FILE.svg`` reads the imports from the source. A room is a package, or a
module at the top; the packages inside `solvers` and `estimators` are rooms of their own. An arrow
points to the room that is imported; arrows that follow from others are left out. A room stands
above everything that it imports.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path
from xml.sax.saxutils import escape

SOURCE = Path(__file__).parent.parent / "src" / "kernlearn"
OPENED = ("solvers", "estimators")  # packages whose own packages are rooms
WIDTH, HEIGHT, ACROSS, DOWN = 164, 38, 16, 40  # of a room, and the space between rooms

Graph = dict[str, set[str]]


def room_of(module: str) -> str | None:
    """The room of a dotted name; None for what is not a part of the library."""
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


def read_rooms() -> tuple[Graph, dict[str, int]]:
    """Which room imports which, and the number of lines of each."""
    graph: Graph = defaultdict(set)
    lines: dict[str, int] = defaultdict(int)
    for file in sorted(SOURCE.rglob("*.py")):
        name = ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts)
        room = room_of(name)
        if room is None or room == "__init__" or file.parent.name in OPENED:
            continue
        lines[room] += file.read_text(encoding="utf-8").count("\n")
        graph[room] |= {found for each in imports_of(file) if (found := room_of(each))}
    return {room: {to for to in graph[room] - {room} if to in lines} for room in lines}, lines


def reachable(graph: Graph) -> Graph:
    """All rooms that a room imports, directly or through others."""
    found: Graph = {}

    def visit(room: str, path: tuple[str, ...] = ()) -> set[str]:
        if room in path:
            raise SystemExit(f"the imports run in a circle: {' -> '.join((*path, room))}")
        if room not in found:
            found[room] = set().union(*({to} | visit(to, (*path, room)) for to in graph[room]))
        return found[room]

    for room in graph:
        visit(room)
    return found


def floors_of(graph: Graph) -> list[list[str]]:
    """The rooms by floor, the ground floor first."""
    floor: dict[str, int] = {}

    def level(room: str) -> int:
        if room not in floor:
            floor[room] = 1 + max(map(level, graph[room]), default=-1)
        return floor[room]

    floors: list[list[str]] = [[] for _ in range(1 + max(map(level, graph)))]
    for room in sorted(graph):
        floors[floor[room]].append(room)
    return floors


def drawing(graph: Graph, lines: dict[str, int]) -> str:
    """The picture as SVG."""
    further = reachable(graph)
    needed = {
        room: {to for to in targets if not any(to in further[other] for other in targets)}
        for room, targets in graph.items()
    }
    floors = floors_of(graph)
    across = max(map(len, floors)) * (WIDTH + ACROSS)
    height = len(floors) * (HEIGHT + DOWN)
    place = {
        room: (
            across * (i + 0.5) / len(rooms) + ACROSS / 2,
            height - (floor + 0.5) * (HEIGHT + DOWN),
        )
        for floor, rooms in enumerate(floors)
        for i, room in enumerate(rooms)
    }
    drawn = [_arrow(place[room], place[to]) for room in needed for to in sorted(needed[room])]
    drawn += [_box(*place[room], room, lines[room]) for room in sorted(place)]
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


def _box(x: float, y: float, room: str, lines: int) -> str:
    return (
        f'<rect x="{x - WIDTH / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{WIDTH}" height="{HEIGHT}" '
        'rx="5" fill="#eef3fa" stroke="#47698f"/>'
        f'<text x="{x:.0f}" y="{y - 2:.0f}">{escape(room)}</text>'
        f'<text x="{x:.0f}" y="{y + 13:.0f}" font-size="10" fill="#666">{lines:,} lines</text>'
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawing(*read_rooms()), encoding="utf-8")
