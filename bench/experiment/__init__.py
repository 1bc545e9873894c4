# SPDX-License-Identifier: MIT
"""The scenario experiment: loads side by side, governed and not, in the same minutes."""
