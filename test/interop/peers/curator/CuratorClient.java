// SPDX-License-Identifier: BSL-1.0
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;

/** How each program that uses Curator connects. */
final class CuratorClient {
    private CuratorClient() {}

    /** Not started. */
    static CuratorFramework make(String servers, int timeoutMs) {
        return CuratorFrameworkFactory.builder()
                .connectString(servers)
                .sessionTimeoutMs(timeoutMs)
                .connectionTimeoutMs(15_000)
                .retryPolicy(new RetryForever(200))
                .build();
    }

    static void start(CuratorFramework client) throws InterruptedException {
        client.start();
        client.blockUntilConnected();
    }
}
