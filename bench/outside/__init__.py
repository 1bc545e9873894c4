# SPDX-License-Identifier: MIT
"""What `governorctl run` does for programs that nobody modified."""
