# SPDX-License-Identifier: MIT
"""Batch programs that depend on each other, that are stopped, or that lie: with turns and without."""
