"""The wire between referee and bots: bytes to messages and back, and which message may follow which."""
