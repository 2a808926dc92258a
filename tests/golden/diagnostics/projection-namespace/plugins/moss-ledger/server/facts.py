"""Herbs from world facts."""
