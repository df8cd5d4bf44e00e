import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** A line of Apache Curator's InterProcessMutex (see bench/peers/README.md). */
final class CuratorLine extends Line {
    private final List<CuratorFramework> clients = new ArrayList<>();

    private CuratorLine(Setting setting) {
        super(setting);
    }

    /** Debian's jar has its release in its name alone. */
    @Override
    String version() {
        try {
            Path jar = Path.of(InterProcessMutex.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return jar.toRealPath().getFileName().toString().replace("curator-recipes-", "Curator ").replace(".jar", "");
        } catch (Exception e) {
            return "Curator";
        }
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
