// SPDX-License-Identifier: MIT

import java.util.stream.LongStream;

/** Computes on all CPUs, in the common pool, as parallel streams do. */
public final class Count {
    private static final long CHUNK = 100_000;

    private static long sum(long first) {
        long total = 0;
        for (long n = first; n < first + CHUNK; n++) {
            long x = n * 0x9E3779B97F4A7C15L;
            for (int i = 0; i < 16; i++) {
                x ^= x >>> 31;
                x *= 0xBF58476D1CE4E5B9L;
            }
            total += x & 255;
        }
        return total;
    }

    public static void main(String[] words) {
        long chunks = Long.parseLong(words[0]);
        System.out.println(
                LongStream.range(0, chunks).parallel().map(n -> sum(n * CHUNK)).sum());
    }
}
