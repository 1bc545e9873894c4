// SPDX-License-Identifier: MIT
// The library and governorctl take the same text for the same address, and it reads back.
#include "address.hpp"
#include "ctl/address.hpp"
#include "require.hpp"

#include <cstring>
#include <string>

using namespace threadcount;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        const std::string bytes(reinterpret_cast<const char*>(data), size);
        const std::string text = bytes.c_str();  // a variable ends at its NUL
        const Addresses addresses(text.c_str(), nullptr);
        const auto other = ctl::parse_address(text);
        require((addresses.error() == 0) == other.has_value(), "both accept it or neither");
        require(addresses.end() - addresses.begin() == (other ? 1 : 0), "one address or an error");
        if (!other)
                return 0;
        const auto& address = *addresses.begin();
        require(address.length == other->length &&
                        memcmp(&address.any, &other->storage, address.length) == 0,
                "it is the same address");
        char described[kAddressText];
        describe(address, described);
        const Addresses again(described, nullptr);
        require(again.error() == 0 && again.begin()->length == address.length &&
                        memcmp(&again.begin()->any, &address.any, address.length) == 0,
                "what is described reads back");
        return 0;
}
