"""From sockets to tables: who is connected, who plays where, and the loop that moves the bytes."""
