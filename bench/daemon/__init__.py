# SPDX-License-Identifier: MIT
"""What the daemon bears: a crowd of clients, hostile ones, leases that come and go."""
