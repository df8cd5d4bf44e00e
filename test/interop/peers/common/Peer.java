// SPDX-License-Identifier: BSL-1.0
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** One contender for one lock (see peers/README.md). */
abstract class Peer extends Program {
    /** What the program was started with. */
    static final class Setting {
        final String lock;
        final String servers;
        final String path;
        final int timeoutMs;
        final Path counter; // null: none

        Setting(String[] words) {
            lock = words[0];
            servers = words[1];
            path = words[2];
            timeoutMs = Integer.parseInt(words[3]);
            counter = words.length > 4 ? Path.of(words[4]) : null;
        }
    }

    /** Somebody else wrote the counter while the lock was held. */
    private static final class Torn extends Exception {
        Torn(String what) {
            super(what);
        }
    }

    private final Setting setting;
    private String seen; // of the counter, when the lock was granted

    Peer(Setting setting) {
        this.setting = setting;
    }

    Setting setting() {
        return setting;
    }

    /** Connects; the id of the session. */
    abstract long connect() throws Exception;

    /** Returns when the lock is held. */
    abstract void acquire() throws Exception;

    abstract void release() throws Exception;

    /** Whether others may hold the lock at the same time. */
    boolean isShared() {
        return false;
    }

    private String read() throws IOException {
        return Files.readString(setting.counter, StandardCharsets.US_ASCII).trim();
    }

    private void enter() throws IOException {
        if (setting.counter != null) {
            seen = read();
        }
    }

    private void leave() throws IOException, Torn {
        if (setting.counter == null) {
            return;
        }
        String now = read();
        if (!now.equals(seen)) {
            throw new Torn("the counter was " + seen + " and is " + now);
        }
        if (!isShared()) {
            Files.writeString(setting.counter, Long.toString(Long.parseLong(now) + 1));
        }
    }

    @Override
    String ready() throws Exception {
        return "ready " + Long.toHexString(connect());
    }

    @Override
    String answer(String command) throws Exception {
        if (command.equals("acquire")) {
            acquire();
            enter();
            return "held";
        }
        if (command.equals("release")) {
            leave();
            release();
            return "released";
        }
        throw new IllegalArgumentException("no command: " + command);
    }

    @Override
    String failed(Throwable why) {
        return why instanceof Torn ? "torn " + why.getMessage() : "failed " + why;
    }
}
