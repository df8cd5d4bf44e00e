// SPDX-License-Identifier: BSL-1.0
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/** A line of contenders of one library, each a thread, in one process (see bench/peers/README.md). */
abstract class Line extends Program {
    /** What the program was started with. */
    static final class Setting {
        final String servers;
        final String path;
        final int sessions;
        final int timeoutMs;

        Setting(String[] words) {
            servers = words[0];
            path = words[1];
            sessions = Integer.parseInt(words[2]);
            timeoutMs = Integer.parseInt(words[3]);
        }
    }

    /** One contender's. The thread that acquires releases. */
    interface Lock {
        void acquire() throws Exception;

        void release() throws Exception;
    }

    private final Setting setting;
    private int sessions;

    // Of the line that stands. Its contenders are counted from 0, who holds the lock first.
    private int contenders;
    private CountDownLatch firstMayRelease;
    private CountDownLatch drained; // or failed
    private Semaphore answered; // releases that have returned
    private long[] taken = {}; // from a release to the next contender's acquire
    private volatile int served;
    private volatile long released; // when the last release was called
    private volatile Throwable failure;

    Line(Setting setting) {
        this.setting = setting;
    }

    Setting setting() {
        return setting;
    }

    /** The library's name and release. */
    abstract String version() throws Exception;

    /** Opens the sessions. */
    abstract void connect() throws Exception;

    /** Opens what so many contenders need, and closes what they do not; returns how many sessions are open. */
    abstract int prepare(int contenders) throws Exception;

    /** Of one contender. Neighbours belong to different sessions, and so do the first so many as there are sessions. */
    abstract Lock lock(int contender, String path) throws Exception;

    private void contend(int contender) {
        try {
            Lock lock = lock(contender, setting.path);
            lock.acquire();
            long now = System.nanoTime();
            if (contender == 0) {
                firstMayRelease.await();
            } else {
                if (served != contender - 1) {
                    throw new IllegalStateException("contender " + contender + " was served after " + served + " others");
                }
                taken[served] = now - released;
                served = contender;
                answered.acquire(); // The release before is no part of the next hand-off.
            }
            released = System.nanoTime();
            lock.release();
            answered.release();
            if (contender == contenders - 1) {
                drained.countDown();
            }
        } catch (Throwable e) {
            failure = e;
            drained.countDown();
        }
    }

    private void reset(int capacity) {
        contenders = 0;
        served = 0;
        taken = new long[capacity];
        answered = new Semaphore(0);
        firstMayRelease = new CountDownLatch(1);
        drained = new CountDownLatch(1);
    }

    private String prepareLine(int count) throws Exception {
        reset(count);
        sessions = prepare(count);
        return "{\"sessions\":" + sessions + "}";
    }

    private String join() {
        int contender = contenders++;
        Thread thread = new Thread(() -> contend(contender));
        thread.setDaemon(true);
        thread.start();
        return "{}";
    }

    private void check() throws Exception {
        if (failure != null) {
            throw new Exception(failure);
        }
    }

    private String samples() {
        return "\"samples_ns\":" + Arrays.toString(Arrays.copyOf(taken, served));
    }

    /** Every connection went cold while nothing was under way. */
    private void useEachSession() throws Exception {
        for (int i = 0; i < Math.min(sessions, contenders); ++i) {
            Lock aside = lock(i, setting.path + "-aside");
            aside.acquire();
            aside.release();
        }
    }

    private String drain() throws Exception {
        useEachSession();
        long start = System.nanoTime();
        firstMayRelease.countDown();
        drained.await();
        long end = System.nanoTime();
        check();
        return "{\"drain_s\":" + (end - start) / 1e9 + "," + samples() + "}";
    }

    private String uncontended(int pairs) throws Exception {
        Lock lock = lock(0, setting.path);
        lock.acquire(); // The first of a path may make it.
        lock.release();
        reset(pairs);
        for (int i = 0; i < pairs; ++i) {
            long start = System.nanoTime();
            lock.acquire();
            lock.release();
            taken[i] = System.nanoTime() - start;
            served = i + 1;
        }
        return "{" + samples() + "}";
    }

    @Override
    String ready() throws Exception {
        connect();
        return "{\"version\":\"" + version() + ", Java " + System.getProperty("java.version") + "\"}";
    }

    @Override
    String answer(String command) throws Exception {
        check();
        String[] words = command.split(" ");
        switch (words[0]) {
            case "prepare":
                return prepareLine(Integer.parseInt(words[1]));
            case "join":
                return join();
            case "drain":
                return drain();
            case "uncontended":
                return uncontended(Integer.parseInt(words[1]));
            default:
                throw new IllegalArgumentException("no command: " + command);
        }
    }

    @Override
    String failed(Throwable why) {
        return "{\"failed\":\"" + why.toString().replaceAll("[\\\\\"\\p{Cntrl}]", " ") + "\"}";
    }

    @Override
    String unfinished() {
        return "{\"unfinished\":true," + samples() + "}";
    }
}
