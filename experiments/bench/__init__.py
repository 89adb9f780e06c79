"""`python -m experiments.bench`: every figure beside its yardstick, measured in one run on one machine."""
