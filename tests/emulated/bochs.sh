#!/bin/sh
# bochs.sh BUILD ISA: runs the library of a build folder on a processor that this machine does not have: a Skylake-X emulated
# by Bochs, which boots Linux and has bits as its first and only process. Its hashes come out of the serial port and are
# compared with bits.txt. Some ten minutes. Exit status 77: a tool, or a kernel, is not here and cannot be had.
#
# Bochs 2.7 has two faults of its own, found by comparing single instructions with integer arithmetic: vcvtps2ph gets some ties
# wrong, and vfmadd in doubles now and then gives 0 for the rounding error of a product. Lines of f16 and f64 may meet them.
# So the lines of f32, bf16 and whole numbers must agree to the bit; of the others it is only said how many do. (The same source
# is held to all lines in portable C, see simde/.)
set -eu
build=$1 isa=$2
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
folder=$build/bochs
mkdir -p "$folder/disc" "$folder/first"
cd "$folder"

skip() {
    echo "bochs: $*"
    exit 77
}

isolinux=/usr/lib/ISOLINUX/isolinux.bin
loader=/usr/lib/syslinux/modules/bios/ldlinux.c32
for program in bochs-bin xorriso cpio; do
    command -v $program >/dev/null || skip "$program is not here (scripts/setup.sh long installs it)"
done
for file in $isolinux $loader /usr/share/bochs/BIOS-bochs-latest /usr/share/vgabios/vgabios.bin; do
    [ -f $file ] || skip "$file is not here (scripts/setup.sh long installs it)"
done

# Any Linux with a serial console will do: the one kept from last time, this machine's, or Debian's smallest, unpacked only.
find_kernel() {
    [ ! -f vmlinuz ] || return 0
    for kernel in /boot/vmlinuz-*-cloud-amd64 /boot/vmlinuz-*-amd64; do
        if [ -r "$kernel" ]; then
            cp "$kernel" vmlinuz
            return 0
        fi
    done
    package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
    [ -n "$package" ] || return 1
    rm -rf kernel && mkdir kernel
    (cd kernel && apt-get -qq download "$package" && dpkg -x ./*.deb .) >kernel.log 2>&1 || return 1
    cp kernel/boot/vmlinuz-* vmlinuz && rm -rf kernel
}
find_kernel || skip "no kernel: none in /boot, and apt-get download got none"

# The first file system is one program and a console.
"${CC:-cc}" -std=c11 -O2 -I"$source/include" "$here/bits.c" "$here/bits_schemes.c" \
    "$here/bits_rotary.c" "$here/bits_gradients.c" "$here/bits_biases.c" "$here/bits_relative.c" "$here/first_process.c" \
    "$build/lib/libposenc.a" -static -lm -pthread \
    -o first/init
printf 'init\n' | (cd first && cpio -o -H newc --quiet) | gzip -1 >disc/initrd.gz
cp vmlinuz $isolinux $loader disc/

# clearcpuid: this Bochs and Linux disagree about the size of the compact register save area, and Linux then turns AVX off.
cat >disc/isolinux.cfg <<CONFIGURATION
default bits
prompt 0
timeout 1
label bits
  kernel vmlinuz
  append initrd=initrd.gz console=ttyS0 quiet nokaslr mitigations=off clearcpuid=xsaves,xsavec tsc=reliable lpj=1000000 random.trust_cpu=on noapic acpi=off nosmp isa=$isa
CONFIGURATION
xorriso -as mkisofs -quiet -o disc.iso -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table disc \
    >xorriso.log 2>&1

# ips: emulated waiting costs emulated instructions, so a slow clock makes the firmware's delays short.
cat >bochsrc <<CONFIGURATION
megs: 256
cpu: model=corei7_skylake_x, count=1, ips=20000000
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
display_library: rfb, options="timeout=0"
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=disc.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=serial.log
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
log: bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
clock: sync=none
CONFIGURATION
echo c >debugger # Debian builds Bochs with its debugger, which waits for this word
rm -f serial.log
# The display is a VNC server that nobody needs to look at.
timeout -k 5 3000 bochs-bin -q -f bochsrc -rc debugger </dev/null >terminal.log 2>&1 || true

tr -d '\r' <serial.log | sed -n '/^begin$/,/^end/p' | sed '1d' >lines.log
case $(tail -n 1 lines.log) in
"end 0") ;;
"end 77") skip "$isa does not run on the emulated machine" ;;
*)
    tail -n 5 serial.log
    echo "bochs: expected the machine to print \"end 0\", got the lines above"
    exit 1
    ;;
esac
sed '$d' lines.log >bits.log

grep -E ' (f32|bf16|i32|i64) ' "$here/bits.txt" >wanted.log
grep -E ' (f32|bf16|i32|i64) ' bits.log >seen.log
if ! diff wanted.log seen.log >diff.log; then
    head -n 10 diff.log
    echo "$isa under Bochs: expected the bits of bits.txt, got $(grep -c '^>' diff.log) lines of f32, bf16 or whole numbers that differ"
    exit 1
fi
others=$(grep -cE ' (f16|f64) ' "$here/bits.txt")
agree=$(grep -E ' (f16|f64) ' bits.log | grep -cxFf - "$here/bits.txt" || true)
echo "$isa under Bochs: all $(wc -l <seen.log) lines of f32, bf16 and whole numbers as published, and $agree of $others f16 and f64 lines"
