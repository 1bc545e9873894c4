# SPDX-License-Identifier: MIT
"""Batch programs that take turns: beside each other, stopped, lying, killed; and without turns."""
