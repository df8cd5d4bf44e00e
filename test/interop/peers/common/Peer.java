import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One contender for one lock, told by lines on the standard input what to do (see peers/README.md). */
abstract class Peer {
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

    /** Ends the session at the server. */
    abstract void close() throws Exception;

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
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

    private void obey(LinkedBlockingQueue<String> commands) {
        try {
            say("ready " + Long.toHexString(connect()));
            for (;;) {
                String command = commands.take();
                if (command.equals("acquire")) {
                    acquire();
                    enter();
                    say("held");
                } else if (command.equals("release")) {
                    leave();
                    release();
                    say("released");
                } else {
                    throw new IllegalArgumentException("no command: " + command);
                }
            }
        } catch (Torn e) {
            say("torn " + e.getMessage());
        } catch (Throwable e) {
            e.printStackTrace();
            say("failed " + e);
        }
    }

    /** Ends the session and the program, also if the library hangs. */
    private void end() {
        CountDownLatch closed = new CountDownLatch(1);
        Thread closer = new Thread(() -> {
            try {
                close();
            } catch (Throwable e) {
                e.printStackTrace();
            }
            closed.countDown();
        });
        closer.setDaemon(true);
        closer.start();
        try {
            closed.await(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            // It ends all the same.
        }
        Runtime.getRuntime().halt(0);
    }

    void run() throws IOException {
        LinkedBlockingQueue<String> commands = new LinkedBlockingQueue<>();
        Thread worker = new Thread(() -> {
            obey(commands);
            end();
        });
        worker.start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            commands.add(line);
        }
        end();
    }
}
