"""Everything a bot author needs: the client, baseline bots and a local arena."""
