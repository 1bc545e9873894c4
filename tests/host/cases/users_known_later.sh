# SPDX-License-Identifier: MIT
# A user of a rule that is not known at the start, as on a host whose users come from the network, takes
# the governor from nobody: the rule is in force once the user is known, without a reload.
install_units
for kind in Wants After; do
        expect_match 'nss-user-lookup\.target' "$(property governord.service $kind)" "$kind"
done
configure "[program late]" "user = late" "weight = 7"
expect ask advise >/dev/null
expect_equal observe "$(setting mode)" "mode"
expect_match 'user = late.: no such user' "$(ask status)" "governorctl status"

echo 'late:x:4242:4242::/nonexistent:/usr/sbin/nologin' | inside tee -a /etc/passwd >/dev/null
wait_for "the mode of the file" setting_is mode govern
expect_match 'all users of the configuration are known now' "$(journal)" "the journal"
