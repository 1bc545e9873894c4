# SPDX-License-Identifier: MIT
# bash loads a file of the command's own name.
. "${BASH_SOURCE[0]%/*}/governorctl"
