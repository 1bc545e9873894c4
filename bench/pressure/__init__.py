# SPDX-License-Identifier: MIT
"""The governor under pressure: a crowd of clients, and hostile ones; beside bench/experiment."""
