"""The referee for tournaments between bots of the card game Take 5."""
