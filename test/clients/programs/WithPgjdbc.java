// pgjdbc: metadata, fetchSize, statements prepared on the server, types of java.time, batches of one connection.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;

public class WithPgjdbc {
    private static final BufferedReader INPUT = new BufferedReader(new InputStreamReader(System.in));

    private static String quote(String text) {
        if (text == null)
            return "null";
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray())
            quoted.append(c == '"' || c == '\\' ? "\\" + c : c < ' ' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        return quoted.append('"').toString();
    }

    private static void report(String step, List<String> rows, boolean keyed) throws Exception {
        Collections.sort(rows);
        List<String> quoted = new ArrayList<>();
        for (String row : rows)
            quoted.add(quote(row));
        System.out.println("{\"step\": " + quote(step) + ", \"keyed\": " + keyed + ", \"rows\": [" + String.join(", ", quoted) + "]}");
        System.out.flush();
        INPUT.readLine();
    }

    private static List<String> rows(ResultSet result) throws SQLException {
        List<String> found = new ArrayList<>();
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
            StringBuilder row = new StringBuilder();
            for (int i = 1; i <= columns; i++) {
                Object value = result.getObject(i);
                row.append(value == null ? "null" : value.getClass().getSimpleName() + " " + value).append("; ");
            }
            found.add(row.toString());
        }
        return found;
    }

    private static List<String> query(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++)
                statement.setObject(i + 1, parameters[i]);
            return rows(statement.executeQuery());
        }
    }

    public static void main(String[] arguments) throws Exception {
        String schema = arguments[0];
        String url = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE");
        for (String mode : new String[] {"simple", "extended", "extendedCacheEverything"}) {
            Properties properties = new Properties();
            properties.setProperty("user", System.getenv("PGUSER"));
            properties.setProperty("currentSchema", schema);
            properties.setProperty("preferQueryMode", mode);
            properties.setProperty("options", "-c timezone=UTC");
            try (Connection connection = DriverManager.getConnection(url, properties)) {
                report("of a key, " + mode, query(connection, "SELECT * FROM orders WHERE customer_id = ?", "c17"), true);
                report("since a LocalDateTime, " + mode,
                    query(connection, "SELECT ordered_at FROM orders WHERE customer_id = ? AND ordered_at >= ?", "c17", LocalDateTime.of(2026, 1, 20, 3, 0)), true);
                report("on a LocalDate, " + mode,
                    query(connection, "SELECT ordered_at FROM orders WHERE customer_id = ? AND ordered_at >= ? AND ordered_at < ?", "c17",
                        LocalDate.of(2026, 1, 5), LocalDate.of(2026, 1, 8)), true);
                report("at an OffsetDateTime, " + mode,
                    query(connection, "SELECT total FROM orders WHERE customer_id = ? AND ordered_at = ?", "c17", OffsetDateTime.parse("2026-01-01T07:17:00+01:00")), true);
                report("numbers, " + mode,
                    query(connection, "SELECT ordered_at FROM orders WHERE customer_id = ? AND total > ? AND weight < ? AND quantity = ?", "c17",
                        new BigDecimal("20.5"), 11.5d, 4), true);
                report("a list, " + mode,
                    query(connection, "SELECT name FROM customers WHERE customer_id = ANY (?)", connection.createArrayOf("text", new String[] {"c01", "c02", "c77"})), true);
                try (PreparedStatement statement = connection.prepareStatement("SELECT count(*) FROM orders WHERE customer_id = ?")) {
                    List<String> found = new ArrayList<>();
                    for (int i = 0; i < 9; i++) {
                        statement.setString(1, "c0" + i);
                        found.addAll(rows(statement.executeQuery()));
                    }
                    report("nine times, " + mode, found, true);
                }
                if (!mode.equals("simple")) {
                    connection.setAutoCommit(false);
                    try (PreparedStatement statement = connection.prepareStatement("SELECT customer_id, ordered_at, details FROM orders WHERE customer_id = ?")) {
                        statement.setFetchSize(7);
                        statement.setString(1, "c18");
                        report("fetchSize 7, " + mode, rows(statement.executeQuery()), true);
                    }
                    connection.commit();
                }
            }
        }
        try (Connection connection = DriverManager.getConnection(url + "?user=" + System.getenv("PGUSER"))) {
            List<String> columns = new ArrayList<>();
            try (ResultSet found = connection.getMetaData().getColumns(null, schema, "orders_view", "%")) {
                while (found.next())
                    columns.add(found.getString("COLUMN_NAME") + " " + found.getString("TYPE_NAME"));
            }
            report("columns", columns, true);
            List<String> tables = new ArrayList<>();
            try (ResultSet found = connection.getMetaData().getTables(null, schema, "%\\_view", new String[] {"VIEW", "TABLE"})) {
                while (found.next())
                    tables.add(found.getString("TABLE_NAME") + " " + found.getString("TABLE_TYPE"));
            }
            report("views", tables, true);
        }
    }
}
