// SPDX-License-Identifier: BSL-1.0
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

/** A contender of Apache Curator (see peers/README.md). */
final class CuratorPeer extends Peer {
    private final CuratorFramework client;
    private final InterProcessLock lock;

    private CuratorPeer(Setting setting) {
        super(setting);
        client = CuratorClient.make(setting.servers, setting.timeoutMs);
        switch (setting.lock) {
            case "mutex":
                lock = new InterProcessMutex(client, setting.path);
                break;
            case "write-lock":
                lock = new InterProcessReadWriteLock(client, setting.path).writeLock();
                break;
            case "read-lock":
                lock = new InterProcessReadWriteLock(client, setting.path).readLock();
                break;
            default:
                throw new IllegalArgumentException("no lock: " + setting.lock);
        }
    }

    @Override
    long connect() throws Exception {
        CuratorClient.start(client);
        return client.getZookeeperClient().getZooKeeper().getSessionId();
    }

    @Override
    void acquire() throws Exception {
        lock.acquire();
    }

    @Override
    void release() throws Exception {
        lock.release();
    }

    @Override
    boolean isShared() {
        return setting().lock.equals("read-lock");
    }

    @Override
    void close() {
        client.close();
    }

    public static void main(String[] words) throws Exception {
        new CuratorPeer(new Setting(words)).run();
    }
}
