# SPDX-License-Identifier: MIT
"""Made-up proteins that descend from one another, for programs that align them."""

import random

if __name__ == "__main__":
    draws = random.Random(1)
    letters = "ACDEFGHIKLMNPQRSTVWY"
    first = [draws.choice(letters) for _ in range(150)]
    for number in range(60):
        print(f">{number}")
        print("".join(draws.choice(letters) if draws.random() < 0.3 else letter for letter in first))
