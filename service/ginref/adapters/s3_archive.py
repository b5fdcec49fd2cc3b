"""Signed match records as objects in a bucket: Amazon S3, or whatever speaks like it.

How to reach it and by whose right is told by the variables that other programs read,
too: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL and so on.
"""

import re
from datetime import timedelta
from typing import Final

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from ginref.adapters.folder_archive import SUFFIX, is_match_id
from ginref.app.port import Archive, ArchiveConflictError, StoreUnavailableError
from ginref.record.envelope import is_same_content

_MARK: Final = "ginref-archive"
"""Object that says that records are kept here; it is not one of them."""

_URL: Final = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._/-]*)?")
_TYPE: Final = {"Content-Type": "application/json"}
_FAILURES: Final = (BaseError, OSError)
_PATIENCE: Final = timedelta(seconds=10)
_RETRIES: Final = 3


class S3Archive(Archive):
    """A record is kept as `<match id>.json`, whole or not at all, and for good.

    The server decides who was first, so any number of referees may share a bucket.
    """

    def __init__(self, url: str) -> None:
        """Keep records below `s3://bucket/prefix`; see also `prepare`.

        Raises:
            ValueError: The URL has another form.
        """
        if not _URL.fullmatch(url):
            message = f"{url!r}: s3://bucket or s3://bucket/prefix expected"
            raise ValueError(message)
        self._url = url.rstrip("/")
        self._store = S3Store.from_url(
            self._url,
            # Only an endpoint that is named with http:// is asked without TLS.
            client_options={
                "allow_http": True,
                "connect_timeout": _PATIENCE,
                "timeout": _PATIENCE,
            },
            retry_config={"max_retries": _RETRIES, "retry_timeout": 2 * _PATIENCE},
        )

    async def prepare(self) -> None:
        """See that a record could be kept there.

        Raises:
            OSError: The bucket cannot be written, or takes the place of what is there.
        """
        await self._keep(_MARK, b"{}")
        if await self._keep(_MARK, b"{}"):
            raise OSError("an object there takes the place of another one")

    async def put(self, match_id: str, envelope: bytes) -> None:
        """Keep a record; the same one again is fine, whoever has signed it.

        Raises:
            ArchiveConflictError: Another record of this match is kept already.
            OSError: The bucket cannot be written.
            ValueError: It is no match id.
        """
        if not is_match_id(match_id):
            raise ValueError(f"{match_id!r} is no match id")
        if await self._keep(match_id + SUFFIX, envelope):
            return
        # Who signs may change between two that write the same record.
        kept = await self.get(match_id)
        if kept is None or not is_same_content(kept, envelope):
            message = f"{self._url} holds another record of the match {match_id}"
            raise ArchiveConflictError(message)

    async def get(self, match_id: str) -> bytes | None:
        """Return the record, or None while there is none.

        Raises:
            StoreUnavailableError: The bucket cannot be read now.
        """
        if not is_match_id(match_id):
            return None
        try:
            found = await self._store.get_async(match_id + SUFFIX)
            return bytes(await found.bytes_async())
        except FileNotFoundError:
            return None
        except _FAILURES as error:
            raise StoreUnavailableError(f"{self._url} cannot be read") from error

    async def _keep(self, name: str, data: bytes) -> bool:
        """Keep an object under a name that is free; say whether it was."""
        try:
            await obstore.put_async(
                self._store, name, data, mode="create", attributes=_TYPE
            )
        except AlreadyExistsError:
            return False
        except _FAILURES as error:
            raise OSError(f"{self._url}: {type(error).__name__}") from error
        return True
