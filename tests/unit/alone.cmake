# SPDX-License-Identifier: MIT
# Read by ctest. Others that keep all CPUs busy would make the closer ring more often.
set_tests_properties(unit.CloserTest.RingsForNoneOfManyThatCloseAtOnce PROPERTIES RUN_SERIAL TRUE)
