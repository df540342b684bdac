"""Django that writes: save, bulk_create, update_or_create, expressions of columns, locks, deletion."""
import os
import sys
from decimal import Decimal

import django
from django.conf import settings
from reporting import report

SCHEMA = sys.argv[1]
settings.configure(USE_TZ=True, DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"],
                                                       "OPTIONS": {"options": f"-c search_path={SCHEMA} -c timezone=UTC"}}})
django.setup()

from django.db import IntegrityError, models, transaction          # noqa: E402  (needs the settings)


class Product(models.Model):
    """What is sold."""
    id = models.CharField(primary_key=True, max_length=100)
    name = models.TextField(null=True)
    price = models.DecimalField(null=True, max_digits=10, decimal_places=2)
    stock = models.IntegerField(null=True)
    version = models.IntegerField()
    changed = models.DateTimeField(null=True)

    class Meta:
        """Outside of an application."""
        app_label = "shop"
        managed = False
        db_table = "products"


def everything(step):
    """All rows of this program."""
    report(step, Product.objects.filter(id__startswith="dj").values_list("id", "name", "price", "stock", "version", "changed"))


Product(id="dj00", name="Ünï", price=Decimal("1.25"), stock=1, version=1).save(force_insert=True)
Product.objects.create(id="dj01", name="one", stock=5, version=1)
Product.objects.bulk_create([Product(id=f"dj{n:02d}", name=f"n {n}", price=Decimal(n) / 2, stock=n, version=1) for n in range(2, 30)], batch_size=10)
everything("create and bulk_create")
one = Product.objects.get(id="dj02")
one.name, one.stock = "saved", None
one.save()
one.price = Decimal("7.5")
one.save(update_fields=["price"])
Product(id="dj40", name="saved without a row", version=1).save()
everything("save")
Product.objects.bulk_create([Product(id="dj03", name="not used", version=1), Product(id="dj41", name="new", version=1)], ignore_conflicts=True)
Product.objects.bulk_create([Product(id="dj04", name="upserted", version=2), Product(id="dj42", name="new", version=1)],
                            update_conflicts=True, unique_fields=["id"], update_fields=["name", "version"])
everything("bulk_create with conflicts")
report("update_or_create", [Product.objects.update_or_create(id=key, defaults={"name": "either", "version": 3})[1] for key in ("dj05", "dj43")])
report("get_or_create", [Product.objects.get_or_create(id=key, defaults={"version": 4})[1] for key in ("dj05", "dj44")])
report("update with an expression", [Product.objects.filter(id__in=["dj06", "dj07", "none"]).update(stock=models.F("stock") + 10, version=models.F("version") + 1)])
rows = list(Product.objects.filter(id__in=["dj08", "dj09"]))
for row in rows:
    row.stock += 100
report("bulk_update", [Product.objects.bulk_update(rows, ["stock"])])
everything("after updates")
with transaction.atomic():
    locked = Product.objects.select_for_update().get(id="dj10")
    locked.stock = 11
    locked.save()
report("delete", [Product.objects.get(id="dj11").delete()[0], Product.objects.filter(id__in=["dj12", "dj13", "none"]).delete()[0]])
try:
    Product.objects.create(id="dj10", version=1)
    outcome = "created"
except IntegrityError as failure:
    outcome = failure.__cause__.sqlstate
report("a key that is taken", [outcome])
everything("at the end")
