"""What a Python module says on its face: its functions, imports and SDK decorators.

The module is parsed, never run. What is bound in more ways than one, or through `import *`, `exec`
or a module's `__getattr__`, is unknown, and nothing is concluded from it.
"""

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

MAX_PARSED_BYTES: Final = 256 * 1024
"""A syntax tree takes some 200 times the size of the text."""

_DYNAMIC: Final = frozenset(("exec", "eval", "globals", "vars", "setattr", "__import__"))
_BLOCKS: Final = (ast.If, ast.Try, ast.With, ast.For, ast.While)
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class SdkCall:
    """A use of an SDK decorator: its name there, and its arguments as far as they are literals.

    `unknown` names the options that are no literals, with `None` for `**options`.
    """

    node: ast.expr
    name: str
    arguments: tuple[object, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    unknown: frozenset[str | None] = frozenset()


@dataclass(slots=True)
class ModuleView:
    """The top level of one module.

    `definitions` holds functions and classes in order; `bound` counts the ways in which a name is
    bound; `imported` maps names to (level, module, name) of their `from` import. `open` says that
    names may appear that cannot be seen.
    """

    definitions: list[Definition] = field(default_factory=list)
    bound: dict[str, int] = field(default_factory=dict)
    imported: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)
    open: bool = False

    def definition(self, name: str) -> Definition | None:
        """The one definition of `name`, `None` where there is none or more than one thing."""
        if self.bound.get(name) != 1:
            return None
        return next((found for found in self.definitions if found.name == name), None)

    def sdk_calls(self, definition: Definition) -> Iterator[SdkCall]:
        """The SDK decorators above `definition`."""
        for decorator in definition.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            name = self._sdk_name(decorator if call is None else call.func)
            if name is not None:
                yield _sdk_call(name, decorator, call)

    def _sdk_name(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name) and self.bound.get(node.id) == 1:
            level, module, name = self.imported.get(node.id, (1, "", ""))
            return name if level == 0 and module.split(".")[0] == "plugin_sdk" else None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = self.modules.get(node.value.id, "")
            return node.attr if module.split(".")[0] == "plugin_sdk" else None
        return None


def parse_module(content: bytes) -> ast.Module | SyntaxError | None:
    """The syntax tree of a module, its syntax error, or `None` when it is too large to look at."""
    if len(content) > MAX_PARSED_BYTES:
        return None
    with warnings.catch_warnings():
        # A stray backslash is for the author's own linter.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(content)
        except SyntaxError as error:
            return error
        except (RecursionError, MemoryError):
            return SyntaxError("the code is nested too deeply")
        except ValueError as error:
            return SyntaxError(str(error))


def module_view(tree: ast.Module) -> ModuleView:
    """The top level of the module `tree`, blocks such as `if` and `try` included."""
    view = ModuleView()
    waiting: list[ast.stmt] = list(reversed(tree.body))
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, _BLOCKS):
            waiting.extend(reversed(list(_inside(statement))))
        _bind(statement, view)
    view.open = view.open or "__getattr__" in view.bound
    return view


def _inside(statement: ast.stmt) -> Iterator[ast.stmt]:
    for name in ("body", "orelse", "finalbody"):
        yield from getattr(statement, name, ())
    for handler in getattr(statement, "handlers", ()):
        yield from handler.body


def _bind(statement: ast.stmt, view: ModuleView) -> None:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        view.definitions.append(statement)
        _count(view, statement.name)
    elif isinstance(statement, ast.ImportFrom):
        for alias in statement.names:
            if alias.name == "*":
                view.open = True
            name = alias.asname or alias.name
            view.imported[name] = (statement.level, statement.module or "", alias.name)
            _count(view, name)
    elif isinstance(statement, ast.Import):
        for alias in statement.names:
            name = alias.asname or alias.name.partition(".")[0]
            view.modules[name] = alias.name if alias.asname else name
            _count(view, name)
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete | ast.For):
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                _count(view, node.id)
            view.open = view.open or _is_dynamic(node)
    elif isinstance(statement, ast.Expr):
        view.open = view.open or any(_is_dynamic(node) for node in ast.walk(statement))


def _is_dynamic(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in _DYNAMIC


def _count(view: ModuleView, name: str) -> None:
    view.bound[name] = view.bound.get(name, 0) + 1


def _sdk_call(name: str, decorator: ast.expr, call: ast.Call | None) -> SdkCall:
    if call is None:
        return SdkCall(decorator, name)
    arguments = [node.value if isinstance(node, ast.Constant) else None for node in call.args]
    options = {
        keyword.arg: keyword.value.value
        for keyword in call.keywords
        if keyword.arg is not None and isinstance(keyword.value, ast.Constant)
    }
    unknown = frozenset(keyword.arg for keyword in call.keywords) - options.keys()
    return SdkCall(decorator, name, tuple(arguments), options, unknown)
