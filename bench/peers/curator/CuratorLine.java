// SPDX-License-Identifier: BSL-1.0
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** A line of Apache Curator's InterProcessMutex (see bench/peers/README.md). */
final class CuratorLine extends Line {
    private final List<CuratorFramework> clients = new ArrayList<>();

    private CuratorLine(Setting setting) {
        super(setting);
    }

    /** As Maven wrote it into the jar; no class of the library tells. */
    @Override
    String version() throws IOException {
        Properties written = new Properties();
        try (InputStream in = InterProcessMutex.class.getResourceAsStream(
                "/META-INF/maven/org.apache.curator/curator-recipes/pom.properties")) {
            if (in != null) {
                written.load(in);
            }
        }
        return "Curator " + written.getProperty("version", "of unknown release");
    }

    @Override
    void connect() throws Exception {
        for (int i = 0; i < setting().sessions; ++i) {
            clients.add(CuratorClient.make(setting().servers, setting().timeoutMs));
            CuratorClient.start(clients.get(i));
        }
    }

    @Override
    int prepare(int contenders) {
        return clients.size();
    }

    // An object for each contender: one that is shared wakes all of its threads at each event.
    @Override
    Lock lock(int contender, String path) {
        InterProcessMutex mutex = new InterProcessMutex(clients.get(contender % clients.size()), path);
        return new Lock() {
            @Override
            public void acquire() throws Exception {
                mutex.acquire();
            }

            @Override
            public void release() throws Exception {
                mutex.release();
            }
        };
    }

    @Override
    void close() {
        clients.forEach(CuratorFramework::close);
    }

    public static void main(String[] words) throws Exception {
        new CuratorLine(new Setting(words)).run();
    }
}
