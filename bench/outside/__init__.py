# SPDX-License-Identifier: MIT
"""The effect of `governorctl run` on programs that nobody modified."""
