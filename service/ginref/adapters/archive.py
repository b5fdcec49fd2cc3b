"""The archive of signed records at a place that an operator has named."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from ginref.adapters.folder_archive import FolderArchive

if TYPE_CHECKING:
    from ginref.adapters.s3_archive import S3Archive

_BUCKET: Final = "s3://"


def open_archive(place: str) -> "FolderArchive | S3Archive":
    """Return the archive at a place: a folder, or `s3://bucket/prefix`.

    Raises:
        ValueError: The name of the bucket has another form, or this installation
            cannot use buckets.
    """
    if not place.startswith(_BUCKET):
        return FolderArchive(Path(place))
    try:
        # An extra, which most do without.
        from ginref.adapters.s3_archive import S3Archive  # noqa: PLC0415
    except ImportError as error:
        raise ValueError("install ginref[s3] for that") from error
    return S3Archive(place)
