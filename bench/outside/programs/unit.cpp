// SPDX-License-Identifier: MIT
// A file like those of many C++ projects: most of the time goes into the standard library's
// headers.
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

std::string most_frequent(const std::string& text) {
        std::istringstream words(text);
        std::map<std::string, int> counts;
        for (std::string word; words >> word;)
                counts[word]++;
        std::vector<std::pair<int, std::string>> sorted;
        for (const auto& [word, count] : counts)
                sorted.emplace_back(count, word);
        std::sort(sorted.rbegin(), sorted.rend());
        return sorted.empty() ? std::string() : sorted.front().second;
}
