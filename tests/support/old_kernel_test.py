# SPDX-License-Identifier: MIT
"""A command below old_kernel finds no SO_PASSRIGHTS, and everything else as it was.

    old_kernel_test.py OLD_KERNEL
"""

import subprocess
import sys
import unittest

OLD_KERNEL = sys.argv[1]
OPTION = """\
import socket, sys
one = socket.socket(socket.AF_UNIX)
try:
    {}
except OSError as error:
    print(error.errno)
"""
ENOPROTOOPT = 92


def below(*command):
    return subprocess.run([OLD_KERNEL, *command], capture_output=True, text=True, check=False)


class OldKernel(unittest.TestCase):
    def said(self, call):
        return below(sys.executable, "-c", OPTION.format(call)).stdout.strip()

    def test_the_option_can_neither_be_set_nor_read(self):
        for call in ("one.setsockopt(1, 83, 0)", "one.getsockopt(1, 83)"):
            self.assertEqual(self.said(call), str(ENOPROTOOPT), call)

    def test_other_options_and_the_number_at_another_level_are_the_kernels(self):
        self.assertEqual(self.said("one.setsockopt(1, 7, 4096); print(one.getsockopt(1, 7) > 0)"), "True")
        self.assertNotEqual(self.said("one.setsockopt(0, 83, 0); print('set')"), str(ENOPROTOOPT))

    def test_children_of_the_command_find_the_same(self):
        code = OPTION.format("one.setsockopt(1, 83, 0)")
        done = below("/bin/sh", "-c", '"$0" -c "$1"; exit 7', sys.executable, code)
        self.assertEqual((done.stdout.strip(), done.returncode), (str(ENOPROTOOPT), 7))

    def test_a_command_that_is_missing_is_told(self):
        self.assertEqual([below().returncode, below("/nowhere").returncode], [2, 126])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
