# SPDX-License-Identifier: MIT
# The daemon starts after the users are known, which rules may name.
install_units
for kind in Wants After; do
        expect_match 'nss-user-lookup\.target' "$(property governord.service $kind)" "$kind"
done
