"""The file that declares a tournament: YAML, whose first wrong line is named."""

from dataclasses import dataclass

from ginref.adapters.yaml_reader import YamlDocument, YamlError, read_yaml
from ginref.tournament.configuration import Configuration
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.error import FieldError


class TournamentFileError(ValueError):
    """A file that declares no tournament.

    Attributes:
        line: Where the first wrong thing stands, counted from 1; 0 for the whole.
        path: The field it is about; empty for none.
        what: What is wrong there.
    """

    def __init__(self, line: int, path: str, what: str) -> None:
        """Keep line, field and wrong; the message is made of all."""
        named = str(FieldError(path, what)) if path else what
        super().__init__(f"line {line}: {named}" if line else named)
        self.line = line
        self.path = path
        self.what = what


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A file that declares a tournament.

    Attributes:
        configuration: What it declares.
        document: What it holds, and where.
    """

    configuration: Configuration
    document: YamlDocument

    def blame(self, error: FieldError) -> TournamentFileError:
        """Return an error of a field with the line that it is about."""
        line = self.document.line_of(error.path)
        return TournamentFileError(line, error.path, error.what)


def read_tournament(data: bytes) -> TournamentFile:
    """Read the declaration of a tournament.

    Raises:
        TournamentFileError: Naming the line and the field of the first wrong thing.
    """
    try:
        document = read_yaml(data)
    except YamlError as error:
        raise TournamentFileError(error.line, "", error.what) from None
    try:
        return TournamentFile(read_configuration(document.value), document)
    except FieldError as error:
        line = document.line_of(error.path)
        raise TournamentFileError(line, error.path, error.what) from None
