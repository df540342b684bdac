/*
 * test_number.c
 *		Canonical form, rounding outward and order of decimal text.
 */
#include "harness.h"

#include "base/number.h"

#include <stdlib.h>

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

#define NINES38		"99999999999999999999999999999999999999"
#define ZEROS10		"0000000000"
#define ZEROS29		ZEROS10 ZEROS10 "000000000"
#define ZEROS88		ZEROS29 ZEROS29 ZEROS10 ZEROS10 ZEROS10
#define ZEROS125	ZEROS88 ZEROS29 "00000000"
#define ZEROS129	ZEROS125 "0000"
#define LARGEST		NINES38 ZEROS88
#define SMALLEST	"0." ZEROS129 "1"
#define DIGITS38	"12345678901234567890123456789012345678"

/* The canonical form, or a word for what is wrong with the text. */
static const char *
canonical(const char *text)
{
	static const char *const words[] = {
		"ok", "syntax", "precision", "overflow", "underflow"
	};
	static char dst[DYN_NUMBER_BUFSIZE];
	size_t		len = 0;
	DynNumberStatus status;

	memset(dst, '#', sizeof(dst));
	status = dyn_number_canonical(text, strlen(text), dst, &len);
	if (status != DYN_NUMBER_OK)
		return words[status];
	CHECK_EQ_INT(strlen(dst), len);
	return dst;
}

typedef struct Pair
{
	const char *text;
	const char *wanted;
} Pair;

static void
check_canonical(const Pair *pairs, size_t n)
{
	size_t		i;

	for (i = 0; i < n; i++)
	{
		if (!CHECK_EQ_STR(canonical(pairs[i].text), pairs[i].wanted))
			printf("#     for:    %s\n", pairs[i].text);
	}
}

static void
texts_become_canonical(void)
{
	static const Pair pairs[] = {
		{"0", "0"},
		{"-0", "0"},
		{"+0.000", "0"},
		{"0e126", "0"},
		{"0e-99999999999999999999", "0"},
		{"7", "7"},
		{"+7", "7"},
		{"-7", "-7"},
		{"007", "7"},
		{"1000", "1000"},
		{"1e3", "1000"},
		{"1E+3", "1000"},
		{"1000.00", "1000"},
		{"1.50", "1.5"},
		{"0001.23", "1.23"},
		{".5", "0.5"},
		{"5.", "5"},
		{"-.5e1", "-5"},
		{"12345e-2", "123.45"},
		{"12345e-5", "0.12345"},
		{"12345e-7", "0.0012345"},
		{"0.00012", "0.00012"},
		{"0.00012e4", "1.2"},
		{"100e-2", "1"},
		{"1.7976931348623157e+100", "179769313486231570" ZEROS10 ZEROS10
			ZEROS10 ZEROS10 ZEROS10 ZEROS10 ZEROS10 ZEROS10 "000"},
		{"10.0000000000000000000000000000000000000000000001e0", "precision"},
	};

	check_canonical(pairs, LENGTHOF(pairs));
}

static void
limits_are_exact(void)
{
	static const Pair pairs[] = {
		{DIGITS38, DIGITS38},
		{DIGITS38 "0", DIGITS38 "0"},
		{DIGITS38 "00.000", DIGITS38 "00"},
		{DIGITS38 "9", "precision"},
		{DIGITS38 ".9", "precision"},
		{"0." DIGITS38, "0." DIGITS38},
		{"0.0" DIGITS38 "1", "precision"},
		{"1" ZEROS29 "00000000" "1", "precision"},
		{"1" ZEROS29 "0000000" "1", "1" ZEROS29 "0000000" "1"},
		{LARGEST, LARGEST},
		{"9.9999999999999999999999999999999999999E125", LARGEST},
		{"1e125", "1" ZEROS125},
		{"1e126", "overflow"},
		{"-1e126", "overflow"},
		{"0.1e127", "overflow"},
		{"1e999999999999999999999999999", "overflow"},
		{"1E-130", SMALLEST},
		{"-1E-130", "-" SMALLEST},
		{"10e-131", SMALLEST},
		{"1.2345E-130", "0." ZEROS129 "12345"},
		{"1.2345678901234567890123456789012345678E-130",
		"0." ZEROS129 DIGITS38},
		{"9.9e-131", "underflow"},
		{"1e-131", "underflow"},
		{"1e-999999999999999999999999999", "underflow"},
	};

	check_canonical(pairs, LENGTHOF(pairs));
	CHECK_EQ_INT(strlen(LARGEST), 126);
	CHECK_EQ_INT(strlen(SMALLEST), 132);
}

static void
what_is_no_number_is_refused(void)
{
	static const char *const texts[] = {
		"", "+", "-", ".", "e5", ".e5", "1e", "1e+", "1e-", "1.2.3", "--1",
		"+-1", "1 ", " 1", "1_000", "0x10", "NaN", "Infinity", "-Infinity",
		"inf", "1e5.0", "1,5", "12a", "\xd9\xa1"
	};
	char		dst[DYN_NUMBER_BUFSIZE];
	size_t		len;
	size_t		i;

	for (i = 0; i < LENGTHOF(texts); i++)
	{
		if (!CHECK_EQ_STR(canonical(texts[i]), "syntax"))
			printf("#     for:    %s\n", texts[i]);
	}
	CHECK(dyn_number_canonical(NULL, 0, dst, &len) == DYN_NUMBER_SYNTAX);
	CHECK(dyn_number_canonical("1\0002", 3, dst, &len) == DYN_NUMBER_SYNTAX);
	CHECK(dyn_number_canonical("12x", 2, dst, &len) == DYN_NUMBER_OK);
}

/* The longest canonical text is accepted, and a long text is read to its end. */
static void
long_texts_are_read(void)
{
	size_t		n = 200000;
	char	   *text = malloc(n + 32);

	memset(text, '0', n);
	text[0] = '1';
	strcpy(text + n, "e-199999");
	CHECK_EQ_STR(canonical(text), "1");
	text[n - 1] = '1';
	CHECK_EQ_STR(canonical(text), "precision");
	text[0] = '0';
	strcpy(text + n, ".5e-1");
	CHECK_EQ_STR(canonical(text), "0.15");
	text[0] = '.';
	strcpy(text + n, "e199999");
	CHECK_EQ_STR(canonical(text), "1");
	free(text);
	CHECK(strlen(canonical("-1.2345678901234567890123456789012345678E-130"))
		  < DYN_NUMBER_BUFSIZE);
}

static const char *
rounded(const char *text, DynRounding dir)
{
	static char dst[DYN_NUMBER_BUFSIZE];
	size_t		len = 0;

	if (!dyn_number_round(text, strlen(text), dir, dst, &len))
		return "none";
	CHECK_EQ_INT(strlen(dst), len);
	return dst;
}

typedef struct Rounding
{
	const char *text;
	const char *down;
	const char *up;
} Rounding;

static void
bounds_round_outward(void)
{
	static const Rounding rows[] = {
		{"1.50", "1.5", "1.5"},
		{"-0.0", "0", "0"},
		{DIGITS38, DIGITS38, DIGITS38},
		{DIGITS38 ".5", DIGITS38, "12345678901234567890123456789012345679"},
		{"-" DIGITS38 ".5", "-12345678901234567890123456789012345679",
		"-" DIGITS38},
		{DIGITS38 "0000000001", DIGITS38 ZEROS10,
		"12345678901234567890123456789012345679" ZEROS10},
		{NINES38 "1", NINES38 "0", "1" ZEROS29 ZEROS10},
		{"0." NINES38 "1", "0." NINES38, "1"},
		{"0.0" NINES38 "1", "0.0" NINES38, "0.1"},
		{"1." ZEROS29 ZEROS10 "1", "1",
		"1." ZEROS29 "0000000" "1"},
		{"1.9999999999999999999999999999999999999" "5",
			"1.9999999999999999999999999999999999999", "2"},
		{LARGEST, LARGEST, LARGEST},
		{LARGEST ".1", LARGEST, "none"},
		{"-" LARGEST ".1", "none", "-" LARGEST},
		{"1E126", LARGEST, "none"},
		{"-1E126", "none", "-" LARGEST},
		{"1e99999999999999999999", LARGEST, "none"},
		{"Infinity", LARGEST, "none"},
		{"+Infinity", LARGEST, "none"},
		{"-Infinity", "none", "-" LARGEST},
		{"1E-131", "0", SMALLEST},
		{"-1E-131", "-" SMALLEST, "0"},
		{"9.99E-131", "0", SMALLEST},
		{"0." ZEROS129 NINES38 "1", "0." ZEROS129 NINES38,
		"0." ZEROS125 "0001"},
		{"NaN", "none", "none"},
		{"Infinit", "none", "none"},
		{"Infinityy", "none", "none"},
		{"infinity", "none", "none"},
		{"", "none", "none"},
		{"1e", "none", "none"},
	};
	size_t		i;

	for (i = 0; i < LENGTHOF(rows); i++)
	{
		const Rounding *row = &rows[i];

		if (!CHECK_EQ_STR(rounded(row->text, DYN_ROUND_DOWN), row->down) ||
			!CHECK_EQ_STR(rounded(row->text, DYN_ROUND_UP), row->up))
			printf("#     for:    %s\n", row->text);
	}
}

static void
order_is_by_value(void)
{
	/* ascending */
	static const char *const ordered[] = {
		"-" LARGEST, "-100", "-99.5", "-99", "-10", "-9.99", "-9.9", "-1",
		"-0.5", "-0.05", "-" SMALLEST, "0", SMALLEST, "0.001", "0.01",
		"0.010001", "0.1", "0.11", "0.9", "1", "1.5", "1.55", "2", "9", "10",
		"10.5", "99", "100", DIGITS38, LARGEST
	};
	size_t		i;
	size_t		j;

	for (i = 0; i < LENGTHOF(ordered); i++)
	{
		for (j = 0; j < LENGTHOF(ordered); j++)
			CHECK_EQ_INT(dyn_number_compare(ordered[i], strlen(ordered[i]),
											ordered[j], strlen(ordered[j])),
						 i < j ? -1 : i > j ? 1 : 0);
	}
}

int
main(void)
{
	RUN(texts_become_canonical);
	RUN(limits_are_exact);
	RUN(what_is_no_number_is_refused);
	RUN(long_texts_are_read);
	RUN(bounds_round_outward);
	RUN(order_is_by_value);
	return DONE("number");
}
