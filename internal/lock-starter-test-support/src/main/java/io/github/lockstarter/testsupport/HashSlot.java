package io.github.lockstarter.testsupport;

import java.nio.charset.StandardCharsets;

/** The slot of a key in a Redis Cluster: CRC16 (XMODEM) of the key, or of its hash tag. */
final class HashSlot {

    private static final int SLOTS = 16_384;
    private static final int POLYNOMIAL = 0x1021;

    private HashSlot() {}

    static int of(String key) {
        int start = key.indexOf('{');
        int end = key.indexOf('}', start + 1);
        String hashed = start >= 0 && end > start + 1 ? key.substring(start + 1, end) : key;
        int crc = 0;
        for (byte each : hashed.getBytes(StandardCharsets.UTF_8)) {
            crc ^= (each & 0xff) << 8;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                crc = (crc & 0x8000) != 0 ? crc << 1 ^ POLYNOMIAL : crc << 1;
            }
        }
        return (crc & 0xffff) % SLOTS;
    }
}
