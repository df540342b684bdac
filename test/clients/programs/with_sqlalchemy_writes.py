"""SQLAlchemy that writes: the unit of work, many rows in one INSERT, a version counter, bulk statements, upserts."""
import datetime
import sys
from decimal import Decimal

from sqlalchemy import Column, DateTime, Integer, Numeric, String, create_engine, delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, declarative_base
from sqlalchemy.orm.exc import StaleDataError
from reporting import report

SCHEMA = sys.argv[1]
ENGINE = create_engine("postgresql+psycopg://", connect_args={"options": f"-c search_path={SCHEMA} -c timezone=UTC"})
WHEN = datetime.datetime(2026, 3, 1, 12, 30, tzinfo=datetime.timezone.utc)
Base = declarative_base()


class Product(Base):
    """What is sold; its version detects concurrent changes."""
    __tablename__ = "products"
    id = Column(String, primary_key=True)
    name = Column(String)
    price = Column(Numeric(10, 2))
    stock = Column(Integer)
    version = Column(Integer, nullable=False)
    changed = Column(DateTime(timezone=True))
    __mapper_args__ = {"version_id_col": version}


def everything(step):
    """All rows of this program."""
    with Session(ENGINE) as session:
        report(step, session.execute(select(Product.id, Product.name, Product.price, Product.stock, Product.version, Product.changed)
                                   .where(Product.id.like("sa%"))).all())


with Session(ENGINE) as session:
    session.add_all([Product(id=f"sa{n:02d}", name=f"Ünï {n}", price=Decimal(n) / 4, stock=n, changed=WHEN) for n in range(30)])
    session.commit()
everything("many new objects")

with Session(ENGINE) as session:
    one = session.get(Product, "sa01")
    one.name, one.stock = "changed", None
    session.delete(session.get(Product, "sa02"))
    session.commit()
everything("a changed and a deleted object")

with Session(ENGINE) as first, Session(ENGINE) as second:
    ours, theirs = first.get(Product, "sa03"), second.get(Product, "sa03")
    ours.stock, theirs.stock = 100, 200
    first.commit()
    try:
        second.commit()
        outcome = "committed"
    except StaleDataError:
        second.rollback()
        outcome = "stale"
    report("the second of two who change one version", [outcome])
everything("after both")

with Session(ENGINE) as session:
    changed = session.execute(update(Product).where(Product.id.in_(["sa04", "sa05", "none"])).values(stock=Product.stock + 10))
    deleted = session.execute(delete(Product).where(Product.id.in_(["sa06", "none"])))
    report("rows that bulk statements change", [changed.rowcount, deleted.rowcount], True)
    returned = session.execute(update(Product).where(Product.id == "sa07").values(name="seven").returning(Product.name, Product.stock)).all()
    report("what an UPDATE returns", returned, True)
    session.commit()

with Session(ENGINE) as session:
    upsert = insert(Product).values([{"id": f"sa{n:02d}", "name": "upserted", "stock": n, "version": 1} for n in (8, 9, 90)])
    session.execute(upsert.on_conflict_do_update(index_elements=["id"], set_={"name": upsert.excluded.name, "stock": Product.stock + upsert.excluded.stock}))
    session.execute(insert(Product).values(id="sa09", name="not used", version=1).on_conflict_do_nothing(index_elements=["id"]))
    session.commit()
everything("after upserts")

with Session(ENGINE) as session:
    session.add(Product(id="sa10", name="taken"))
    try:
        session.commit()
        outcome = "committed"
    except IntegrityError as failure:
        session.rollback()
        outcome = failure.orig.sqlstate
    report("a key that is taken", [outcome])
