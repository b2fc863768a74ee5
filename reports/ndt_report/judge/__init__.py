"""Metrics: functions from DataFrame to DataFrame, and what they say in words."""
