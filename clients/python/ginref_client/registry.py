"""Owners, bots and tokens of a referee, for those who run competitions."""

from collections.abc import Sequence

from google.protobuf.duration_pb2 import Duration

from ginref.v1 import registry_pb2, registry_service_pb2
from ginref.v1.registry_service_pb2_grpc import RegistryServiceStub
from ginref_client.caller import Caller


class Registry(Caller):
    """Who may play."""

    async def create_owner(self, name: str) -> registry_pb2.Owner:
        """Add an owner, or return the one that is there.

        Raises:
            RefusedError: The name is none, or the caller may not.
            UnavailableError: No referee answered.
        """
        request = registry_service_pb2.CreateOwnerRequest(name=name)
        answer = await self._ask(
            lambda channel: RegistryServiceStub(channel).CreateOwner, request
        )
        return answer.owner

    async def list_owners(self) -> list[registry_pb2.Owner]:
        """Return all owners by name.

        Raises:
            RefusedError: The caller may not.
            UnavailableError: No referee answered.
        """
        request = registry_service_pb2.ListOwnersRequest()
        answer = await self._ask(
            lambda channel: RegistryServiceStub(channel).ListOwners, request
        )
        return list(answer.owners)

    async def create_bot(
        self,
        name: str,
        owner: str,
        *,
        house: bool = False,
        public_key: bytes | None = None,
    ) -> registry_pb2.Bot:
        """Add a bot, or return the one that is there.

        Args:
            name: Its name.
            owner: Whose it is.
            house: It is a bot of the host.
            public_key: The Ed25519 key that proves its submissions, 32 bytes.

        Raises:
            RefusedError: The name is taken or none, or the caller may not.
            UnavailableError: No referee answered.
        """
        request = registry_service_pb2.CreateBotRequest(
            name=name, owner=owner, house=house, public_key=public_key
        )
        answer = await self._ask(
            lambda channel: RegistryServiceStub(channel).CreateBot, request
        )
        return answer.bot

    async def set_bot_key(self, name: str, public_key: bytes) -> registry_pb2.Bot:
        """Give a bot the key that proves its submissions, in place of any other.

        It counts in matches that are created from then on.

        Args:
            name: The bot.
            public_key: The Ed25519 key, 32 bytes.

        Raises:
            RefusedError: There is no such bot, or the caller may not.
            UnavailableError: No referee answered.
        """
        request = registry_service_pb2.SetBotKeyRequest(
            name=name, public_key=public_key
        )
        answer = await self._ask(
            lambda channel: RegistryServiceStub(channel).SetBotKey, request
        )
        return answer.bot

    async def set_bot_consent(
        self, name: str, *, accepts_challenges: bool
    ) -> registry_pb2.Bot:
        """Say whether a bot accepts challenges by others.

        Args:
            name: The bot; empty for the one that the token names.
            accepts_challenges: Whether it does.

        Raises:
            RefusedError: There is no such bot, or the caller may not.
            UnavailableError: No referee answered.
        """
        request = registry_service_pb2.SetBotConsentRequest(
            name=name, accepts_challenges=accepts_challenges
        )
        answer = await self._ask(
            lambda channel: RegistryServiceStub(channel).SetBotConsent, request
        )
        return answer.bot

    async def list_bots(self) -> list[registry_pb2.Bot]:
        """Return all bots by name.

        Raises:
            RefusedError: The caller may not.
            UnavailableError: No referee answered.
        """
        request = registry_service_pb2.ListBotsRequest()
        answer = await self._ask(
            lambda channel: RegistryServiceStub(channel).ListBots, request
        )
        return list(answer.bots)

    async def create_token(
        self,
        role: str,
        *,
        bot: str | None = None,
        match_ids: Sequence[str] = (),
        lifetime: float | None = None,
    ) -> registry_service_pb2.CreateTokenResponse:
        """Make a token; the answer has the secret, which is not shown again.

        It is tried once: a second attempt would make a second token.

        Args:
            role: What the bearer may do: `operator`, `organizer`, `bot` or
                `spectator`.
            bot: The bot it plays as, for a bot's token.
            match_ids: Matches to limit it to; empty for all.
            lifetime: Seconds for which it works; None for ever.

        Raises:
            ValueError: There is no such role.
            RefusedError: The caller may not.
            UnavailableError: It is unknown whether the token was made.
        """
        request = registry_service_pb2.CreateTokenRequest(
            role=registry_pb2.Role.Value(f"ROLE_{role.upper()}"),
            bot=bot,
            match_ids=match_ids,
        )
        if lifetime is not None:
            request.lifetime.CopyFrom(Duration(seconds=round(lifetime)))
        return await self._ask(
            lambda channel: RegistryServiceStub(channel).CreateToken,
            request,
            attempts=1,
        )

    async def list_tokens(self) -> list[registry_pb2.Token]:
        """Return the rows of all tokens, without secrets.

        Raises:
            RefusedError: The caller may not.
            UnavailableError: No referee answered.
        """
        request = registry_service_pb2.ListTokensRequest()
        answer = await self._ask(
            lambda channel: RegistryServiceStub(channel).ListTokens, request
        )
        return list(answer.tokens)

    async def revoke_token(self, token_id: str) -> registry_pb2.Token:
        """Revoke a token for good.

        Raises:
            RefusedError: There is no such token, or the caller may not.
            UnavailableError: No referee answered.
        """
        request = registry_service_pb2.RevokeTokenRequest(token_id=token_id)
        answer = await self._ask(
            lambda channel: RegistryServiceStub(channel).RevokeToken, request
        )
        return answer.token
