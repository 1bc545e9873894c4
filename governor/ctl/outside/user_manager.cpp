// SPDX-License-Identifier: MIT
// sd-bus. libsystemd is not linked: it would make every start of governorctl a millisecond longer.
#include "outside/user_manager.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

namespace ctl::outside {

namespace {

constexpr auto kName = "org.freedesktop.systemd1";
constexpr auto kObject = "/org/freedesktop/systemd1";
constexpr auto kInterface = "org.freedesktop.systemd1.Manager";

template <class Function>
bool find(void* library, const char* name, Function& ret_function) {
        ret_function = reinterpret_cast<Function>(::dlsym(library, name));
        return ret_function != nullptr;
}

}  // namespace

struct SdBus {
        decltype(&sd_bus_new) make = nullptr;
        decltype(&sd_bus_set_address) set_address = nullptr;
        decltype(&sd_bus_set_bus_client) set_bus_client = nullptr;
        decltype(&sd_bus_set_method_call_timeout) set_timeout = nullptr;
        decltype(&sd_bus_start) start = nullptr;
        decltype(&sd_bus_is_ready) is_ready = nullptr;
        decltype(&sd_bus_process) process = nullptr;
        decltype(&sd_bus_wait) wait = nullptr;
        decltype(&sd_bus_close_unref) close = nullptr;
        decltype(&sd_bus_get_property_string) get_string = nullptr;
        decltype(&sd_bus_message_new_method_call) new_call = nullptr;
        decltype(&sd_bus_message_append) append = nullptr;
        decltype(&sd_bus_message_append_array) append_array = nullptr;
        decltype(&sd_bus_message_open_container) open = nullptr;
        decltype(&sd_bus_message_close_container) end = nullptr;
        decltype(&sd_bus_message_unref) unref = nullptr;
        decltype(&sd_bus_call) call = nullptr;

        [[nodiscard]] bool load() {
                void* library = ::dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
                return library != nullptr && find(library, "sd_bus_new", make) &&
                       find(library, "sd_bus_set_address", set_address) &&
                       find(library, "sd_bus_set_bus_client", set_bus_client) &&
                       find(library, "sd_bus_set_method_call_timeout", set_timeout) &&
                       find(library, "sd_bus_start", start) &&
                       find(library, "sd_bus_is_ready", is_ready) &&
                       find(library, "sd_bus_process", process) &&
                       find(library, "sd_bus_wait", wait) &&
                       find(library, "sd_bus_close_unref", close) &&
                       find(library, "sd_bus_get_property_string", get_string) &&
                       find(library, "sd_bus_message_new_method_call", new_call) &&
                       find(library, "sd_bus_message_append", append) &&
                       find(library, "sd_bus_message_append_array", append_array) &&
                       find(library, "sd_bus_message_open_container", open) &&
                       find(library, "sd_bus_message_close_container", end) &&
                       find(library, "sd_bus_message_unref", unref) &&
                       find(library, "sd_bus_call", call);
        }

        /// nullptr: there is no such library here, or it is older than systemd 240.
        [[nodiscard]] static const SdBus* get() {
                static SdBus lib;
                static const bool is_loaded = lib.load();
                return is_loaded ? &lib : nullptr;
        }
};

namespace {

/// sd_bus_call() would wait for a manager that accepts and says nothing for half a minute.
int connect(const SdBus& lib, sd_bus* bus, const std::string& address, bool is_bus) {
        const auto give_up = std::chrono::steady_clock::now() + UserManager::kPatience;
        int error = lib.set_address(bus, address.c_str());
        if (error >= 0 && is_bus)
                error = lib.set_bus_client(bus, 1);
        if (error >= 0)
                error = lib.start(bus);
        while (error >= 0 && lib.is_ready(bus) <= 0) {
                if (std::chrono::steady_clock::now() >= give_up)
                        return -ETIMEDOUT;
                error = lib.process(bus, nullptr);
                if (error == 0)
                        error = lib.wait(bus, 10'000);
        }
        return error < 0 ? error : 0;
}

}  // namespace

tl::expected<UserManager, std::string> UserManager::open() {
        const char* runtime = std::getenv("XDG_RUNTIME_DIR");
        if (runtime == nullptr || *runtime != '/')
                return tl::unexpected<std::string>("XDG_RUNTIME_DIR is not set");
        const auto own_bus = std::string(runtime) + "/bus";
        const bool is_bus = ::access(own_bus.c_str(), F_OK) == 0;
        const auto path = is_bus ? own_bus : std::string(runtime) + "/systemd/private";
        if (!is_bus && ::access(path.c_str(), F_OK) < 0)
                return tl::unexpected<std::string>("this user has no systemd");
        const auto* lib = SdBus::get();
        if (lib == nullptr)
                return tl::unexpected<std::string>("there is no libsystemd.so.0");
        sd_bus* made = nullptr;
        int error = lib->make(&made);
        Bus bus(error < 0 ? nullptr : made, [](sd_bus* old) { SdBus::get()->close(old); });
        if (error >= 0)
                error = connect(*lib, made, "unix:path=" + path, is_bus);
        if (error >= 0)
                error = lib->set_timeout(made, static_cast<std::uint64_t>(kPatience.count()));
        if (error < 0)
                return tl::unexpected("the user's systemd does not answer: " +
                                      std::string(std::strerror(-error)));
        return UserManager(*lib, std::move(bus));
}

std::string UserManager::control_group() const {
        char* text = nullptr;
        if (lib_->get_string(bus_.get(), kName, kObject, kInterface, "ControlGroup", nullptr,
                             &text) < 0)
                return {};
        const std::unique_ptr<char, void (*)(void*)> owned(text, ::free);
        return text;
}

UserManager::Message UserManager::method(const char* name) const {
        sd_bus_message* message = nullptr;
        if (lib_->new_call(bus_.get(), &message, kName, kObject, kInterface, name) < 0)
                message = nullptr;
        return {message, lib_->unref};
}

int UserManager::call(const Message& message) const {
        sd_bus_message* reply = nullptr;
        const int error = lib_->call(bus_.get(), message.get(), 0, nullptr, &reply);
        lib_->unref(reply);
        return error < 0 ? error : 0;
}

int UserManager::start_scope(const std::string& name,
                             const std::vector<std::uint32_t>& pids) const {
        const auto message = method("StartTransientUnit");
        auto* m = message.get();
        const auto bytes = pids.size() * sizeof(std::uint32_t);
        if (m == nullptr || lib_->append(m, "ss", name.c_str(), "fail") < 0 ||
            lib_->open(m, 'a', "(sv)") < 0 ||
            lib_->append(m, "(sv)", "CollectMode", "s", "inactive-or-failed") < 0 ||
            lib_->open(m, 'r', "sv") < 0 || lib_->append(m, "s", "PIDs") < 0 ||
            lib_->open(m, 'v', "au") < 0 || lib_->append_array(m, 'u', pids.data(), bytes) < 0 ||
            lib_->end(m) < 0 || lib_->end(m) < 0 || lib_->end(m) < 0 ||
            lib_->append(m, "a(sa(sv))", 0) < 0)
                return -ENOMEM;
        return call(message);
}

int UserManager::set_cpu_weight(const std::string& scope, std::uint64_t weight) const {
        const auto message = method("SetUnitProperties");
        if (!message || lib_->append(message.get(), "sba(sv)", scope.c_str(), 1, 1, "CPUWeight",
                                     "t", weight) < 0)
                return -ENOMEM;
        return call(message);
}

}  // namespace ctl::outside
