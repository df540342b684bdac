"""SQLAlchemy: reflection through views, the ORM with relations, lists, keyset paging, rows in pieces."""
import datetime
import sys

from sqlalchemy import Column, Date, DateTime, ForeignKey, Integer, MetaData, Numeric, String, Table, create_engine, func, inspect, select, tuple_
from sqlalchemy.orm import Session, declarative_base, joinedload, relationship, selectinload, subqueryload
from reporting import report

SCHEMA = sys.argv[1]
ENGINE = create_engine("postgresql+psycopg://", connect_args={"options": f"-c search_path={SCHEMA} -c timezone=UTC"})
NAIVE = datetime.datetime(2026, 1, 10, 12)
Base = declarative_base()


class Customer(Base):
    """Who orders."""
    __tablename__ = "customers"
    customer_id = Column(String, primary_key=True)
    name = Column(String)
    since = Column(Date)
    orders = relationship("Order", back_populates="customer", order_by="Order.ordered_at")


class Order(Base):
    """What is ordered."""
    __tablename__ = "orders"
    customer_id = Column(String, ForeignKey("customers.customer_id"), primary_key=True)
    ordered_at = Column(DateTime(timezone=True), primary_key=True)
    region = Column(String)
    total = Column(Numeric(10, 2))
    quantity = Column(Integer)
    customer = relationship("Customer", back_populates="orders")


inspector = inspect(ENGINE)
report("columns of a view", [(c["name"], str(c["type"])) for c in inspector.get_columns("orders_view", schema=SCHEMA)], True, True)
report("views", ["orders_view" in inspector.get_view_names(schema=SCHEMA)], True)
with ENGINE.connect() as connection:
    reflected = Table("orders_view", MetaData(), autoload_with=connection, schema=SCHEMA)
    report("a reflected view", connection.execute(select(reflected).where(reflected.c.customer_id == "c04")).fetchall(), True)
    found = connection.execution_options(yield_per=9).execute(select(reflected.c.ordered_at).where(reflected.c.customer_id == "c04"))
    report("rows in pieces", list(found), True)

with Session(ENGINE) as session:
    one = session.get(Customer, "c09")
    report("get", [(one.name, one.since)], True)
    report("a lazy relation", [(o.ordered_at, o.total) for o in one.orders], True, True)
    order = session.get(Order, ("c09", datetime.datetime(2026, 1, 1, 6, 9, tzinfo=datetime.timezone.utc)))
    report("get by both keys", [(order.region, order.total, order.customer.name)], True)

for loading in (selectinload, joinedload, subqueryload):
    with Session(ENGINE) as session:
        found = session.scalars(select(Customer).where(Customer.customer_id.in_(["c01", "c02", "c03"])).options(loading(Customer.orders))).unique().all()
        report(loading.__name__, [(c.name, len(c.orders), [o.total for o in c.orders]) for c in found], True)

with Session(ENGINE) as session:
    report("since a naive datetime", session.execute(select(Order.ordered_at, Order.quantity).where(Order.customer_id == "c10", Order.ordered_at >= NAIVE)).all(), True)
    report("between dates", session.execute(select(Order.ordered_at).where(Order.customer_id == "c10", Order.ordered_at.between(datetime.date(2026, 1, 5), datetime.date(2026, 1, 8)))).all(), True)
    page, pages = ("", datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)), []
    for _ in range(4):
        found = session.execute(select(Order.customer_id, Order.ordered_at).where(Order.customer_id == "c10", tuple_(Order.customer_id, Order.ordered_at) > page)
                                .order_by(Order.customer_id, Order.ordered_at).limit(13)).all()
        pages.append(found)
        page = tuple(found[-1])
    report("pages by key", pages, True, True)
    month = func.date_trunc("month", Order.ordered_at)
    report("totals by month", session.execute(select(month, func.count(), func.sum(Order.total)).where(Order.customer_id == "c10").group_by(month)).all(), True)
    report("does one exist", session.execute(select(select(Order).where(Order.customer_id == "c10").exists())).all(), True)
    report("a join", session.execute(select(Customer.name, Order.total).join(Customer.orders).where(Customer.customer_id == "c11", Order.region == "north")).all(), True)
