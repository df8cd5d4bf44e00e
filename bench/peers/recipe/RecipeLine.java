// SPDX-License-Identifier: BSL-1.0
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.Version;
import org.apache.zookeeper.ZooKeeper;

/** A line of the WriteLock of ZooKeeper's own Java recipe (see bench/peers/README.md). */
final class RecipeLine extends Line {
    // One for each contender: two of one session would take the same node for theirs.
    private final List<ZooKeeper> clients = new ArrayList<>();

    private RecipeLine(Setting setting) {
        super(setting);
    }

    @Override
    String version() {
        return "ZooKeeper " + Version.getVersion();
    }

    @Override
    void connect() throws Exception {
        prepare(1);
    }

    @Override
    int prepare(int contenders) throws Exception {
        int wanted = Math.max(1, contenders);
        while (clients.size() > wanted) {
            clients.remove(clients.size() - 1).close();
        }
        while (clients.size() < wanted) {
            clients.add(RecipeLock.connect(setting().servers, setting().timeoutMs));
        }
        return clients.size();
    }

    @Override
    Lock lock(int contender, String path) {
        RecipeLock lock = new RecipeLock(clients.get(contender), path);
        return new Lock() {
            @Override
            public void acquire() throws Exception {
                lock.acquire();
            }

            @Override
            public void release() {
                lock.release();
            }
        };
    }

    @Override
    void close() throws Exception {
        for (ZooKeeper each : clients) {
            each.close();
        }
    }

    public static void main(String[] words) throws Exception {
        new RecipeLine(new Setting(words)).run();
    }
}
