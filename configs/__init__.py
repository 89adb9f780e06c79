"""Every number that is not code, as package data: scenario/, policy/ and experiment/."""
