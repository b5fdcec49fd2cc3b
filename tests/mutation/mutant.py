"""Small faults, one at a time, in the source of a module."""

import ast
import functools
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
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
_SILENT: Final = ("strict", "slots", "kw_only")


@dataclass(frozen=True)
class Place:
    """Where a fault can be made: a node of a module, and which of its faults.

    The source comes along, so that an edit meanwhile moves nothing.

    Attributes:
        path: The module's file.
        source: The module as it is.
        node: The position of the node when the module is walked.
        fault: The position among the faults of that node.
        function: The function that the node is within, dotted below its class; empty
            for what runs while the module is loaded.
    """

    path: Path
    source: str
    node: int
    fault: int
    function: str


@dataclass(frozen=True)
class Mutant:
    """A module with one fault.

    Attributes:
        place: Where the fault is.
        line: The line of the fault.
        before: The source of the expression or statement that was changed.
        after: What it was changed to.
        tree: The whole module, fault included.
    """

    place: Place
    line: int
    before: str
    after: str
    tree: ast.Module

    def __str__(self) -> str:
        where = f"{self.place.path.name}:{self.line}"
        return f"{where}: {self.before}  =>  {self.after}"


def places(path: Path) -> Iterator[Place]:
    """Every place where a fault can be made in a module."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    silent = _without_meaning(tree)
    functions = dict(_functions(tree, ""))
    for at, node in enumerate(ast.walk(tree)):
        if id(node) not in silent:
            for fault, _ in enumerate(_faults(node)):
                yield Place(path, source, at, fault, functions.get(id(node), ""))


def make(place: Place) -> Mutant:
    """Make the fault."""
    tree = ast.parse(place.source)
    node = list(ast.walk(tree))[place.node]
    before, line = ast.unparse(node), getattr(node, "lineno", 0)
    fault = list(_faults(node))[place.fault]
    _replace(tree, node, fault)
    ast.fix_missing_locations(tree)
    return Mutant(place, line, before, ast.unparse(fault), tree)


def graft(mutant: Mutant, module: ModuleType) -> None:
    """Put the fault into the function of a module that is loaded already."""
    *owners, name = mutant.place.function.split(".")
    owner = functools.reduce(getattr, owners, module)
    found = inspect.getattr_static(owner, name)
    if isinstance(found, property):
        found = found.fget
    function = inspect.unwrap(getattr(found, "__func__", found))
    # What was computed without the fault must not be remembered.
    for value in vars(module).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()
    code = compile(mutant.tree, str(mutant.place.path), "exec")
    function.__code__ = _find_code(code, mutant.place.function)


def _find_code(code: CodeType, function: str) -> CodeType:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    for const in inner:
        if const.co_qualname == function:
            return const
    (owner,) = [c for c in inner if function.startswith(f"{c.co_qualname}.")]
    return _find_code(owner, function)


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[int, str]]:
    """Name the outermost function that each node is in the body of."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            for statement in child.body:
                for inner in ast.walk(statement):
                    yield id(inner), prefix + child.name
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")


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
        # Lengths that always agree need no check, and slots save time and room.
        silent = isinstance(node, ast.keyword) and node.arg in _SILENT
        if docstring or names or silent or isinstance(node, ast.JoinedStr):
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
