"""Owners, bots, tokens, invitations: translate, delegate, translate back."""

from typing import Final

from ginref.app.gate import Gate
from ginref.transport.call import CALL
from ginref.transport.codec_registry import (
    bot_to_wire,
    invitation_request_from_wire,
    invitation_to_wire,
    key_from_wire,
    owner_to_wire,
    read_secret_request_id,
    rotation_from_wire,
    token_request_from_wire,
    token_to_wire,
)
from ginref.transport.field import missing, read_id, read_name, require
from ginref.v1 import registry_service_pb2 as registry_pb
from ginref.v1.registry_service_pb2_grpc import RegistryServiceServicer


class RegistryService(RegistryServiceServicer):
    """Serves the registry to whoever `CALL` names; the context is not looked at."""

    def __init__(self, gate: Gate) -> None:
        """Delegate to the gate."""
        self._gate: Final = gate

    async def CreateOwner(
        self, request: registry_pb.CreateOwnerRequest, context: object
    ) -> registry_pb.CreateOwnerResponse:
        """Add an owner."""
        del context
        row = await self._gate.create_owner(CALL.get().caller, request.name)
        return registry_pb.CreateOwnerResponse(owner=owner_to_wire(row))

    async def ListOwners(
        self, request: registry_pb.ListOwnersRequest, context: object
    ) -> registry_pb.ListOwnersResponse:
        """Return all owners."""
        del request, context
        rows = await self._gate.list_owners(CALL.get().caller)
        return registry_pb.ListOwnersResponse(owners=map(owner_to_wire, rows))

    async def CreateBot(
        self, request: registry_pb.CreateBotRequest, context: object
    ) -> registry_pb.CreateBotResponse:
        """Add a bot."""
        del context
        owner = read_name(request.owner, "owner")
        row = await self._gate.create_bot(
            CALL.get().caller,
            request.name,
            owner,
            house=request.house,
            key=key_from_wire(request),
        )
        return registry_pb.CreateBotResponse(bot=bot_to_wire(row))

    async def SetBotKey(
        self, request: registry_pb.SetBotKeyRequest, context: object
    ) -> registry_pb.SetBotKeyResponse:
        """Give a bot its key."""
        del context
        name = read_name(request.name, "name") if request.name else None
        key = key_from_wire(request)
        if key is None:
            raise missing("public_key")
        row = await self._gate.set_bot_key(CALL.get().caller, name, key)
        return registry_pb.SetBotKeyResponse(bot=bot_to_wire(row))

    async def SetBotConsent(
        self, request: registry_pb.SetBotConsentRequest, context: object
    ) -> registry_pb.SetBotConsentResponse:
        """Say whether a bot accepts challenges."""
        del context
        name = read_name(request.name, "name") if request.name else None
        require(request, "accepts_challenges", "accepts_challenges")
        row = await self._gate.set_bot_consent(
            CALL.get().caller, name, accepts_challenges=request.accepts_challenges
        )
        return registry_pb.SetBotConsentResponse(bot=bot_to_wire(row))

    async def ListBots(
        self, request: registry_pb.ListBotsRequest, context: object
    ) -> registry_pb.ListBotsResponse:
        """Return all bots."""
        del request, context
        rows = await self._gate.list_bots(CALL.get().caller)
        return registry_pb.ListBotsResponse(bots=map(bot_to_wire, rows))

    async def CreateToken(
        self, request: registry_pb.CreateTokenRequest, context: object
    ) -> registry_pb.CreateTokenResponse:
        """Make a token."""
        del context
        grant, lifetime_ms = token_request_from_wire(request)
        row, secret = await self._gate.create_token(
            CALL.get().caller, grant, lifetime_ms
        )
        return registry_pb.CreateTokenResponse(token=token_to_wire(row), secret=secret)

    async def ListTokens(
        self, request: registry_pb.ListTokensRequest, context: object
    ) -> registry_pb.ListTokensResponse:
        """Return the rows of all tokens."""
        del request, context
        rows = await self._gate.list_tokens(CALL.get().caller)
        return registry_pb.ListTokensResponse(tokens=map(token_to_wire, rows))

    async def RevokeToken(
        self, request: registry_pb.RevokeTokenRequest, context: object
    ) -> registry_pb.RevokeTokenResponse:
        """Revoke a token."""
        del context
        token_id = read_id(request.token_id, "token_id")
        row = await self._gate.revoke_token(CALL.get().caller, token_id)
        return registry_pb.RevokeTokenResponse(token=token_to_wire(row))

    async def RotateToken(
        self, request: registry_pb.RotateTokenRequest, context: object
    ) -> registry_pb.RotateTokenResponse:
        """Make a token in place of another one."""
        del context
        token_id, lifetime_ms, overlap_ms = rotation_from_wire(request)
        row, secret, replaced = await self._gate.rotate_token(
            CALL.get().caller, token_id, lifetime_ms=lifetime_ms, overlap_ms=overlap_ms
        )
        return registry_pb.RotateTokenResponse(
            token=token_to_wire(row), secret=secret, replaced=token_to_wire(replaced)
        )

    async def CreateInvitation(
        self, request: registry_pb.CreateInvitationRequest, context: object
    ) -> registry_pb.CreateInvitationResponse:
        """Make an invitation."""
        del context
        owner, uses, lifetime_ms = invitation_request_from_wire(request)
        row, code = await self._gate.invitations.create(
            CALL.get().caller, owner=owner, uses=uses, lifetime_ms=lifetime_ms
        )
        return registry_pb.CreateInvitationResponse(
            invitation=invitation_to_wire(row), code=code
        )

    async def ListInvitations(
        self, request: registry_pb.ListInvitationsRequest, context: object
    ) -> registry_pb.ListInvitationsResponse:
        """Return the rows of all invitations."""
        del request, context
        rows = await self._gate.invitations.list(CALL.get().caller)
        return registry_pb.ListInvitationsResponse(
            invitations=map(invitation_to_wire, rows)
        )

    async def EndInvitation(
        self, request: registry_pb.EndInvitationRequest, context: object
    ) -> registry_pb.EndInvitationResponse:
        """End an invitation."""
        del context
        row = await self._gate.invitations.end(
            CALL.get().caller, read_id(request.invitation_id, "invitation_id")
        )
        return registry_pb.EndInvitationResponse(invitation=invitation_to_wire(row))

    async def RedeemInvitation(
        self, request: registry_pb.RedeemInvitationRequest, context: object
    ) -> registry_pb.RedeemInvitationResponse:
        """Bring a bot by an invitation; there is no caller."""
        del context
        if not request.code:
            raise missing("code")
        bot, token, secret = await self._gate.invitations.redeem(
            request.code,
            read_name(request.bot, "bot"),
            read_secret_request_id(request.request_id),
        )
        return registry_pb.RedeemInvitationResponse(
            bot=bot_to_wire(bot), token=token_to_wire(token), secret=secret
        )
