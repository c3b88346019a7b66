/* SPDX-License-Identifier: Apache-2.0
 *
 * Read.java -- reads a collection through the Java driver and writes each document's bytes to a file; prints their number.
 *
 *     java -cp 'lib/*:classes' Read URI DATABASE COLLECTION OUTPUT BATCH_SIZE      (BATCH_SIZE 0: the driver's choice)
 */
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bson.ByteBuf;
import org.bson.RawBsonDocument;

public final class Read {
    private Read() {}

    public static void main(String[] args) throws IOException {
        long count = 0;
        try (MongoClient client = MongoClients.create(args[0]);
                OutputStream out = new BufferedOutputStream(Files.newOutputStream(Path.of(args[3])))) {
            FindIterable<RawBsonDocument> found =
                    client.getDatabase(args[1]).getCollection(args[2], RawBsonDocument.class).find();
            for (RawBsonDocument document : found.batchSize(Integer.parseInt(args[4]))) {
                ByteBuf bytes = document.getByteBuffer();
                byte[] copy = new byte[bytes.remaining()];
                bytes.get(copy);
                out.write(copy);
                count++;
            }
        }
        System.out.println(count);
    }
}
