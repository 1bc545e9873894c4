# SPDX-License-Identifier: MIT
# fish loads a file of the command's own name.
source (status dirname)/governorctl.fish
