# dynamo_fdw: build with PGXS ("make", "make install", "make installcheck").

EXTENSION = dynamo_fdw
MODULE_big = dynamo_fdw
DATA = $(wildcard sql/dynamo_fdw--*.sql)
PGFILEDESC = "dynamo_fdw - foreign data wrapper for Amazon DynamoDB"

ROOMS = base aws dynamodb model plan exec command
SOURCES = src/dynamo_fdw.c $(foreach room,$(ROOMS),$(sort $(wildcard src/$(room)/*.c src/$(room)/*/*.c)))
OBJS = $(SOURCES:.c=.o)

# Calls among our own functions need no lookup by name, which PostgreSQL sees to only from version 16 on.
SHLIB_LINK = -lcurl -lssl -lcrypto -ljansson -lz -Wl,-Bsymbolic-functions

REGRESS = $(patsubst test/sql/%.sql,%,$(sort $(wildcard test/sql/*.sql)))
REGRESS_OPTS = --inputdir=test

# No bitcode: no function here is worth inlining into JIT code, and "make" must not need the clang that the server
# was built with.
override with_llvm = no

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Headers are few: when one changes, everything is compiled again.
$(OBJS): $(wildcard src/*/*.h src/*/*/*.h)

# The tests on a PostgreSQL with assertions, built once from Debian's source; many planner mistakes show only there.
check-assert:
	test/check-assert

.PHONY: check-assert
