# SPDX-License-Identifier: MIT
"""Measures the daemon under a crowd of clients, under hostile ones, and with leases that come and go."""
