# dynamo_fdw: build with PGXS ("make", "make install", "make installcheck"), here or in another directory
# ("make -f /path/to/Makefile").

EXTENSION = dynamo_fdw
MODULE_big = dynamo_fdw
PGFILEDESC = "dynamo_fdw - foreign data wrapper for Amazon DynamoDB"

# Where the sources are, with a slash at the end.
TREE := $(dir $(firstword $(MAKEFILE_LIST)))
in_tree = $(patsubst $(TREE)%,%,$(sort $(wildcard $(addprefix $(TREE),$(1)))))

DATA = $(call in_tree,sql/dynamo_fdw--*.sql)

ROOMS = base aws credentials dynamodb model plan exec command
SOURCES = src/dynamo_fdw.c $(foreach room,$(ROOMS),$(call in_tree,src/$(room)/*.c src/$(room)/*/*.c))
OBJS = $(SOURCES:.c=.o)

# Calls among our own functions need no lookup by name, which PostgreSQL sees to only from version 16 on.
SHLIB_LINK = -lcurl -lssl -lcrypto -ljansson -lz -Wl,-Bsymbolic-functions

REGRESS = $(patsubst test/sql/%.sql,%,$(call in_tree,test/sql/*.sql))
REGRESS_OPTS = --inputdir=$(TREE)test

# No bitcode: no function here is worth inlining into JIT code, and "make" must not need the clang that the server
# was built with.
override with_llvm = no

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# In another directory, only sources are looked for in the tree: objects there are those of another build.
ifdef VPATH
srcdir := $(TREE).
override VPATH :=
vpath %.c $(TREE)
vpath %.control $(TREE)
endif
OBJECT_DIRECTORIES = $(sort $(dir $(OBJS)))
$(OBJS): | $(OBJECT_DIRECTORIES)
$(OBJECT_DIRECTORIES):
	@$(MKDIR_P) $@

# Headers are few: when one changes, everything is compiled again.
$(OBJS): $(wildcard $(TREE)src/*/*.h $(TREE)src/*/*/*.h)

# The manual, in the layout of the tree, so that its links hold.
PAGES = README.md CHANGELOG.md CONTRIBUTING.md LICENSE $(call in_tree,docs/*.* docs/*/*.*)
PAGES_DIRECTORY = $(DESTDIR)$(docdir)/extension/dynamo_fdw

install: install-pages
install-pages:
	$(MKDIR_P) $(addprefix '$(PAGES_DIRECTORY)'/,$(sort $(dir $(PAGES))))
	for page in $(PAGES); do $(INSTALL_DATA) "$(TREE)$$page" '$(PAGES_DIRECTORY)'/"$$page" || exit; done

uninstall: uninstall-pages
uninstall-pages:
	rm -rf '$(PAGES_DIRECTORY)'

# What is committed, as dynamo_fdw-VERSION.tar.gz, and as the .zip that PGXN takes, in the current directory.
DISTVERSION = $(shell sed -n 's/^   "version": "\(.*\)",$$/\1/p' $(TREE)META.json)
DISTNAME = dynamo_fdw-$(DISTVERSION)

dist:
	git -C $(TREE). archive --format=tar.gz --prefix=$(DISTNAME)/ HEAD >$(DISTNAME).tar.gz
	git -C $(TREE). archive --format=zip --prefix=$(DISTNAME)/ HEAD >$(DISTNAME).zip

# The tests on a PostgreSQL with assertions, built once from Debian's source; many planner mistakes show only there.
check-assert:
	$(TREE)test/check-assert

.PHONY: install-pages uninstall-pages dist check-assert
