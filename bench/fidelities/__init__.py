# SPDX-License-Identifier: MIT
"""The simulator beside real measurements: the same programs in both, and how far apart the figures are."""
