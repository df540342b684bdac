/*
 * test_torture.c
 *		Every allocation fails once.
 *
 * A scenario is run with its first allocation failing, with its second one,
 * and so on until none fails any more; and again with all from that one on.
 * Each time it must come to its right end or be refused, leak no memory and
 * no descriptor, and its objects must be good for another try.  jansson
 * allocates through the same allocator.
 *
 * libcurl keeps its own, because 7.88 does not survive that.  If the first
 * table of transfers of a new socket (13 lists, 416 bytes) cannot be allocated,
 * its function singlesocket destroys the hash of transfers, which sets the
 * number of slots to 0, but leaves the socket in the multi handle, and reports
 * CURLM_OUT_OF_MEMORY.  The next call for that socket adds the transfer to the
 * same hash, whose hash function divides by the number of slots: SIGFPE.
 */
#include "harness.h"

#include <dirent.h>
#include <jansson.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <openssl/err.h>

#include <curl/curl.h>

#include "aws/loop.h"
#include "aws/client_private.h"
#include "aws/client.h"
#include "aws/provider.h"
#include "aws/retry.h"
#include "aws/sigv4.h"
#include "aws/tls.h"
#include "base/jsonload.h"
#include "credentials/providers.h"
#include "dynamodb/metadata.h"
#include "dynamodb/operation.h"
#include "dynamodb/page_check.h"
#include "dynamodb/template_text.h"
#include "any_json.h"
#include "certificates.h"
#include "end_client.h"
#include "read_json.h"
#include "sigv4_facts.h"
#include "waiting.h"
#include "../torture/torture.h"

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

/* More allocations than any scenario makes: it would never end. */
#define MOST_ALLOCATIONS 20000

typedef enum Outcome
{
	RIGHT,
	REFUSED,
	WRONG
} Outcome;

/* Its own allocations are not to fail: libcurl does not survive all of that. */
bool
dyn_wiping_init_libcurl(void)
{
	return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static bool paused;				/* an allocation failed, and none does now */

static int
open_descriptors(void)
{
	DIR		   *dir = opendir("/proc/self/fd");
	int			n = 0;

	while (dir && readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

/* One try; false when something is wrong. */
static bool
try_one(Outcome (*scenario) (void), long nth, bool onward, bool *fired)
{
	long		live = torture_live();
	int			descriptors = open_descriptors();
	Outcome		outcome;
	char		what[100];
	bool		good;

	paused = false;
	torture_arm(nth, onward);
	outcome = scenario();
	*fired = torture_disarm() || paused;
	snprintf(what, sizeof(what), "allocation %ld%s failed: %s, %ld blocks and "
			 "%d descriptors left", nth, onward ? " and all after it" : "",
			 outcome == WRONG ? "wrong" : outcome == RIGHT ? "right" : "refused",
			 torture_live() - live, open_descriptors() - descriptors);
	good = outcome != WRONG && (*fired || outcome == RIGHT) &&
		torture_live() == live && open_descriptors() == descriptors;
	return harness_check(good, what, __FILE__, __LINE__);
}

static void
survive(Outcome (*scenario) (void))
{
	bool		fired = true;
	long		nth;
	int			onward;

	/* what is allocated once and kept */
	torture_arm(0, false);
	CHECK(scenario() == RIGHT);
	for (onward = 0; onward < 2; onward++)
	{
		for (nth = 1, fired = true; fired && nth < MOST_ALLOCATIONS; nth++)
			if (!try_one(scenario, nth, onward, &fired))
				return;
		if (!onward)
			printf("#   %ld allocations\n", nth - 2);
		CHECK(!fired);
	}
}

/* What was refused is done again, now that there is memory. */
#define AGAIN(outcome, attempt) \
	((outcome) != REFUSED ? (outcome) : \
	 (paused = torture_disarm(), (attempt)) == RIGHT ? REFUSED : WRONG)

/* ---- what is written --------------------------------------------------- */

static Outcome
fill(DynBuffer *buf)
{
	int			i;

	dyn_buffer_reset(buf);
	for (i = 0; i < 200; i++)
		dyn_buffer_printf(buf, "%d and some more words,", i);
	if (dyn_buffer_terminate(buf) == NULL)
		return REFUSED;
	return buf->failed || strncmp(buf->data, "0 and some", 10) != 0 ||
		buf->len != 200 * 21 + 10 + 90 * 2 + 100 * 3 ? WRONG : RIGHT;
}

static Outcome
a_buffer(void)
{
	DynBuffer	buf;
	Outcome		outcome;

	dyn_buffer_init(&buf, 0);
	outcome = fill(&buf);
	outcome = AGAIN(outcome, fill(&buf));
	dyn_buffer_free(&buf);
	return outcome;
}

static Outcome
a_signature(void)
{
	const SigV4Fact *fact = &sigv4_facts[0];
	DynSigHeader headers[FACT_HEADERS + 2];
	DynSigRequest request = {fact->method, fact->path, headers, 5, "", 0};
	DynSigScope scope = {FACTS_REGION, FACTS_SERVICE, FACTS_TIME};
	DynSigKeyCache cache = {0};
	DynCredentials credentials;
	DynBuffer	out;
	const char *bad;
	Outcome		outcome = REFUSED;

	memcpy(headers, fact->headers, sizeof(fact->headers));
	headers[3] = (DynSigHeader) {"Host", FACTS_HOST};
	headers[4] = (DynSigHeader) {"X-Amz-Date", FACTS_TIME};
	dyn_buffer_init(&out, 0);
	if (dyn_credentials_set(&credentials, FACTS_KEY_ID, FACTS_SECRET, NULL,
							&bad) &&
		dyn_sigv4_authorization(&cache, &scope, &credentials, &request, &out) &&
		dyn_buffer_terminate(&out) != NULL)
		outcome = strcmp(out.data + out.len - 64, fact->signature) == 0 ?
			RIGHT : WRONG;
	dyn_buffer_free(&out);
	dyn_credentials_clear(&credentials);
	dyn_sigv4_key_forget(&cache);
	return outcome;
}

/* Many names, so that tables grow; a filter, a projection, both written. */
#define NAMES 40

static Outcome
write_query(DynTokens *tokens, DynBuffer *text, DynBuffer *body)
{
	static char names[NAMES][16];
	static const char number[] = "12";
	DynStep		steps[NAMES];
	DynPath		paths[NAMES];
	DynScalar	values[NAMES];
	DynCond		atoms[NAMES];
	DynCond    *args[NAMES];
	DynCond		all = {.kind = DYN_COND_AND,.args = args,.nargs = NAMES};
	DynReadRequest req = {.op = DYN_OP_QUERY,.table = "t",.key_condition = "#n0 = :v0"};
	int			i;

	for (i = 0; i < NAMES; i++)
	{
		snprintf(names[i], sizeof(names[i]), "name%d", i);
		steps[i] = (DynStep) {names[i], (uint32_t) strlen(names[i]), 0};
		paths[i] = (DynPath) {&steps[i], 1};
		values[i] = (DynScalar) {DYN_TYPE_N, number, (size_t) 1 + i % 2};
		atoms[i] = (DynCond) {.kind = DYN_COND_EQ,.path = &paths[i],
		.values = &values[i],.nvalues = 1};
		args[i] = &atoms[i];
	}
	dyn_tokens_reset(tokens);
	dyn_buffer_reset(text);
	if (!dyn_expr_condition(tokens, &all, text) ||
		!dyn_buffer_append_char(text, '\0') ||
		!dyn_expr_projection(tokens, paths, NAMES, text) ||
		dyn_buffer_terminate(text) == NULL)
		return text->out_of_memory || dyn_tokens_out_of_memory(tokens) ?
			REFUSED : WRONG;
	req.filter = text->data;
	req.projection = text->data + strlen(text->data) + 1;
	req.tokens = tokens;
	dyn_write_read(body, &req);
	if (body->failed || dyn_buffer_terminate(body) == NULL)
		return REFUSED;
	return strstr(body->data, "#n38 = :v0 AND #n39 = :v1\"") != NULL &&
		strstr(body->data, "#n38,#n39\"") != NULL &&
		strstr(body->data, "\"#n39\":\"name39\"}") != NULL &&
		strstr(body->data, "\":v1\":{\"N\":\"12\"}}") != NULL ? RIGHT : WRONG;
}

static Outcome
a_query(void)
{
	DynTokens  *tokens = dyn_tokens_create();
	DynBuffer	text;
	DynBuffer	body;
	Outcome		outcome;

	if (tokens == NULL)
		return REFUSED;
	dyn_buffer_init(&text, 0);
	dyn_buffer_init(&body, 0);
	outcome = write_query(tokens, &text, &body);
	outcome = AGAIN(outcome, write_query(tokens, &text, &body));
	dyn_buffer_free(&text);
	dyn_buffer_free(&body);
	dyn_tokens_free(tokens);
	return outcome;
}

/* ---- what is read ------------------------------------------------------ */

static const char *
many_items(void)
{
	static char text[20000];
	char	   *p = text;
	int			i;
	int			k;

	p += sprintf(p, "{\"Count\":60,\"ScannedCount\":60,\"Items\":[");
	for (i = 0; i < 60; i++)
	{
		p += sprintf(p, "%s{\"a\":{\"N\":\"%d\"},\"m\":{\"M\":{\"x\":{\"S\":"
					 "\"v\\u00e4\"},\"y\":{\"L\":[{\"BOOL\":true}]}}}", i ? "," : "", i);
		for (k = 0; k < (i == 30 ? 80 : 3); k++)
			p += sprintf(p, ",\"other\\u0020%d\":{\"S\":\"\"}", k);
		p += sprintf(p, "}");
	}
	sprintf(p, "],\"LastEvaluatedKey\":{\"a\":{\"N\":\"59\"}}}");
	return text;
}

static Outcome
read_items(DynPage *page, const DynPathTree *shape, const char *text)
{
	DynPageError error = {0};
	DynPageCursor cursor;
	DynValue	slots[3];
	char		number[16];
	int			n = 0;

	if (!dyn_page_parse(page, DYN_PARSE_RESPONSE, shape, text, strlen(text), &error))
		return error.reason && strcmp(error.reason, "out of memory") == 0 ?
			REFUSED : WRONG;
	dyn_page_cursor_init(&cursor, page);
	for (; dyn_page_next(&cursor, slots); n++)
	{
		snprintf(number, sizeof(number), "%d", n);
		if (slots[0].type != DYN_TYPE_N || slots[0].len != strlen(number) ||
			memcmp(slots[0].data, number, slots[0].len) != 0 ||
			slots[1].type != DYN_TYPE_S || slots[2].type != DYN_TYPE_BOOL)
			return WRONG;
	}
	return n == 60 && page->last_key != NULL ? RIGHT : WRONG;
}

static Outcome
a_page(void)
{
	const DynStep a[] = {{"a", 1, 0}};
	const DynStep x[] = {{"m", 1, 0}, {"x", 1, 0}};
	const DynStep y[] = {{"m", 1, 0}, {"y", 1, 0}, {NULL, 0, 0}};
	const DynPath paths[] = {{a, 1}, {x, 2}, {y, 3}};
	DynPathTree   *shape = dyn_path_tree_create(paths, 3);
	DynPage		page = {0};
	Outcome		outcome;

	if (shape == NULL)
		return REFUSED;
	outcome = read_items(&page, shape, many_items());
	outcome = AGAIN(outcome, read_items(&page, shape, many_items()));
	dyn_page_free(&page);
	dyn_path_tree_free(shape);
	return outcome;
}

/*
 * jansson enlarges the buffer of a string at lengths that depend on it: each
 * byte of one, its quotation marks among them, is the last for which there is memory.
 */
static Outcome
json_texts_of_all_lengths(void)
{
	size_t		len;

	for (len = 0; len < 140; len++)
	{
		char		text[300];
		bool		out_of_memory = false;
		json_t	   *document;
		bool		good;

		snprintf(text, sizeof(text), "{\"%.*s\": [\"%0*d\\n\", 1]}", (int) len,
				 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
				 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
				 (int) (140 - len), 7);
		document = dyn_json_load(text, strlen(text), 0, &out_of_memory);
		good = document != NULL && json_object_size(document) == 1;
		json_decref(document);
		if (!good)
			return out_of_memory ? REFUSED : WRONG;
	}
	return RIGHT;
}

static Outcome
a_json_document(void)
{
	DynPageError error = {0};
	const char *text = many_items();

	if (is_json(text, strlen(text), &error))
		return RIGHT;
	return strcmp(error.reason, "out of memory") == 0 ? REFUSED : WRONG;
}

static Outcome
a_description(void)
{
	static const char text[] =
		"{\"Table\":{\"TableName\":\"t\",\"TableStatus\":\"ACTIVE\","
		"\"AttributeDefinitions\":[{\"AttributeName\":\"pk\",\"AttributeType\":"
		"\"S\"},{\"AttributeName\":\"n\",\"AttributeType\":\"N\"}],"
		"\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}],"
		"\"ItemCount\":7,\"TableSizeBytes\":70,\"GlobalSecondaryIndexes\":[{"
		"\"IndexName\":\"i\",\"IndexStatus\":\"ACTIVE\",\"KeySchema\":[{"
		"\"AttributeName\":\"n\",\"KeyType\":\"HASH\"}],\"Projection\":{"
		"\"ProjectionType\":\"INCLUDE\",\"NonKeyAttributes\":[\"x\",\"y\"]}}]}}";
	const char *reason = NULL;
	DynTableMeta *meta = dyn_metadata_parse(text, sizeof(text) - 1, &reason);
	Outcome		outcome;

	if (meta == NULL)
		return strcmp(reason, "out of memory") == 0 ? REFUSED : WRONG;
	outcome = meta->nindexes == 1 && meta->item_count == 7 &&
		meta->key.nhash == 1 && meta->indexes[0].nincluded == 2 &&
		strcmp(meta->indexes[0].included[1], "y") == 0 ? RIGHT : WRONG;
	dyn_metadata_free(meta);
	return outcome;
}

static Outcome
a_key_template(void)
{
	static const char text[] = "a#${b}#${c:x|y}";
	const DynPartFacts facts[] = {{.text = true}, {.text = true}};
	const DynText values[] = {{"1", 1}, {"x", 1}};
	const DynSpan range = {{true, true, {DYN_TYPE_S, "x", 1}}, {false}};
	DynTemplateError error;
	DynTemplate *tmpl = dyn_template_parse(text, sizeof(text) - 1, &error);
	DynTextSpan span = {0};
	Outcome		outcome = REFUSED;

	if (tmpl == NULL)
		return error.out_of_memory ? REFUSED : WRONG;
	if (!dyn_template_resolve(tmpl, facts, &error))
		outcome = WRONG;
	else if (dyn_template_span(tmpl, values, 1, &range, &span))
		outcome = !span.empty && span.lower.len == 5 && span.upper.len == 4 &&
			memcmp(span.upper.data, "a#1$", 4) == 0 ? RIGHT : WRONG;
	dyn_text_span_free(&span);
	dyn_template_free(tmpl);
	return outcome;
}

static Outcome
a_list_of_tables(void)
{
	static const char text[] =
		"{\"TableNames\":[\"t1\",\"t2\"],\"LastEvaluatedTableName\":\"t2\"}";
	char	   *last = NULL;
	DynBuffer	names = {0};
	const char *err = dyn_read_list_tables(text, sizeof(text) - 1, &names, &last);
	Outcome		outcome = err == dyn_check_memory ? REFUSED :
		!err && names.len == 6 && memcmp(names.data, "t1\0t2", 6) == 0 &&
		last && strcmp(last, "t2") == 0 ? RIGHT : WRONG;

	dyn_buffer_free(&names);
	free(last);
	return outcome;
}

static Outcome
read_credentials(DynProviderResponse reply, DynCredentials *credentials,
				 const DynError *err)
{
	Outcome		outcome = reply != DYN_RESPONSE_CREDENTIALS ?
		(err->out_of_memory ? REFUSED : WRONG) :
		strcmp(credentials->access_key_id, "A") == 0 &&
		strcmp(credentials->session_token, "a<b") == 0 ? RIGHT : WRONG;

	dyn_credentials_clear(credentials);
	return outcome;
}

static Outcome
credentials_as_json(void)
{
	static const char text[] = "{\"a\":\"A\",\"b\":[\"B\"],\"c\":{\"s\":\"S\","
		"\"a\":\"A\",\"t\":\"a\\u003cb\",\"e\":1767323045000}}";
	static const DynResponseNames names = {
		.object = "c", .access_key_id = "a", .secret_access_key = "s",
		.session_token = "t", .expires = "e"
	};
	DynCredentials credentials = {0};
	DynError	err = {0};
	bool		ok = read_json_credentials(text, strlen(text), &names, "it",
											   &credentials, &err);

	return read_credentials(ok ? DYN_RESPONSE_CREDENTIALS : DYN_RESPONSE_FAILED,
							&credentials, &err);
}

static Outcome
response_of_a_role(DynExchange *exchange, const DynRole *role)
{
	static const char text[] = "<AssumeRoleWithWebIdentityResponse>"
		"<AssumeRoleWithWebIdentityResult><Credentials>"
		"<AccessKeyId>A</AccessKeyId><SecretAccessKey>S</SecretAccessKey>"
		"<SessionToken>a&lt;b</SessionToken>"
		"<Expiration>2026-01-02T03:04:05Z</Expiration></Credentials>"
		"</AssumeRoleWithWebIdentityResult>"
		"</AssumeRoleWithWebIdentityResponse>";
	DynCredentials credentials = {0};
	DynError	err = {0};
	DynProviderResponse	reply;

	if (!dyn_buffer_append_str(&exchange->response, text))
		return REFUSED;
	exchange->status = 200;
	reply = dyn_sts_response(role, exchange, &credentials, &err);
	return read_credentials(reply, &credentials, &err);
}

static Outcome
a_role(void)
{
	char		region[] = "eu-west-1";
	char		arn[] = "arn:aws:iam::123456789012:role/r";
	char		key[] = "A";
	DynSourceOptions spec = {.region = region};
	DynRole		role = {.arn = arn};
	DynCredentials keys = {key, key, key, 0};
	DynError	err = {0};
	DynExchange *exchange = dyn_sts_assume_role(&spec, &role, &keys, true, 1,
												&err);
	Outcome		outcome;

	if (exchange == NULL)
		return err.out_of_memory ? REFUSED : WRONG;
	outcome = response_of_a_role(exchange, &role);
	dyn_exchange_destroy(exchange);
	return outcome;
}

static Outcome
an_error_document(void)
{
	static const char text[] =
		"{\"__type\":\"x#ThrottlingException\",\"message\":\"slow\","
		"\"ThrottlingReasons\":[{\"reason\":\"R\",\"resource\":\"t\"}]}";
	DynCall		error = {0};
	DynFailure	failure = dyn_awserror_parse(text, sizeof(text) - 1, NULL,
											 &error);

	if (failure != DYN_FAIL_SERVICE)
		return failure == DYN_FAIL_MEMORY ? REFUSED : WRONG;
	return strcmp(error.code, "ThrottlingException") == 0 &&
		strcmp(error.message, "slow") == 0 &&
		strcmp(error.throttle_reason, "R t") == 0 ? RIGHT : WRONG;
}

/* ---- certificates ------------------------------------------------------ */

/*
 * OpenSSL's allocator.  Its blocks are not counted: it keeps some, those of
 * its errors among them.
 */
static bool openssl_fails;

extern void *__real_malloc(size_t size);
extern void *__real_realloc(void *block, size_t size);
extern void __real_free(void *block);

static void *
openssl_malloc(size_t size, const char *name, int line)
{
	(void) name;
	(void) line;
	return openssl_fails && torture_fails() ? NULL : __real_malloc(size);
}

static void *
openssl_realloc(void *block, size_t size, const char *name, int line)
{
	(void) name;
	(void) line;
	return openssl_fails && torture_fails() ? NULL :
		__real_realloc(block, size);
}

static void
openssl_free(void *block, const char *name, int line)
{
	(void) name;
	(void) line;
	__real_free(block);
}

static char ca_bundle[] = "/tmp/test_torture.XXXXXX";
static X509 *made_leaf;

/* A file with two certificates of the name of a leaf's issuer. */
static bool
make_ca_file(void)
{
	static const Spec specs[] = {
		{'A', 1, 'A', 1, AUTHORITY | KEY_IDS},
		{'A', 0, 'A', 0, AUTHORITY | KEY_IDS}
	};
	static const Spec leaf_spec = {'L', 3, 'A', 0, KEY_IDS};
	BIO		   *bio = BIO_new_fd(mkstemp(ca_bundle), BIO_CLOSE);
	size_t		i;

	for (i = 0; bio != NULL && i < LENGTHOF(specs); i++)
	{
		X509	   *x509 = make_certificate(&specs[i]);

		PEM_write_bio_X509(bio, x509);
		X509_free(x509);
	}
	BIO_free(bio);
	made_leaf = make_certificate(&leaf_spec);
	return bio != NULL;
}

static Outcome
verify_leaf(X509_STORE *store, X509 *leaf)
{
	X509_STORE_CTX *context = X509_STORE_CTX_new();
	Outcome		outcome = REFUSED;

	if (context != NULL &&
		X509_STORE_CTX_init(context, store, leaf, NULL))
	{
		/* as libcurl does */
		X509_STORE_CTX_set_flags(context, X509_V_FLAG_TRUSTED_FIRST |
								 X509_V_FLAG_PARTIAL_CHAIN);
		outcome = X509_verify_cert(context) == 1 ? RIGHT : REFUSED;
	}
	X509_STORE_CTX_free(context);
	ERR_clear_error();
	return outcome;
}

/* The store that connections share; NULL: libcurl is to read the file. */
static X509_STORE *
load(DynTls *tls, CURL *easy)
{
	return dyn_tls_trust(tls, easy, ca_bundle) && tls->nfiles > 0 ?
		tls->files[0].store : NULL;
}

/*
 * OpenSSL keeps certificates that it could decode in part, and does not try
 * again: a store with one must not be used.
 */
static Outcome
certificates_of_a_file(void)
{
	X509	   *leaves[] = {X509_dup(made_leaf), X509_dup(made_leaf)};
	CURL	   *easy = curl_easy_init();
	DynTls		tls = {0};
	X509_STORE *store;
	Outcome		outcome;

	openssl_fails = true;
	store = load(&tls, easy);
	outcome = store ? verify_leaf(store, leaves[0]) : REFUSED;
	openssl_fails = false;
	if (store == NULL)
		dyn_tls_forget(&tls);
	outcome = AGAIN(outcome, verify_leaf(store ? store : load(&tls, easy),
										 leaves[1]));
	dyn_tls_forget(&tls);
	curl_easy_cleanup(easy);
	X509_free(leaves[0]);
	X509_free(leaves[1]);
	return outcome;
}

/* ---- requests over a connection ---------------------------------------- */

static char url[64];
static char host[64];

/* "{"padding":"xx...x"}", packed, as the service responds to everything. */
#define BODY_SIZE 30000

static size_t
make_response(char *reply, size_t size)
{
	static char body[BODY_SIZE];
	static unsigned char packed[BODY_SIZE];
	z_stream	stream = {0};
	int			len;

	memset(body, 'x', sizeof(body));
	memcpy(body, "{\"padding\":\"", 12);
	memcpy(body + sizeof(body) - 2, "\"}", 2);
	deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
	stream.next_in = (unsigned char *) body;
	stream.avail_in = sizeof(body);
	stream.next_out = packed;
	stream.avail_out = sizeof(packed);
	deflate(&stream, Z_FINISH);
	deflateEnd(&stream);
	len = snprintf(reply, size, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
				   "Content-Length: %lu\r\nx-amzn-RequestId: R\r\n"
				   "x-amz-crc32: %lu\r\n\r\n", stream.total_out,
				   crc32(0, packed, (unsigned) stream.total_out));
	memcpy(reply + len, packed, stream.total_out);
	return (size_t) len + stream.total_out;
}

/* Responds to requests, whose bodies are "{}", on one connection at a time. */
static void
serve(int listener)
{
	static char reply[BODY_SIZE];
	size_t		response_len = make_response(reply, sizeof(reply));

	for (;;)
	{
		int			fd = accept(listener, NULL, NULL);
		char		request[8192];
		size_t		len = 0;
		ssize_t		got;

		while ((got = read(fd, request + len, sizeof(request) - 1 - len)) > 0)
		{
			len += (size_t) got;
			request[len] = '\0';
			if (len < 6 || strcmp(request + len - 6, "\r\n\r\n{}") != 0)
				continue;
			if (write(fd, reply, response_len) < 0)
				break;
			len = 0;
		}
		close(fd);
	}
}

static pid_t
start_service(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t	size = sizeof(address);
	int			listener = socket(AF_INET, SOCK_STREAM, 0);
	pid_t		pid;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *) &address, size) != 0 ||
		listen(listener, 50) != 0 ||
		getsockname(listener, (struct sockaddr *) &address, &size) != 0)
		return -1;
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/", ntohs(address.sin_port));
	snprintf(host, sizeof(host), "127.0.0.1:%d", ntohs(address.sin_port));
	pid = fork();
	if (pid == 0)
	{
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listener);
	}
	close(listener);
	return pid;
}

static Outcome
send_one(DynClient *client, DynCall *call, DynService *service)
{
	DynRetryQuota quota = {0};
	int			waits = 0;

	dyn_buffer_reset(dyn_call_body(call));
	dyn_buffer_append_str(dyn_call_body(call), "{}");
	dyn_call_start(call, service, &quota, "Query");
	while ((call->state != DYN_CALL_DONE || !dyn_call_unpack(call)) &&
		   ++waits < 300)
		dyn_client_wait(client, wait_readable, NULL, 100);
	if (call->state != DYN_CALL_DONE)
		return WRONG;
	if (call->failure != DYN_FAIL_NONE)
		return REFUSED;
	return call->response.len == BODY_SIZE &&
		memcmp(call->response.data, "{\"padding\":\"xx", 14) == 0 ? RIGHT : WRONG;
}

static Outcome
a_request(void)
{
	static char key[] = FACTS_SECRET;
	static char id[] = FACTS_KEY_ID;
	DynProvider provider = {.current = {id, key, NULL, 0}};
	DynClock	clock = {0};
	DynService	service = {.clock = &clock,.url = url,.host = host,.region = "us-east-1",
		.signing_name = "dynamodb",.target_prefix = "DynamoDB_20120810.",
		.provider = &provider,.connect_timeout_ms = 300,
		.request_timeout_ms = 300,.max_attempts = 1,.max_response = 1 << 20
	};
	DynClient  *client = dyn_client_create(NULL);
	DynCall    *call = client ? dyn_call_create(client) : NULL;
	Outcome		outcome = REFUSED;

	if (call != NULL)
	{
		outcome = send_one(client, call, &service);
		outcome = AGAIN(outcome, send_one(client, call, &service));
		dyn_call_destroy(call);
	}
	if (client != NULL)
		end_client(client);
	return outcome;
}

/* ---- */

#define SURVIVES(scenario) \
	static void scenario##_survives(void) { survive(scenario); }

SURVIVES(a_buffer)
SURVIVES(a_signature)
SURVIVES(a_query)
SURVIVES(a_page)
SURVIVES(a_json_document)
SURVIVES(json_texts_of_all_lengths)
SURVIVES(a_description)
SURVIVES(a_key_template)
SURVIVES(a_list_of_tables)
SURVIVES(credentials_as_json)
SURVIVES(a_role)
SURVIVES(an_error_document)
SURVIVES(certificates_of_a_file)
SURVIVES(a_request)

int
main(void)
{
	pid_t		service = start_service();

	signal(SIGPIPE, SIG_IGN);
	json_set_alloc_funcs(torture_malloc, torture_free);
	CRYPTO_set_mem_functions(openssl_malloc, openssl_realloc, openssl_free);
	RUN(a_buffer_survives);
	RUN(a_signature_survives);
	RUN(a_query_survives);
	RUN(a_page_survives);
	RUN(a_json_document_survives);
	RUN(json_texts_of_all_lengths_survives);
	RUN(a_description_survives);
	RUN(a_key_template_survives);
	RUN(a_list_of_tables_survives);
	RUN(credentials_as_json_survives);
	RUN(a_role_survives);
	RUN(an_error_document_survives);
	if (make_ca_file())
		RUN(certificates_of_a_file_survives);
	if (service > 0)
		RUN(a_request_survives);
	if (service > 0)
		kill(service, SIGKILL);
	waitpid(service, NULL, 0);
	return DONE("torture");
}
