# SPDX-License-Identifier: MIT
"""The project's thread pool beside its peers."""
