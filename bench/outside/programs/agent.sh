#!/bin/sh
# SPDX-License-Identifier: MIT
# agent.sh FOLDER ROUNDS: edits, builds and tests in turn, as an agent does that writes programs.
set -eu
folder=$1 rounds=$2
mkdir -p "$folder"
cd "$folder"
for file in 1 2 3 4 5 6; do
        {
                echo '#include <algorithm>'
                echo '#include <map>'
                echo '#include <string>'
                echo "int part$file(int n) {"
                echo '        std::map<std::string, int> seen;'
                echo "        for (int i = 0; i < n; i++) seen[std::to_string(i * $file)]++;"
                echo '        return static_cast<int>(seen.size());'
                echo '}'
        } > part$file.cpp
        echo "part$file.o: part$file.cpp; g++ -O1 -c part$file.cpp"
done > Makefile
objects='part1.o part2.o part3.o part4.o part5.o part6.o'
sed -i "1i all: $objects" Makefile
for round in $(seq "$rounds"); do
        sleep 0.3 # it thinks
        for file in 1 2 3 4 5 6; do
                echo "// round $round" >> part$file.cpp
        done
        make -s -j"$(nproc)"
        python3 "$(dirname "$0")/count.py" 40 > /dev/null
done
