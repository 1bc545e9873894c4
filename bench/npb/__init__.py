# SPDX-License-Identifier: MIT
"""NAS Parallel Benchmarks beside each other: what several people who know nothing of each other would run."""
