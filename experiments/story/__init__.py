"""The story of a recorded episode: played again, gathered, told in the terminal or as a page."""
