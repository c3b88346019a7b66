/* SPDX-License-Identifier: Apache-2.0
 *
 * Main.java -- an in-memory server on a free port of 127.0.0.1: says "listening on 127.0.0.1:PORT" and serves until its
 * standard input ends, so that it never outlives the test that started it.
 */
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.IOException;
import java.net.InetSocketAddress;

public final class Main {
    private Main() {}

    public static void main(String[] args) throws IOException {
        MongoServer server = new MongoServer(new MemoryBackend());
        server.bind("127.0.0.1", 0);
        InetSocketAddress address = server.getLocalAddress();
        System.out.println("listening on 127.0.0.1:" + address.getPort());
        System.out.flush();
        while (System.in.read() >= 0) {
            continue;
        }
        server.shutdownNow();
    }
}
