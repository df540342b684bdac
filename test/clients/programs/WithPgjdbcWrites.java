// pgjdbc that writes: batches, also rewritten to one INSERT, statements prepared on the server, counts, RETURNING, COPY.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.math.BigDecimal;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.postgresql.PGConnection;

public class WithPgjdbcWrites {
    private static final BufferedReader INPUT = new BufferedReader(new InputStreamReader(System.in));

    private static void report(String step, List<String> rows, boolean keyed) throws Exception {
        StringBuilder text = new StringBuilder();
        for (String row : rows)
            text.append(text.length() > 0 ? ", " : "").append('"').append(row.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
        System.out.println("{\"step\": \"" + step + "\", \"keyed\": " + keyed + ", \"rows\": [" + text + "]}");
        System.out.flush();
        INPUT.readLine();
    }

    private static void everything(Connection connection, String step, String prefix) throws Exception {
        List<String> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement("SELECT p::text FROM products p WHERE id LIKE ? ORDER BY id COLLATE \"C\"")) {
            statement.setString(1, prefix + "%");
            ResultSet result = statement.executeQuery();
            while (result.next())
                found.add(result.getString(1));
        }
        report(step, found, false);
    }

    private static String counts(int[] counts) {
        return Arrays.toString(counts);
    }

    public static void main(String[] arguments) throws Exception {
        String url = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE");
        for (boolean rewrite : new boolean[] {false, true}) {
            Properties properties = new Properties();
            properties.setProperty("user", System.getenv("PGUSER"));
            properties.setProperty("currentSchema", arguments[0]);
            properties.setProperty("reWriteBatchedInserts", String.valueOf(rewrite));
            properties.setProperty("options", "-c timezone=UTC");
            String prefix = rewrite ? "jr" : "jb";
            String mode = rewrite ? ", rewritten" : "";
            try (Connection connection = DriverManager.getConnection(url, properties)) {
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO products VALUES (?, ?, ?, ?, ?, ?)")) {
                    for (int n = 0; n < 25; n++) {
                        insert.setString(1, String.format("%s%02d", prefix, n));
                        insert.setString(2, "name " + n);
                        insert.setBigDecimal(3, new BigDecimal(n).movePointLeft(1));
                        insert.setInt(4, n);
                        insert.setInt(5, 1);
                        insert.setObject(6, OffsetDateTime.parse("2026-03-01T12:30:00Z"));
                        insert.addBatch();
                    }
                    report("a batch of INSERT" + mode, List.of(String.valueOf(insert.executeBatch().length)), true);
                }
                try (PreparedStatement update = connection.prepareStatement("UPDATE products SET stock = stock + ?, name = ? WHERE id = ?")) {
                    for (int n = 0; n < 10; n++) {
                        update.setInt(1, 100);
                        update.setString(2, "batch");
                        update.setString(3, String.format("%s%02d", prefix, n * 3));
                        update.addBatch();
                    }
                    report("a batch of UPDATE" + mode, List.of(counts(update.executeBatch())), true);
                }
                List<String> changed = new ArrayList<>();
                try (PreparedStatement update = connection.prepareStatement("UPDATE products SET version = ? WHERE id = ? AND version = ?")) {
                    for (int n = 0; n < 12; n++) {
                        update.setInt(1, n + 2);
                        update.setString(2, prefix + "01");
                        update.setInt(3, n < 10 ? n + 1 : 1);
                        changed.add(String.valueOf(update.executeUpdate()));
                    }
                }
                report("a version, prepared on the server" + mode, changed, true);
                try (PreparedStatement delete = connection.prepareStatement("DELETE FROM products WHERE id = ? RETURNING name")) {
                    delete.setString(1, prefix + "02");
                    ResultSet result = delete.executeQuery();
                    result.next();
                    report("what a DELETE returns" + mode, List.of(result.getString(1)), true);
                }
                connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY products (id, name, version) FROM STDIN",
                    new StringReader(prefix + "90\tcopied\t1\n" + prefix + "91\t\\N\t1\n"));
                everything(connection, "rows" + mode, prefix);
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO products (id, version) VALUES (?, 1)")) {
                    insert.setString(1, prefix + "01");
                    insert.addBatch();
                    insert.executeBatch();
                    report("a key that is taken" + mode, List.of("inserted"), false);
                } catch (BatchUpdateException failure) {
                    report("a key that is taken" + mode, List.of(failure.getSQLState()), false);
                }
            } catch (SQLException failure) {
                report("failed" + mode, List.of(failure.getSQLState() + " " + failure.getMessage()), false);
            }
        }
    }
}
