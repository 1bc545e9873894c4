# SPDX-License-Identifier: MIT
"""What articles measured with their thread pools, measured here with theirs and with ours."""
