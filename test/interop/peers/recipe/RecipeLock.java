// SPDX-License-Identifier: BSL-1.0
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.recipes.lock.LockListener;
import org.apache.zookeeper.recipes.lock.WriteLock;

/** The recipe's lock on a session, with an acquire that returns when the lock is held. */
final class RecipeLock {
    private final ZooKeeper client;
    private final String path;
    private WriteLock lock;

    RecipeLock(ZooKeeper client, String path) {
        this.client = client;
        this.path = path;
    }

    static ZooKeeper connect(String servers, int timeoutMs) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(servers, timeoutMs, event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        connected.await();
        return client;
    }

    void acquire() throws Exception {
        CountDownLatch granted = new CountDownLatch(1);
        // One object for each acquire: the watches of a used one call lock() again when the connection is lost.
        lock = new WriteLock(client, path, ZooDefs.Ids.OPEN_ACL_UNSAFE, new LockListener() {
            @Override
            public void lockAcquired() {
                granted.countDown();
            }

            @Override
            public void lockReleased() {}
        });
        lock.lock();
        granted.await();
    }

    void release() {
        lock.unlock();
        lock.close();
    }
}
