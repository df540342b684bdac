"""Django that reads entities of a table that may not be scanned: models of inspectdb, first rows, keys."""
import io
import os
import sys

import django
from django.conf import settings
from django.core.management import call_command
from reporting import report

SCHEMA = sys.argv[1]
settings.configure(USE_TZ=True, DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"],
                                                       "OPTIONS": {"options": f"-c search_path={SCHEMA}_mapped -c timezone=UTC"}}})
django.setup()


def models():
    """The models that inspectdb prints, with what a programmer adds: the keys, and the application."""
    printed = io.StringIO()
    call_command("inspectdb", stdout=printed)
    source = printed.getvalue()
    report("models of inspectdb", source.splitlines(), ordered=True)
    source = source.replace("    class Meta:\n", "    class Meta:\n        app_label = 'shop'\n")
    buyers = "class Buyers(models.Model):\n    buyer_id = models.TextField("
    assert buyers in source, source
    source = source.replace(buyers, buyers + "primary_key=True, ")
    source = source.replace("class Bookings(models.Model):\n", "class Bookings(models.Model):\n    pk = models.CompositePrimaryKey('buyer_id', 'no')\n")
    found = {"__name__": "shop.models"}
    exec(source, found)     # pylint: disable=exec-used
    return found["Buyers"], found["Bookings"]


Buyers, Bookings = models()
report("first rows, as the shell shows them", Bookings.objects.values_list()[:21])
report("first rows after an offset", Bookings.objects.values_list()[20:40])
report("first rows of some columns", Buyers.objects.values_list("name", "city")[:10])
report("exists", [Buyers.objects.exists()])
report("get", [Buyers.objects.get(pk="b07").name, str(Bookings.objects.get(pk=("b07", 3)).total)], True)
report("the first page of a buyer", Bookings.objects.filter(buyer_id="b07").order_by("no").values_list()[:3], True, True)
report("the latest of a buyer", [Bookings.objects.filter(buyer_id="b09").order_by("-no").first().no], True)
report("in_bulk", [(key, buyer.city) for key, buyer in Buyers.objects.in_bulk(["b01", "b02", "none"]).items()], True)
report("count of a buyer", [Bookings.objects.filter(buyer_id="b07", total__gt=10).count()], True)
