"""The keys of a folder as they are now, while others rotate them."""

import asyncio
import logging
from typing import Final

from ginref.adapters.key_file import Ed25519Signer
from ginref.adapters.key_folder import KeyFolder, KeyFolderError

_LOG: Final = logging.getLogger(__name__)

_INTERVAL_S: Final = 2.0


class KeyWatch:
    """Looks into a key folder every two seconds, and takes up what was changed in it.

    Nothing waits for it: who signs takes the key that was found last. While the folder
    is of no use, the keys stay as they were.

    Attributes:
        keys: The keys that were found last.
    """

    def __init__(self, keys: KeyFolder) -> None:
        """Begin with these keys."""
        self.keys = keys
        self._trouble = ""

    def signer(self) -> Ed25519Signer:
        """Return the key that signs now."""
        return self.keys.signer

    def jwks(self) -> bytes:
        """Return all public keys as a JSON Web Key Set."""
        return self.keys.jwks()

    def pem(self) -> bytes:
        """Return all public keys in PEM."""
        return self.keys.pem()

    async def run(self) -> None:
        """Look again and again until cancelled."""
        while True:
            await asyncio.sleep(_INTERVAL_S)
            await self.look()

    async def look(self) -> None:
        """Take up what the folder holds."""
        try:
            # A shared folder may be slow, and no move is to wait for it.
            found = await asyncio.to_thread(KeyFolder, self.keys.path)
        except KeyFolderError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                active_id = self.keys.active_id
                _LOG.warning("the key %s goes on signing: %s", active_id, error)
            return
        self._trouble = ""
        if found.active_id != self.keys.active_id:
            _LOG.info("the key %s signs from now on", found.active_id)
        self.keys = found
