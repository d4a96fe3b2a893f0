"""One table being played: seats, clocks, faults, strikes. No sockets, no tasks, no clock of its own."""
