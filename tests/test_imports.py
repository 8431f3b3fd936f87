"""No two files import each other, not even inside of functions, but where a reason is given."""

import ast
from pathlib import Path

SRC = Path(__file__).parents[1] / "src"
# Files that import each other, with the reason.
ALLOWED = {
    "operators of a kernel make objects of its subclasses": {
        "kernlearn.kernels._composite",
        "kernlearn.kernels.arithmetic",
        "kernlearn.kernels.base",
    },
}


def _name(path):
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(syntax):
    """For each file, the files that it imports."""
    files = {_name(path): tree for path, tree in syntax.items()}
    graph = {}
    for name, tree in files.items():
        found = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= {each if each in files else node.module for each in inner}
        graph[name] = (found & set(files)) - {name}
    return graph


def _reachable(graph, start):
    seen, todo = set(), [start]
    while todo:
        for name in graph[todo.pop()] - seen:
            seen.add(name)
            todo.append(name)
    return seen


def circles(syntax):
    """Sets of files each of which imports all others, directly or by way of others."""
    graph = _imports(syntax)
    reach = {name: _reachable(graph, name) for name in graph}
    inside = {name for name, found in reach.items() if name in found}
    return {
        frozenset(other for other in inside if other in reach[name] and name in reach[other])
        for name in inside
    }


def test_files_import_each_other_only_for_a_reason(syntax):
    assert circles(syntax) == set(map(frozenset, ALLOWED.values()))
