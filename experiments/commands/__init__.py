"""One module per command of `medchain`; see cli.py."""
