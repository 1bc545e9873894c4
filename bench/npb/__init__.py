# SPDX-License-Identifier: MIT
"""NAS Parallel Benchmarks beside each other: what several people would run that know nothing of each other."""
