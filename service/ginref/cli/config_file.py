"""The file of settings: YAML, a setting by its name on each line."""

from collections.abc import Iterator
from pathlib import Path

from ginref.adapters.yaml_reader import SIZE_MOST, YamlError, read_yaml
from ginref.effective import Told
from ginref.setting import ConfigError, Source


def from_file(path: Path) -> Iterator[Told]:
    """Yield what a file gives.

    Raises:
        ConfigError: It cannot be read, names a setting twice, or holds no settings.
    """
    try:
        with path.open("rb") as file:
            document = read_yaml(file.read(SIZE_MOST + 1))
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror or error}"
        raise ConfigError(message) from None
    except YamlError as error:
        place = f"{path}:{error.line}" if error.line else f"{path}"
        raise ConfigError(f"{place}: {error.what}") from None
    settings = document.value
    if settings is None:
        return
    if not isinstance(settings, dict):
        raise ConfigError(f"{path}: settings expected, each as `name: value`")
    for name, value in settings.items():
        yield Told(name, value, Source.FILE, f"{path}:{document.line_of(name)}")
