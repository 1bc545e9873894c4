# SPDX-License-Identifier: MIT
"""Fits trees by scikit-learn, whose wheel has an OpenMP runtime of its own: regions with a clause."""

import sys
import zlib

import numpy
from sklearn.ensemble import HistGradientBoostingRegressor

if __name__ == "__main__":
    draws = numpy.random.default_rng(1)
    samples = draws.standard_normal((20_000, 20))
    values = samples @ draws.standard_normal(20) + draws.standard_normal(20_000)
    told = 0
    for seed in range(int(sys.argv[1])):
        model = HistGradientBoostingRegressor(max_iter=20, random_state=seed)
        told = zlib.crc32(model.fit(samples, values).predict(samples[:1000]).tobytes(), told)
    print(told)
