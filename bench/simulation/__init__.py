# SPDX-License-Identifier: MIT
"""The policy on virtual machines: runs the simulator, reports, draws."""
