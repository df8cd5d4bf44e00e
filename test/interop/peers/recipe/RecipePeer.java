import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.recipes.lock.LockListener;
import org.apache.zookeeper.recipes.lock.WriteLock;

/** A contender of ZooKeeper's own Java recipe (see peers/README.md). */
final class RecipePeer extends Peer {
    private ZooKeeper client;
    private WriteLock lock;

    private RecipePeer(Setting setting) {
        super(setting);
        if (!setting.lock.equals("write-lock")) {
            throw new IllegalArgumentException("no lock: " + setting.lock);
        }
    }

    @Override
    long connect() throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        client = new ZooKeeper(setting().servers, setting().timeoutMs, event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        connected.await();
        return client.getSessionId();
    }

    @Override
    void acquire() throws Exception {
        CountDownLatch granted = new CountDownLatch(1);
        // One object for each acquire: the watches of a used one call lock() again when the connection is lost.
        lock = new WriteLock(client, setting().path, ZooDefs.Ids.OPEN_ACL_UNSAFE, new LockListener() {
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

    @Override
    void release() {
        lock.unlock();
        lock.close();
    }

    @Override
    void close() throws Exception {
        client.close();
    }

    public static void main(String[] words) throws Exception {
        new RecipePeer(new Setting(words)).run();
    }
}
