# dynamo_fdw: build with PGXS ("make", "make install", "make installcheck").

EXTENSION = dynamo_fdw
MODULE_big = dynamo_fdw
DATA = $(wildcard sql/dynamo_fdw--*.sql)
PGFILEDESC = "dynamo_fdw - foreign data wrapper for Amazon DynamoDB"

ROOMS = base aws dynamodb model plan exec
SOURCES = src/dynamo_fdw.c $(foreach room,$(ROOMS),$(sort $(wildcard src/$(room)/*.c)))
OBJS = $(SOURCES:.c=.o)

SHLIB_LINK = -lcurl -lcrypto -ljansson -lz

REGRESS = $(patsubst test/sql/%.sql,%,$(sort $(wildcard test/sql/*.sql)))
REGRESS_OPTS = --inputdir=test

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)
