# SPDX-License-Identifier: MIT
# Emulated machines: one with systemd and 2 packages of 16 cores with 2 hardware threads each, and small
# ones for one program. They work without KVM, and so in any container. To be sourced.
#
#   machine_lacks                 why there can be no machine here; fails when there can
#   machine_kernel FOLDER         fetches Debian's cloud kernel into FOLDER/kernel, once
#   machine_image BUILD FOLDER [CASE...]
#                                 FOLDER/image: a disk with BUILD installed, and guest/, which runs
#                                 these cases, or all
#   machine_boot FOLDER           until it powers off; writes FOLDER/console and FOLDER/results
#   machine_of_one_program PROGRAM FOLDER
#                                 FOLDER/image: a disk with nothing but /program and its libraries
#   machine_emulate FOLDER CPUS MEMORY PARAMETERS
#                                 as machine_boot: CPUs as qemu wants them, MiB, of the kernel
machine_room=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
machine_seconds=600

machine_lacks() {
        local tool
        [ "$(id -u)" -eq 0 ] || { echo "not root"; return; }
        [ "$(uname -m)" = x86_64 ] || { echo "$(uname -m) is not x86_64"; return; }
        for tool in qemu-system-x86_64 mke2fs dpkg-query apt-cache apt-get python3; do
                command -v $tool >/dev/null || { echo "no command $tool"; return; }
        done
        [ -x /lib/systemd/systemd ] || { echo "systemd is not installed"; return; }
        return 1
}

# The cloud kernel has what such a machine needs built in, and boots without an initial RAM disk.
machine_kernel() {
        local folder=$1 package
        [ ! -s "$folder/kernel" ] || return 0
        package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null |
                sed -n 's/^ *Depends: *\(linux-image-[^ ]*\)$/\1/p' | head -n 1)
        [ -n "$package" ] || { echo "apt knows no package linux-image-cloud-amd64"; return 1; }
        rm -rf "$folder/package"
        mkdir -p "$folder/package"
        (cd "$folder/package" && apt-get -q download "$package") >"$folder/download.log" 2>&1 ||
                { echo "cannot fetch $package: $(tail -n 1 "$folder/download.log")"; return 1; }
        dpkg-deb --fsys-tarfile "$folder"/package/*.deb |
                tar --extract --to-stdout --wildcards './boot/vmlinuz-*' >"$folder/kernel.new" &&
                mv "$folder/kernel.new" "$folder/kernel"
        rm -rf "$folder/package"
}

machine_image() {
        local build=$1 folder=$2 root=$2/root
        shift 2
        rm -rf "$root" "$folder/image"
        "$machine_room/root" "$root"
        DESTDIR=$root cmake --install "$build" --prefix /usr/local >/dev/null
        install_libraries "$root" "$build"/bin/governord "$build"/bin/governorctl
        install -D "$build/tests/virtual_machine/team" "$root/opt/guest/team"
        if [ -x "$build/bin/bench/attack" ]; then
                install "$build/bin/bench/attack" "$root/opt/guest/attack"
                install_libraries "$root" "$build/bin/bench/attack"
        fi
        install "$build/bin/yielder" "$root/opt/guest/yielder"
        cp -r "$machine_room/guest/." "$root/opt/guest/"
        cp "$machine_room/../support/send_descriptors.py" "$root/opt/guest/"
        mv "$root/opt/guest/cases.service" "$root/etc/systemd/system/"
        echo "$*" >"$root/opt/guest/selected"
        ldconfig -r "$root"
        mke2fs -q -t ext4 -O ^has_journal -d "$root" "$folder/image" 600M >/dev/null
        rm -rf "$root"
}

# Those that the packages above do not bring.
install_libraries() {
        local root=$1 library
        shift
        ldd "$@" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u | while read -r library; do
                [ -e "$root$library" ] || [ "${library##*/}" = libthreadcount.so.1 ] ||
                        install -D "$library" "$root$library"
        done
}

machine_boot() {
        machine_emulate "$1" 64,sockets=2,cores=16,threads=2 2048 \
                "systemd.show_status=0 systemd.condition-first-boot=0 systemd.unit=cases.service"
}

# Its libraries stand where it finds them here. It is the first process, and has to mount what it needs.
machine_of_one_program() {
        local program=$1 folder=$2 root=$2/root library
        rm -rf "$root" "$folder/image"
        mkdir -p "$root"/{dev,proc,sys}
        install "$program" "$root/program"
        ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
                install -D "$library" "$root$library"
        done
        mke2fs -q -t ext4 -O ^has_journal -d "$root" "$folder/image" 64M >/dev/null
        rm -rf "$root"
}

# One thread for all CPUs: several get in each other's way on a host with few. The emulated processor
# must not be AMD's, which has no hardware threads here.
machine_emulate() {
        local folder=$1 cpus=$2 memory=$3 parameters=$4
        : >"$folder/results"
        timeout $machine_seconds qemu-system-x86_64 -accel tcg,thread=single \
                -cpu max,vendor=GenuineIntel -smp "$cpus" -m "$memory" \
                -kernel "$folder/kernel" \
                -append "console=ttyS0 quiet panic=-1 root=/dev/nvme0n1 rw $parameters" \
                -drive "file=$folder/image,if=none,id=disk,format=raw,snapshot=on" \
                -device nvme,drive=disk,serial=1 -nodefaults -display none -no-reboot \
                -serial "file:$folder/console" -serial "file:$folder/results" \
                </dev/null >"$folder/emulator.log" 2>&1
}
