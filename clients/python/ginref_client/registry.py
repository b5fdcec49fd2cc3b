"""Owners, bots, tokens and invitations, for those who run competitions."""

import secrets
from collections.abc import Sequence

from google.protobuf.duration_pb2 import Duration

from ginref.v1 import registry_pb2, registry_service_pb2
from ginref.v1.registry_service_pb2_grpc import RegistryServiceStub
from ginref_client.caller import Caller

Token = registry_pb2.Token
"""The row of a token."""

Invitation = registry_pb2.Invitation
"""The row of an invitation."""


def role_name(token: Token) -> str:
    """Name what the bearer of a token may do."""
    return registry_pb2.Role.Name(token.role).removeprefix("ROLE_").lower()


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
        tournament_ids: Sequence[str] = (),
        lifetime: float | None = None,
    ) -> registry_service_pb2.CreateTokenResponse:
        """Make a token; the answer has the secret, which is not shown again.

        It is tried once: a second attempt would make a second token.

        Args:
            role: What the bearer may do: `operator`, `organizer`, `bot` or
                `spectator`.
            bot: The bot it plays as, for a bot's token.
            match_ids: Matches to limit it to.
            tournament_ids: Tournaments to limit it to, with all of their matches. It
                reaches what either names, and everything if neither names any.
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
            tournament_ids=tournament_ids,
        )
        if lifetime is not None:
            request.lifetime.CopyFrom(_duration(lifetime))
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

    async def rotate_token(
        self, token_id: str, *, overlap: float = 0, lifetime: float | None = None
    ) -> registry_service_pb2.RotateTokenResponse:
        """Make a token in place of another one; the answer has its secret.

        It is tried once: a second attempt would make a second token.

        Args:
            token_id: The row of the other one.
            overlap: Seconds for which the other one goes on working.
            lifetime: Seconds for which the new one works; None for as long as the
                other one did when it was made.

        Raises:
            RefusedError: There is no such token, or the caller may not.
            UnavailableError: It is unknown whether the token was made.
        """
        request = registry_service_pb2.RotateTokenRequest(
            token_id=token_id, overlap=_duration(overlap)
        )
        if lifetime is not None:
            request.lifetime.CopyFrom(_duration(lifetime))
        return await self._ask(
            lambda channel: RegistryServiceStub(channel).RotateToken,
            request,
            attempts=1,
        )

    async def create_invitation(
        self,
        *,
        uses: int | None = None,
        lifetime: float | None = None,
        owner: str | None = None,
    ) -> registry_service_pb2.CreateInvitationResponse:
        """Make an invitation; the answer has the code, which is not shown again.

        It is tried once: a second attempt would make a second invitation.

        Args:
            uses: Most bots that may come by it; None for one.
            lifetime: Seconds for which it works; None for a day.
            owner: Owner of the bots; None makes one for each, of its name.

        Raises:
            RefusedError: There is no such owner, or the caller may not.
            UnavailableError: It is unknown whether the invitation was made.
        """
        request = registry_service_pb2.CreateInvitationRequest(uses=uses, owner=owner)
        if lifetime is not None:
            request.lifetime.CopyFrom(_duration(lifetime))
        return await self._ask(
            lambda channel: RegistryServiceStub(channel).CreateInvitation,
            request,
            attempts=1,
        )

    async def list_invitations(self) -> list[registry_pb2.Invitation]:
        """Return the rows of all invitations by time, without codes.

        Raises:
            RefusedError: The caller may not.
            UnavailableError: No referee answered.
        """
        request = registry_service_pb2.ListInvitationsRequest()
        answer = await self._ask(
            lambda channel: RegistryServiceStub(channel).ListInvitations, request
        )
        return list(answer.invitations)

    async def end_invitation(self, invitation_id: str) -> registry_pb2.Invitation:
        """End an invitation now.

        Raises:
            RefusedError: There is no such invitation, or the caller may not.
            UnavailableError: No referee answered.
        """
        request = registry_service_pb2.EndInvitationRequest(invitation_id=invitation_id)
        answer = await self._ask(
            lambda channel: RegistryServiceStub(channel).EndInvitation, request
        )
        return answer.invitation

    async def redeem_invitation(
        self, code: str, bot: str, request_id: str | None = None
    ) -> registry_service_pb2.RedeemInvitationResponse:
        """Bring a bot by an invitation; the answer has its token's secret.

        No token is needed for it.

        Args:
            code: The code of the invitation.
            bot: The name that the bot is to have.
            request_id: Identity of this request, which nobody else may guess; None
                makes one.

        Raises:
            RefusedError: The code does not work, or the name is taken.
            UnavailableError: No referee answered, or too many codes were wrong.
        """
        request = registry_service_pb2.RedeemInvitationRequest(
            code=code, bot=bot, request_id=request_id or secrets.token_hex(16)
        )
        return await self._ask(
            lambda channel: RegistryServiceStub(channel).RedeemInvitation, request
        )


def _duration(seconds: float) -> Duration:
    duration = Duration()
    duration.FromMilliseconds(round(seconds * 1000))
    return duration
