/*
 * test_buffer.c
 *		The buffer's bound, its failure mode, and that memory is reused.
 */
#include "harness.h"

#include "base/buffer.h"

static void
appends_and_formats(void)
{
	DynBuffer	buf;

	dyn_buffer_init(&buf, 0);
	CHECK(buf.data == NULL);
	CHECK(dyn_buffer_append_str(&buf, "ab"));
	CHECK(dyn_buffer_append_char(&buf, 'c'));
	CHECK(dyn_buffer_append(&buf, "d\0e", 3));
	CHECK(dyn_buffer_printf(&buf, "%d-%s", 42, "x"));
	CHECK_EQ_INT(buf.len, 10);
	CHECK(memcmp(buf.data, "abcd\0e42-x", 10) == 0);
	dyn_buffer_free(&buf);
	CHECK(buf.data == NULL && buf.cap == 0 && buf.len == 0);
}

static void
grows_over_many_appends(void)
{
	DynBuffer	buf;
	size_t		i;

	dyn_buffer_init(&buf, 0);
	for (i = 0; i < 100000; i++)
		dyn_buffer_append_char(&buf, (char) ('a' + i % 26));
	CHECK(!buf.failed);
	CHECK_EQ_INT(buf.len, 100000);
	CHECK(buf.data[99999] == (char) ('a' + 99999 % 26));
	dyn_buffer_free(&buf);
}

static void
keeps_its_bound(void)
{
	DynBuffer	buf;

	dyn_buffer_init(&buf, 4);
	CHECK(dyn_buffer_append_str(&buf, "abcd"));
	CHECK(!dyn_buffer_append_char(&buf, 'e'));
	CHECK(buf.failed);
	CHECK_EQ_INT(buf.len, 4);
	CHECK(dyn_buffer_terminate(&buf) == NULL);
	dyn_buffer_reset(&buf);
	CHECK(!buf.failed);
	CHECK(dyn_buffer_printf(&buf, "%s", "wxyz"));
	CHECK_EQ_STR(dyn_buffer_terminate(&buf), "wxyz");
	CHECK(!dyn_buffer_printf(&buf, "%s", "!"));
	CHECK(!dyn_buffer_append(&buf, "", 0));
	dyn_buffer_free(&buf);
	CHECK_EQ_INT(buf.max, 4);
}

static void
reserves_exactly_from_empty(void)
{
	DynBuffer	buf;
	char	   *data;

	dyn_buffer_init(&buf, 1000000);
	CHECK(dyn_buffer_reserve(&buf, 300001));
	CHECK_EQ_INT(buf.cap, 300001);
	CHECK_EQ_INT(buf.len, 0);
	data = buf.data;
	dyn_buffer_reset(&buf);
	CHECK(dyn_buffer_reserve(&buf, 1000));
	CHECK(buf.data == data);
	CHECK(!dyn_buffer_reserve(&buf, 1000001));
	dyn_buffer_free(&buf);
}

static void
refuses_sizes_that_overflow(void)
{
	DynBuffer	buf;

	dyn_buffer_init(&buf, 0);
	dyn_buffer_append_char(&buf, 'x');
	CHECK(!dyn_buffer_reserve(&buf, (size_t) -1));
	CHECK(buf.failed);
	dyn_buffer_free(&buf);
}

int
main(void)
{
	RUN(appends_and_formats);
	RUN(grows_over_many_appends);
	RUN(keeps_its_bound);
	RUN(reserves_exactly_from_empty);
	RUN(refuses_sizes_that_overflow);
	return DONE("buffer");
}
