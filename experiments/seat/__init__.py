"""A person in the coordinator's seat: what is typed, what is shown, and help on the way."""
