// Hibernate: entities with UUID and embedded keys, a version, JSON, arrays, owned collections; batches, bulk statements,
// upserts; queries by key, by an index, with joins, in pages.

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapsId;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderBy;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.annotations.BatchSize;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.boot.registry.BootstrapServiceRegistryBuilder;
import org.hibernate.cfg.Configuration;
import org.hibernate.type.SqlTypes;

public class WithHibernate {
    private static final BufferedReader INPUT = new BufferedReader(new InputStreamReader(System.in));
    private static final Logger LOG = Logger.getLogger("org.hibernate");
    private static SessionFactory factory;

    @Embeddable
    public static class Address {
        public String street;
        public String city;
    }

    @Entity(name = "Account")
    @Table(name = "accounts")
    public static class Account {
        @Id
        public UUID id;
        public String name;
        public String email;
        @Embedded
        public Address address;
        @JdbcTypeCode(SqlTypes.JSON)
        public Map<String, Object> profile;
        @Column(columnDefinition = "text[]")
        public String[] labels;
        public OffsetDateTime since;
        @Version
        public int version;
        @OneToMany(mappedBy = "account", cascade = CascadeType.ALL, orphanRemoval = true)
        @OrderBy("id.no")
        @BatchSize(size = 20)
        public List<Purchase> purchases = new ArrayList<>();

        public void buy(int no, String total, String status) {
            Purchase purchase = new Purchase();
            purchase.id.no = no;
            purchase.account = this;
            purchase.total = new BigDecimal(total);
            purchase.status = status;
            purchases.add(purchase);
        }

        @Override
        public String toString() {
            return id + " " + name + " " + email + " " + (address == null ? null : address.street + ", " + address.city) + " " + profile + " "
                + Arrays.toString(labels) + " " + (since == null ? null : since.toInstant()) + " " + version;
        }
    }

    @Embeddable
    public static class PurchaseId {
        @Column(name = "account_id")
        public UUID accountId;
        public int no;

        public PurchaseId() {
        }

        public PurchaseId(UUID accountId, int no) {
            this.accountId = accountId;
            this.no = no;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof PurchaseId that && Objects.equals(that.accountId, accountId) && that.no == no;
        }

        @Override
        public int hashCode() {
            return Objects.hash(accountId, no);
        }
    }

    @Entity(name = "Purchase")
    @Table(name = "purchases")
    @DynamicUpdate
    public static class Purchase {
        @EmbeddedId
        public PurchaseId id = new PurchaseId();
        @MapsId("accountId")
        @ManyToOne(fetch = FetchType.LAZY)
        @JoinColumn(name = "account_id")
        public Account account;
        public String status;
        public BigDecimal total;
        public String note;

        @Override
        public String toString() {
            return id.accountId + " " + id.no + " " + status + " " + total + " " + note;
        }
    }

    private static UUID uuid(int n) {
        return new UUID(0x48494245L << 16, n);
    }

    private static Account account(int n) {
        Account account = new Account();
        account.id = uuid(n);
        account.name = "Ünï " + n;
        account.email = "hb" + n % 10 + "@example.org";
        if (n % 3 == 0) {
            account.address = new Address();
            account.address.street = n + " Main St";
            account.address.city = "Łódź";
        }
        account.profile = n % 4 == 0 ? null : new TreeMap<>(Map.of("level", n, "tags", List.of("a", n), "deep", Map.of("on", n % 2 == 0)));
        account.labels = n % 5 == 0 ? null : new String[] {"x", "l" + n, "x"};
        account.since = n % 2 == 0 ? null : OffsetDateTime.parse("2026-03-01T12:30:00Z").plusSeconds(n);
        return account;
    }

    private static void report(String step, boolean keyed, List<?> rows) throws Exception {
        StringBuilder text = new StringBuilder();
        for (Object row : rows)
            text.append(text.length() > 0 ? ", " : "").append('"').append(String.valueOf(row).replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
        System.out.println("{\"step\": \"" + step + "\", \"keyed\": " + keyed + ", \"rows\": [" + text + "]}");
        System.out.flush();
        INPUT.readLine();
    }

    /** All rows of this program, as SQL shows them. */
    private static void everything(String step) throws Exception {
        List<Object> rows = new ArrayList<>();
        factory.inSession(session -> {
            for (String table : List.of("accounts", "purchases"))
                rows.addAll(session.createNativeQuery("SELECT CAST(t AS text) FROM " + table + " t", String.class).stream().sorted().toList());
        });
        report(step, false, rows);
    }

    interface Work {
        Object in(Session session);
    }

    /** What the work returns, or the failure, in a transaction of its own; and how many statements it took. */
    private static void transaction(String step, boolean keyed, Work work) throws Exception {
        List<Object> rows = new ArrayList<>();
        factory.getStatistics().clear();
        try {
            Object result = factory.fromTransaction(work::in);
            rows.addAll(result instanceof List<?> list ? list : List.of(String.valueOf(result)));
        } catch (RuntimeException failure) {
            rows.add(outcome(failure));
        }
        rows.add(factory.getStatistics().getPrepareStatementCount() + " statements");
        report(step, keyed, rows);
    }

    private static String outcome(Throwable failure) {
        String text = failure.getClass().getSimpleName();
        for (Throwable cause = failure; cause != null; cause = cause.getCause())
            if (cause instanceof java.sql.SQLException sql)
                return text + " " + sql.getSQLState();
        return text;
    }

    private static void persist() throws Exception {
        transaction("an object with what it owns", true, session -> {
            Account account = account(0);
            account.buy(1, "10.50", "open");
            account.buy(2, "20.00", "paid");
            session.persist(account);
            return "persisted";
        });
        transaction("a batch of 40", true, session -> {
            for (int n = 1; n <= 40; n++) {
                Account account = account(n);
                account.buy(1, n + ".25", n % 2 == 0 ? "open" : "paid");
                session.persist(account);
            }
            return "persisted";
        });
        everything("rows after persist");
        transaction("a key that is taken", true, session -> {
            session.persist(account(3));
            return "persisted";
        });
    }

    private static void change() throws Exception {
        transaction("dirty checking", true, session -> {
            Account account = session.find(Account.class, uuid(1));
            account.name = "changed";
            account.labels = new String[] {"new"};
            account.profile = null;
            account.purchases.get(0).note = "a note";
            session.find(Account.class, uuid(2));
            return "changed";
        });
        transaction("an embedded object becomes NULL", true, session -> {
            session.find(Account.class, uuid(3)).address = null;
            return "changed";
        });
        Account detached = factory.fromSession(session -> session.find(Account.class, uuid(4)));
        detached.email = null;
        transaction("merge of a detached object without its collection", true, session -> {
            detached.purchases = new ArrayList<>();
            return session.merge(detached).version;
        });
        transaction("merge of a new object", true, session -> {
            Account account = account(50);
            account.buy(7, "1", "open");
            return session.merge(account);
        });
        transaction("remove, with what it owns", true, session -> {
            session.remove(session.find(Account.class, uuid(5)));
            return "removed";
        });
        transaction("an orphan, and a new one", true, session -> {
            Account account = session.find(Account.class, uuid(0));
            account.purchases.remove(0);
            account.buy(3, "30", "open");
            return "changed";
        });
        transaction("an object by its composite key", true, session -> {
            Purchase purchase = session.find(Purchase.class, new PurchaseId(uuid(0), 2));
            purchase.status = "sent";
            return purchase;
        });
        everything("rows after changes");
    }

    private static void versions() throws Exception {
        Account stale = factory.fromSession(session -> session.find(Account.class, uuid(6)));
        transaction("the first of two who change a version", true, session -> {
            session.find(Account.class, uuid(6)).name = "first";
            return "changed";
        });
        transaction("the second, merging", true, session -> {
            stale.name = "second";
            return session.merge(stale);
        });
        transaction("stale inside of a session", true, session -> {
            Account account = session.find(Account.class, uuid(7));
            factory.inTransaction(other -> other.find(Account.class, uuid(7)).name += "!");
            account.name = "late";
            return "not flushed";
        });
        // A rollback does not bring back what was removed before the owner is found to be stale; so its version comes first.
        transaction("stale, with what it owns", true, session -> {
            Account account = session.find(Account.class, uuid(7));
            factory.inTransaction(other -> other.find(Account.class, uuid(7)).name += "!");
            session.lock(account, LockModeType.PESSIMISTIC_FORCE_INCREMENT);
            session.remove(account);
            return "not flushed";
        });
        transaction("one stale object in a batch", true, session -> {
            List<Account> accounts = session.createQuery("from Account where id in :ids", Account.class)
                .setParameter("ids", List.of(uuid(8), uuid(9), uuid(10))).list();
            factory.inTransaction(other -> other.find(Account.class, uuid(9)).name += "!");
            accounts.forEach(account -> account.name = "batch");
            return "not flushed";
        });
        transaction("the others again, which a rollback leaves changed", true, session -> session.createMutationQuery(
            "update Account set name = 'batch', version = 9 where id in :ids").setParameter("ids", List.of(uuid(8), uuid(10))).executeUpdate());
        transaction("a version that a lock increments", true, session -> {
            session.find(Account.class, uuid(11), LockModeType.OPTIMISTIC_FORCE_INCREMENT);
            return "locked";
        });
        everything("rows after stale versions");
    }

    private static void bulk() throws Exception {
        transaction("a bulk update of a key", true, session -> session.createMutationQuery(
            "update versioned Account set name = concat(name, '+') where id in (:one, :two)")
            .setParameter("one", uuid(12)).setParameter("two", uuid(999)).executeUpdate());
        transaction("a bulk update of a partition", true, session -> session.createMutationQuery(
            "update Purchase set total = total * 2, note = null where id.accountId = :id and status = 'open'").setParameter("id", uuid(0)).executeUpdate());
        transaction("a bulk delete with a subquery", true, session -> session.createMutationQuery(
            "delete from Purchase p where p.account.id in (select a.id from Account a where a.email = 'hb4@example.org')").executeUpdate());
        transaction("a bulk insert", true, session -> session.createMutationQuery(
            "insert into Purchase (id.accountId, id.no, status, total) select a.id, 9, a.name, 1 from Account a where a.email = 'hb6@example.org'")
            .executeUpdate());
        transaction("a bulk upsert", true, session -> session.createMutationQuery(
            "insert into Purchase (id.accountId, id.no, status, total) values (:a, 2, 'twice', 5), (:a, 8, 'new', 5)"
            + " on conflict (id.accountId, id.no) do update set total = total + excluded.total, status = excluded.status")
            .setParameter("a", uuid(0)).executeUpdate());
        everything("rows after bulk statements");
    }

    private static void stateless(String step, java.util.function.Consumer<StatelessSession> work) throws Exception {
        String result = "done";
        try {
            factory.inStatelessTransaction(work::accept);
        } catch (RuntimeException failure) {
            result = outcome(failure);
        }
        report(step, true, List.of(result));
    }

    private static void stateless() throws Exception {
        stateless("stateless insert and update", session -> {
            session.insert(account(60));
            Account account = session.get(Account.class, uuid(13));
            account.name = "stateless";
            session.update(account);
            session.delete(session.get(Account.class, uuid(60)));
        });
        stateless("upserts", session -> {
            Purchase purchase = session.get(Purchase.class, new PurchaseId(uuid(13), 1));
            purchase.note = "upserted";
            session.upsert(purchase);
            Purchase other = new Purchase();
            other.id = new PurchaseId(uuid(13), 2);
            other.account = purchase.account;
            other.status = "new";
            session.upsert(other);
        });
        everything("rows after a stateless session");
    }

    private static void queries() throws Exception {
        transaction("by an index", true, session -> session.createQuery("from Account where email = :email order by id", Account.class)
            .setParameter("email", "hb7@example.org").list());
        transaction("by several keys", true, session -> session.byMultipleIds(Account.class).multiLoad(uuid(12), uuid(999), uuid(14)));
        transaction("objects with what they own, by a fetch join", true, session -> session.createQuery(
            "from Account a left join fetch a.purchases where a.email = :email order by a.id", Account.class)
            .setParameter("email", "hb7@example.org").list().stream().map(a -> a.name + a.purchases).toList());
        transaction("objects with what they own, loaded in batches", true, session -> session.createQuery(
            "from Account a where a.email = :email order by a.id", Account.class)
            .setParameter("email", "hb7@example.org").list().stream().map(a -> a.name + a.purchases).toList());
        transaction("owners by a fetch join", true, session -> session.createQuery(
            "from Purchase p join fetch p.account where p.account.id = :id order by p.id.no", Purchase.class)
            .setParameter("id", uuid(0)).list().stream().map(p -> p + " of " + p.account.name).toList());
        for (int page = 0; page < 3; page++) {
            int first = page;
            transaction("page " + page, true, session -> session.createQuery("from Purchase where id.accountId = :id order by id.no desc", Purchase.class)
                .setParameter("id", uuid(0)).setFirstResult(first * 2).setMaxResults(2).list());
        }
        transaction("after a key", true, session -> session.createQuery(
            "from Purchase where id.accountId = :id and id.no > :no order by id.no", Purchase.class)
            .setParameter("id", uuid(0)).setParameter("no", 2).setMaxResults(2).list());
        transaction("a sum", true, session -> session.createQuery(
            "select status, sum(total), count(*) from Purchase where id.accountId = :id group by status order by status", Object[].class)
            .setParameter("id", uuid(0)).list().stream().map(Arrays::toString).toList());
        transaction("a pessimistic lock", true, session -> session.find(Account.class, uuid(12), LockModeType.PESSIMISTIC_WRITE));
    }

    public static void main(String[] arguments) throws Exception {
        LOG.setLevel(Level.OFF);
        ClassLoader ours = WithHibernate.class.getClassLoader();
        Configuration configuration = new Configuration(new BootstrapServiceRegistryBuilder().applyClassLoader(ours).build()).addAnnotatedClass(Account.class).addAnnotatedClass(Purchase.class)
            .setProperty("hibernate.connection.url", "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/"
                + System.getenv("PGDATABASE") + "?options=-c%20timezone=UTC&reWriteBatchedInserts=true&currentSchema=" + arguments[0])
            .setProperty("hibernate.connection.username", System.getenv("PGUSER"))
            .setProperty("hibernate.default_schema", arguments[0])
            .setProperty("hibernate.hbm2ddl.auto", "validate")
            .setProperty("hibernate.hbm2ddl.extra_physical_table_types", "FOREIGN TABLE")
            .setProperty("hibernate.generate_statistics", "true")
            .setProperty("hibernate.jdbc.batch_size", "20")
            .setProperty("hibernate.order_inserts", "true")
            .setProperty("hibernate.order_updates", "true")
            .setProperty("hibernate.jdbc.time_zone", "UTC");
        factory = configuration.buildSessionFactory();
        persist();
        change();
        versions();
        bulk();
        stateless();
        queries();
        factory.close();
    }
}
