"""MedChain: a hospital pharmacy as a multi-agent environment for strategic requests and auditing."""

__version__ = "0.1.0"
