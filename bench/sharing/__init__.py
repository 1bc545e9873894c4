# SPDX-License-Identifier: MIT
"""Do programs finish earlier together when they are governed? Loads side by side, in the same minutes."""
