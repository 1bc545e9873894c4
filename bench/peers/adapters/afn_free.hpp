// SPDX-License-Identifier: MIT
// The same, and its workers run where the kernel puts them.
#pragma once

#define PEER_AFN_IS_FREE
#include "afn.hpp"
