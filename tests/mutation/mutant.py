"""Small faults, one at a time, in the source of a module."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}


@dataclass(frozen=True)
class Mutant:
    """A module with one fault.

    Attributes:
        path: The module's file.
        line: Where the fault is.
        before: The source of the expression or statement that was changed.
        after: What it was changed to.
        tree: The whole module, fault included.
    """

    path: Path
    line: int
    before: str
    after: str
    tree: ast.Module

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line}: {self.before}  =>  {self.after}"


@dataclass(frozen=True)
class Place:
    """Where a fault can be made: a node of a module, and which of its faults.

    The source comes along, so that an edit meanwhile moves nothing.
    """

    path: Path
    source: str
    node: int
    fault: int


def untouched(path: Path) -> Mutant:
    """No fault at all."""
    return Mutant(path, 0, "", "", ast.parse(path.read_text(encoding="utf-8")))


def places(path: Path) -> Iterator[Place]:
    """Every place where a fault can be made in a module."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    silent = _without_meaning(tree)
    for at, node in enumerate(ast.walk(tree)):
        if id(node) not in silent:
            for fault, _ in enumerate(_faults(node)):
                yield Place(path, source, at, fault)


def make(place: Place) -> Mutant:
    """Make the fault."""
    tree = ast.parse(place.source)
    node = list(ast.walk(tree))[place.node]
    before, line = ast.unparse(node), getattr(node, "lineno", 0)
    fault = list(_faults(node))[place.fault]
    _replace(tree, node, fault)
    ast.fix_missing_locations(tree)
    return Mutant(place.path, line, before, ast.unparse(fault), tree)


def _without_meaning(tree: ast.Module) -> set[int]:
    """Nodes of annotations, docstrings, lists of names, and words of messages."""
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign | ast.arg):
            roots.append(node.annotation)
        if isinstance(node, ast.FunctionDef):
            roots.append(node.returns)
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        names = (
            isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        )
        # Lengths that always agree need no check.
        strict = isinstance(node, ast.keyword) and node.arg == "strict"
        if docstring or names or strict or isinstance(node, ast.JoinedStr):
            roots.append(node)
    return {id(node) for root in roots if root for node in ast.walk(root)}


def _faults(node: ast.AST) -> Iterator[ast.AST]:
    """What a node could have been by mistake."""
    yield from _faults_of_expression(node)
    match node:
        case ast.AugAssign(target, op, value) if type(op) in _OPERATORS:
            yield ast.AugAssign(target, _OPERATORS[type(op)](), value)
        case ast.If(test, body, orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Raise() | ast.Continue() | ast.Break():
            yield ast.Pass()
        case ast.Return(ast.AST() as value) if ast.unparse(value) != "None":
            yield ast.Return(ast.Constant(None))
        case _:
            return


def _faults_of_expression(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(left, [op, *ops], comparators) if type(op) in _COMPARISONS:
            yield ast.Compare(left, [_COMPARISONS[type(op)](), *ops], comparators)
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
            yield ast.BinOp(left, _OPERATORS[type(op)](), right)
        case ast.BoolOp(op, values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield ast.BoolOp(other, values)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() as value):
            yield ast.Constant(value + 1)
        case ast.Constant(str() as value) if value:
            yield ast.Constant(value + "?")
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case _:
            return


def _replace(tree: ast.Module, old: ast.AST, new: ast.AST) -> None:
    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else self.generic_visit(node)

    Swap().visit(tree)
