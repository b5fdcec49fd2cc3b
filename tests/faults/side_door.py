"""A way of its own to a referee, on which trouble hits nobody else."""

from dataclasses import dataclass, field
from typing import Self

from tests.faults.proxy import FaultProxy
from tests.faults.rig import Rig
from tests.faults.wire import Wire


@dataclass
class SideDoor:
    """A way of its own to a referee, with trouble of its own."""

    rig: Rig
    number: int
    proxy: FaultProxy = field(init=False)
    wire: Wire = field(init=False)

    async def __aenter__(self) -> Self:
        port = int(self.rig.referees[self.number].address.rpartition(":")[2])
        self.proxy = await FaultProxy(port).__aenter__()
        self.wire = Wire(self.proxy.address, self.rig.wires[0].token)
        # The connection stands before there is trouble on it.
        await self.wire.referee("ListMatches", within=15, page_size=1)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.wire.close()
        await self.proxy.__aexit__(None, None, None)
