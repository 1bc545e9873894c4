# SPDX-License-Identifier: MIT
"""What the experiments beside it share. It imports none of them."""
