// SPDX-License-Identifier: BSL-1.0
import org.apache.zookeeper.ZooKeeper;

/** A contender of ZooKeeper's own Java recipe (see peers/README.md). */
final class RecipePeer extends Peer {
    private ZooKeeper client;
    private RecipeLock lock;

    private RecipePeer(Setting setting) {
        super(setting);
        if (!setting.lock.equals("write-lock")) {
            throw new IllegalArgumentException("no lock: " + setting.lock);
        }
    }

    @Override
    long connect() throws Exception {
        client = RecipeLock.connect(setting().servers, setting().timeoutMs);
        lock = new RecipeLock(client, setting().path);
        return client.getSessionId();
    }

    @Override
    void acquire() throws Exception {
        lock.acquire();
    }

    @Override
    void release() {
        lock.release();
    }

    @Override
    void close() throws Exception {
        client.close();
    }

    public static void main(String[] words) throws Exception {
        new RecipePeer(new Setting(words)).run();
    }
}
