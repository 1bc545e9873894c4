// SPDX-License-Identifier: MIT
// Nothing: it is there for the headers that are compiled with it, once for all tests.
int main() {}
