"""Studies: does padding pay, and what does auditing do about it."""
