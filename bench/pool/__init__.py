# SPDX-License-Identifier: MIT
"""The measurements of articles with their thread pools, made here with theirs and with ours."""
