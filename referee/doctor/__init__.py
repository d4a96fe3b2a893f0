"""Is this machine fit for what it is to do? It looks at software, system and clock, and changes nothing."""
