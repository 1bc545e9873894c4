# SPDX-License-Identifier: MIT
"""The parts that the experiments beside it share. It imports none of them."""
