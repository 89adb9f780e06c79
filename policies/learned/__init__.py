"""Learned roles at phase level: what they see and choose (layout), networks over it (nets), and who plays them (players)."""
