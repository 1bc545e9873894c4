# SPDX-License-Identifier: MIT
"""The numbers of the policy, halved and doubled: the policy has no switches for them either. One simulator,
built from a copy of the sources in which a number may be changed by the environment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from lab.endings import Failed

HEADER = Path("governor/policy/numbers.hpp")
_PURE = ("governor/policy", "governor/evidence", "governor/registry", "governor/probe")

_NUMBER = re.compile(r"^inline constexpr ([\w:]+) (k\w+)(?:\{([^{};]+)\}| = ([^;]+));$", re.MULTILINE)
_DERIVED = re.compile(r"(static |inline )?constexpr ([\w:]+ k\w+[^;]*\bnumbers::[^;]*;)")

_BEGIN = "namespace governor::numbers {"
_CHANGED = """\
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace governor::numbers {

/// GOVERNOR_NUMBER=kName=FACTOR changes one.
template <class T> T changed(std::string_view name, T value) {
        const char* asked = std::getenv("GOVERNOR_NUMBER");
        const std::string_view text = asked ? asked : "";
        if (!text.starts_with(name) || text.substr(name.size(), 1) != "=")
                return value;
        const double factor = std::atof(text.data() + name.size() + 1);
        if constexpr (std::is_floating_point_v<T>)
                return static_cast<T>(value * factor);
        else if constexpr (std::is_integral_v<T>)
                return std::max(T{1}, static_cast<T>(static_cast<double>(value) * factor));
        else
                return T(static_cast<typename T::rep>(static_cast<double>(value.count()) * factor));
}

}  // namespace governor::numbers

"""


@dataclass(frozen=True)
class Change:
    """Another value of one number."""

    number: str
    factor: float
    value: str  # as it is written in the header

    @property
    def name(self) -> str:
        return f"{self.number} {'x' if self.factor > 1 else '/'} 2"

    def command(self, simulator: Path) -> list[str]:
        return ["env", f"GOVERNOR_NUMBER={self.number}={self.factor:g}", str(simulator)]


def known_changes(checkout: Path) -> list[Change]:
    """Each chosen number, once halved and once doubled. Numbers that are made of others are left out."""
    found = [(name, braced or assigned) for _, name, braced, assigned in _NUMBER.findall(_read(checkout))]
    return [Change(name, by, value) for name, value in found if _is_chosen(value) for by in (0.5, 2.0)]


class Changeable:
    """The sources with all changeable numbers, which are built once."""

    rule = "numbers"

    def apply(self, sources: Path) -> None:
        """In a copy of the sources."""
        text = _NUMBER.sub(_changeable, _read(sources)).replace("constexpr std::chrono", "inline std::chrono")
        (sources / HEADER).write_text(text.replace(_BEGIN, _CHANGED + _BEGIN, 1))
        for folder in _PURE:
            for file in sorted((sources / folder).rglob("*.[ch]pp")):
                before = file.read_text()
                after = _DERIVED.sub(_not_constant, before)
                if file != sources / HEADER and after != before:
                    file.write_text(after)


def _read(sources: Path) -> str:
    text = (sources / HEADER).read_text()
    if not _NUMBER.search(text):
        raise Failed(f"{HEADER} has no line like `inline constexpr int kName = 1;`.")
    return text


def _is_chosen(value: str) -> bool:
    return re.search(r"\bk[A-Z]", value) is None


def _changeable(match: re.Match[str]) -> str:
    kind, name, braced, assigned = match.groups()
    value = braced if braced is not None else assigned
    if not _is_chosen(value):
        return f"inline const {kind} {name} = {value};"
    return f'inline const {kind} {name} = changed("{name}", {kind}({value}));'


def _not_constant(match: re.Match[str]) -> str:
    """A static member has to be inline then; a variable of a .cpp file need not."""
    where, rest = match.groups()
    return {"static ": "static inline const ", "inline ": "inline const "}.get(where, "const ") + rest
