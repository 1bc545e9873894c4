// SPDX-License-Identifier: MIT
//
// Made-up executables: as much of an ELF file as tells what it is linked with.
#pragma once

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace ctl::run {

struct ElfFile {
        std::string linker = "/lib64/ld-linux-x86-64.so.2";  ///< empty: it needs none
        std::vector<std::string> needed;

        [[nodiscard]] std::string bytes() const {
                std::string strings(1, '\0');
                std::vector<Elf64_Dyn> entries;
                for (const auto& name : needed) {
                        entries.push_back(entry(DT_NEEDED, strings.size()));
                        strings += name + '\0';
                }
                const auto strings_at = kHead + linker.size() + 1;
                entries.push_back(entry(DT_STRTAB, strings_at));
                entries.push_back(entry(DT_STRSZ, strings.size()));
                const auto entries_at = strings_at + strings.size();
                const auto size = entries.size() * sizeof(Elf64_Dyn);
                std::string text =
                        head({part(PT_LOAD, 0, entries_at + size),
                              part(linker.empty() ? PT_NULL : PT_INTERP, kHead, linker.size() + 1),
                              part(PT_DYNAMIC, entries_at, size)});
                text += linker + '\0' + strings;
                return text + std::string(reinterpret_cast<const char*>(entries.data()), size);
        }

private:
        static constexpr std::size_t kParts = 3;
        static constexpr std::size_t kHead = sizeof(Elf64_Ehdr) + kParts * sizeof(Elf64_Phdr);

        static Elf64_Dyn entry(std::int64_t tag, std::uint64_t value) {
                Elf64_Dyn entry{};
                entry.d_tag = tag;
                entry.d_un.d_val = value;
                return entry;
        }
        static Elf64_Phdr part(std::uint32_t type, std::uint64_t offset, std::uint64_t size) {
                Elf64_Phdr part{};
                part.p_type = type;
                part.p_offset = part.p_vaddr = offset;
                part.p_filesz = size;
                return part;
        }
        static std::string head(const std::vector<Elf64_Phdr>& parts) {
                Elf64_Ehdr header{};
                std::memcpy(header.e_ident, ELFMAG, SELFMAG);
                header.e_ident[EI_CLASS] = ELFCLASS64;
                header.e_phoff = sizeof(header);
                header.e_phnum = kParts;
                return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) +
                       std::string(reinterpret_cast<const char*>(parts.data()),
                                   parts.size() * sizeof(Elf64_Phdr));
        }
};

}  // namespace ctl::run
