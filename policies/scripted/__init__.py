"""Scripted agents, compiled with the core: wards, arbiter and the coordinators of the calibration table."""
