// SPDX-License-Identifier: BSL-1.0
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program that is told by lines on the standard input what to do, and answers each with one line. */
abstract class Program {
    /** Connects; what is said first. */
    abstract String ready() throws Exception;

    abstract String answer(String command) throws Exception;

    /** What is said of a failure, after which the program ends. */
    abstract String failed(Throwable why);

    /** What is said where the input ends before the answer; null: nothing. */
    String unfinished() {
        return null;
    }

    /** Ends its sessions at the server. */
    abstract void close() throws Exception;

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private void obey(LinkedBlockingQueue<String> commands) {
        try {
            say(ready());
            for (;;) {
                say(answer(commands.take()));
            }
        } catch (Throwable e) {
            e.printStackTrace();
            say(failed(e));
        }
    }

    /** Ends the sessions and the program, also if the library hangs. */
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
        String last = unfinished();
        if (last != null) {
            say(last);
        }
        end();
    }
}
