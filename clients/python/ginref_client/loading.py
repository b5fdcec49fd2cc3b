"""Bots by name: a built-in one, one in a file, or one in a module."""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

from ginref_client.blame import describe
from ginref_client.bot import Bot
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.error import LoadError

BUILT_IN: Final[Mapping[str, type[Bot]]] = {bot.name: bot for bot in (Careful, Simple)}


def load_bot(name: str) -> type[Bot]:
    """Return a bot class.

    Args:
        name: `careful` or `simple`; `path/to/file.py`, or `file.py:Class` where the
            file has several; or `package.module:Class`.

    Raises:
        LoadError: There is no such bot, or its code does not run.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    where, _, class_name = name.rpartition(":")
    if class_name.endswith(".py"):
        where, class_name = name, ""
    if where.endswith(".py"):
        return _pick(_load_file(Path(where)), class_name, where)
    if where and class_name:
        return _pick(_load_module(where), class_name, where)
    raise LoadError(
        f"{name}: no such bot; {', '.join(BUILT_IN)}, FILE.py, FILE.py:CLASS or "
        "MODULE:CLASS expected"
    )


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise LoadError(f"{path}: no such file")
    # Two files of one name are two modules.
    name = f"ginref_bot_{abs(hash(path.resolve())):x}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LoadError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and pickles look their module up by name.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise LoadError(f"{path}: {_told(error, spec.origin)}") from error
    return module


def _load_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise LoadError(f"{name}: {_told(error, None)}") from error


def _pick(module: ModuleType, class_name: str, where: str) -> type[Bot]:
    if class_name:
        found = getattr(module, class_name, None)
        if found is None:
            raise LoadError(f"{where}: no class {class_name}")
        if not (inspect.isclass(found) and issubclass(found, Bot)):
            raise LoadError(f"{where}: {class_name} is no subclass of Bot")
        return _concrete(found, where)
    bots = [
        found
        for found in vars(module).values()
        if inspect.isclass(found)
        and issubclass(found, Bot)
        and found.__module__ == module.__name__
        and not inspect.isabstract(found)
    ]
    if not bots:
        raise LoadError(f"{where}: no subclass of Bot in it")
    if len(bots) > 1:
        names = ", ".join(sorted(bot.__name__ for bot in bots))
        raise LoadError(f"{where}: several bots, say which: {names}")
    return bots[0]


def _concrete(bot: type[Bot], where: str) -> type[Bot]:
    if inspect.isabstract(bot):
        raise LoadError(f"{where}: {bot.__name__} has no choose")
    return bot


def _told(error: BaseException, file: str | None) -> str:
    told = describe(error, {file})
    if isinstance(error, SystemExit):
        told += '; what ends the program belongs under if __name__ == "__main__"'
    return told
