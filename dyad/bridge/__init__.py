"""The bridge: two agents hear each other's last 80 ms (layer 1)."""
