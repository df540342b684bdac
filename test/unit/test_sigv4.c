/*
 * test_sigv4.c
 *		Signature Version 4 against known signatures: of requests of DynamoDB's
 *		own shape, and of requests of the published suite (sigv4_facts.h).
 */
#include "harness.h"

/* With its source, as the standard's steps are checked one by one. */
#include "aws/sigv4.c"
#include "sigv4_facts.h"

#define SECRET FACTS_SECRET

typedef struct Fact
{
	const char *region;
	const char *host;
	const char *token;
	const char *target;
	const char *body;
	const char *body_hash;
	const char *canonical_hash;
	const char *key;
	const char *signature;
} Fact;

static const Fact facts[] = {
	{
		"us-east-1", "dynamodb.us-east-1.amazonaws.com", NULL,
		"DynamoDB_20120810.ListTables", "{}",
		"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
		"bd979e0d2909822e33138138d030b89e5578f2054f8ba29a5c9e59e55b82e690",
		"eeb8fc37e23864c9823bc2ef552543821f27b09674f82435c43ac176dfba2996",
		"f1feeba628b3ba736f7b472f8193c1a2f6bc48160bb25a2a715f6899f3dadc55"
	},
	{
		"eu-west-1", "dynamodb.eu-west-1.amazonaws.com", "TOKENEXAMPLE==",
		"DynamoDB_20120810.GetItem",
		"{\"TableName\":\"T\",\"Key\":{\"pk\":{\"S\":\"caf\xc3\xa9\"}}}",
		"66d8bfae0192df60eefc9d48b36af3b5559d78867562400465314a765120fa3b",
		"f00609252f3733572b2d9e0e663640edd8fe2bee5fb5460b4719806c1dff1e6b",
		"9b3355f6d4adf8577932aa15261b0235540a4c0b08d20ed1da3bd8e16e3a50ee",
		"f4b71bdcd03f990a686746af50c257fad10d22267071bc59d4a3657d826a3559"
	},
	{
		"us-east-1", "127.0.0.1:8000", NULL,
		"DynamoDB_20120810.Scan", "{\"TableName\":\"T\",\"Limit\":1}",
		"cd9591292e82c521d238bed2f67fc2d268f386a10ecdd29b09f153b05c0ab348",
		"50203e272d5e15ea24c2a14a95f5422e7931899994c790daf9aeeddd14a91b6d",
		"eeb8fc37e23864c9823bc2ef552543821f27b09674f82435c43ac176dfba2996",
		"824041832f45c7f6c853c30a5ae6808df42119b2a9be061419d3ca1e12023da9"
	}
};

static void
hex_of(const unsigned char *bytes, char *hex)
{
	int			i;

	for (i = 0; i < DYN_SHA256_SIZE; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
}

/* Signs and compares every step. */
static void
check_fact(const Fact *fact)
{
	DynSigHeader headers[5] = {
		{"X-Amz-Target", NULL},
		{"Content-Type", "application/x-amz-json-1.0"},
		{"Host", NULL},
		{"X-Amz-Date", NULL},
		{"X-Amz-Security-Token", NULL}
	};
	DynSigKeyCache cache = {0};
	DynSigScope scope = {fact->region, "dynamodb", ""};
	DynSigRequest request = {"POST", "/", headers, 4, NULL, 0};
	DynBuffer	canonical;
	DynBuffer	names;
	DynBuffer	to_sign;
	unsigned char key[DYN_SHA256_SIZE];
	unsigned char mac[DYN_SHA256_SIZE];
	char		hex[DYN_SHA256_HEX + 1];

	dyn_buffer_init(&canonical, 0);
	dyn_buffer_init(&names, 0);
	dyn_buffer_init(&to_sign, 0);
	dyn_sigv4_set_time(&scope, 1767323045);
	CHECK_EQ_STR(scope.time, "20260102T030405Z");
	headers[0].value = fact->target;
	headers[2].value = fact->host;
	headers[3].value = scope.time;
	headers[4].value = fact->token;
	request.nheaders = fact->token ? 5 : 4;
	request.body = fact->body;
	request.body_len = strlen(fact->body);

	CHECK(sha256_hex(fact->body, strlen(fact->body), hex));
	CHECK_EQ_STR(hex, fact->body_hash);
	CHECK(canonical_request(&request, &canonical, &names));
	CHECK(sha256_hex(canonical.data, canonical.len, hex));
	CHECK_EQ_STR(hex, fact->canonical_hash);
	CHECK(signing_key(&cache, &scope, SECRET, key));
	hex_of(key, hex);
	CHECK_EQ_STR(hex, fact->key);
	CHECK(string_to_sign(&scope, &canonical, &to_sign));
	CHECK(hmac(key, DYN_SHA256_SIZE, to_sign.data, to_sign.len, mac));
	hex_of(mac, hex);
	CHECK_EQ_STR(hex, fact->signature);
	dyn_buffer_free(&canonical);
	dyn_buffer_free(&names);
	dyn_buffer_free(&to_sign);
	dyn_sigv4_key_forget(&cache);
}

static void
signs_dynamodb_requests(void)
{
	size_t		i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		check_fact(&facts[i]);
}

/* Signs as the published vectors do; the signature is the last 64 bytes. */
static void
check_vanilla(const char *method, const char *token, const char *wanted)
{
	DynSigHeader headers[] = {
		{"Host", "example.amazonaws.com"},
		{"X-Amz-Date", "20150830T123600Z"},
		{"X-Amz-Security-Token", token}
	};
	DynSigKeyCache cache = {0};
	DynSigScope scope = {"us-east-1", "service", "20150830T123600Z"};
	DynSigRequest request = {method, "/", headers, 2, "", 0};
	DynCredentials credentials;
	DynBuffer	out;
	const char *bad;
	const char *text;

	dyn_buffer_init(&out, 0);
	request.nheaders = token ? 3 : 2;
	CHECK(dyn_credentials_set(&credentials, "AKIDEXAMPLE", SECRET, token,
							  &bad));
	CHECK(dyn_sigv4_authorization(&cache, &scope, &credentials, &request,
								  &out));
	text = dyn_buffer_terminate(&out);
	CHECK(text && strncmp(text, "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"
						  "20150830/us-east-1/service/aws4_request, "
						  "SignedHeaders=host;x-amz-date", 110) == 0);
	CHECK_EQ_STR(text ? text + strlen(text) - 64 : "", wanted);
	dyn_buffer_free(&out);
	dyn_credentials_clear(&credentials);
	dyn_sigv4_key_forget(&cache);
}

static void
signs_the_vanilla_vectors(void)
{
	check_vanilla("POST", NULL, "5da7c1a2acd57cee7505fc6676e4e544"
				  "621c30862966e37dddb68e92efbe5d6b");
	check_vanilla("GET",
				  "6e86291e8372ff2a2260956d9b8aae1d"
				  "763fbf315fa00fa31553b73ebf194267",
				  "07ec1639c89043aa0e3e2de82b96708f"
				  "198cceab042d4a97044c66dd9f74e7f8");
}

static void
caches_the_key_per_scope_and_secret(void)
{
	DynSigKeyCache cache = {0};
	DynSigScope scope = {"us-east-1", "dynamodb", "20260102T030405Z"};
	unsigned char first[DYN_SHA256_SIZE];
	unsigned char other[DYN_SHA256_SIZE];

	CHECK(signing_key(&cache, &scope, SECRET, first));
	CHECK(cache.valid);
	CHECK(signing_key(&cache, &scope, SECRET, other));
	CHECK(memcmp(first, other, sizeof(first)) == 0);
	CHECK(signing_key(&cache, &scope, "another", other));
	CHECK(memcmp(first, other, sizeof(first)) != 0);
	scope.region = "eu-west-1";
	CHECK(signing_key(&cache, &scope, SECRET, other));
	CHECK(memcmp(first, other, sizeof(first)) != 0);
	scope.region = "us-east-1";
	dyn_sigv4_set_time(&scope, 1767323045 + 86400);
	CHECK(signing_key(&cache, &scope, SECRET, other));
	CHECK(memcmp(first, other, sizeof(first)) != 0);
	dyn_sigv4_key_forget(&cache);
	CHECK(!cache.valid);
}

static void
refuses_credentials_that_break_headers(void)
{
	DynCredentials credentials;
	const char *bad;

	CHECK(!dyn_credentials_set(&credentials, "A\r\nHost: x", "s", NULL, &bad));
	CHECK_EQ_STR(bad, "access_key_id");
	CHECK(!dyn_credentials_set(&credentials, "A", "s", "t\n", &bad));
	CHECK_EQ_STR(bad, "session_token");
	CHECK(credentials.access_key_id == NULL);
	CHECK(!dyn_credentials_set(&credentials, "A", "\x7f", NULL, &bad));
	CHECK_EQ_STR(bad, "secret_access_key");
}

/* ---- the published suite ---------------------------------------------- */

static void
add_header(DynSigRequest *request, DynSigHeader *headers, const char *name,
		   const char *value)
{
	headers[request->nheaders].name = name;
	headers[request->nheaders++].value = value;
}

/* The fact's request; `headers` can hold its own and four more. */
static void
make_request(const SigV4Fact *fact, DynSigRequest *request,
			 DynSigHeader *headers, char *body_hash)
{
	int			i;

	request->method = fact->method;
	request->path = fact->path;
	request->body = fact->body;
	request->body_len = strlen(fact->body);
	request->headers = headers;
	for (i = 0; i < FACT_HEADERS && fact->headers[i].name; i++)
		add_header(request, headers, fact->headers[i].name,
				   fact->headers[i].value);
	add_header(request, headers, "Host", FACTS_HOST);
	add_header(request, headers, "X-Amz-Date", FACTS_TIME);
	if (fact->token)
		add_header(request, headers, "X-Amz-Security-Token", fact->token);
	CHECK(sha256_hex(fact->body, request->body_len, body_hash));
	if (fact->signs_body)
		add_header(request, headers, "x-amz-content-sha256", body_hash);
}

static void
check_published(const SigV4Fact *fact)
{
	DynSigHeader headers[FACT_HEADERS + 4];
	DynSigRequest request = {0};
	DynSigKeyCache cache = {0};
	DynSigScope scope = {FACTS_REGION, FACTS_SERVICE, FACTS_TIME};
	char		body_hash[DYN_SHA256_HEX + 1];
	char		hash[DYN_SHA256_HEX + 1];
	unsigned char key[DYN_SHA256_SIZE];
	unsigned char mac[DYN_SHA256_SIZE];
	DynBuffer	canonical;
	DynBuffer	names;
	DynBuffer	to_sign;

	dyn_buffer_init(&canonical, 0);
	dyn_buffer_init(&names, 0);
	dyn_buffer_init(&to_sign, 0);
	make_request(fact, &request, headers, body_hash);
	CHECK(canonical_request(&request, &canonical, &names));
	CHECK(sha256_hex(canonical.data, canonical.len, hash));
	if (!CHECK_EQ_STR(hash, fact->canonical_hash))
		printf("#     of the canonical request:\n%s\n",
			   dyn_buffer_terminate(&canonical));
	CHECK(string_to_sign(&scope, &canonical, &to_sign));
	CHECK(signing_key(&cache, &scope, SECRET, key));
	CHECK(hmac(key, DYN_SHA256_SIZE, to_sign.data, to_sign.len, mac));
	hex_of(mac, hash);
	CHECK_EQ_STR(hash, fact->signature);
	dyn_buffer_free(&canonical);
	dyn_buffer_free(&names);
	dyn_buffer_free(&to_sign);
}

static void
signs_the_published_requests(void)
{
	size_t		i;

	for (i = 0; i < SIGV4_FACTS; i++)
		check_published(&sigv4_facts[i]);
	CHECK_EQ_INT(i, 24);
}

int
main(void)
{
	RUN(signs_dynamodb_requests);
	RUN(signs_the_vanilla_vectors);
	RUN(signs_the_published_requests);
	RUN(caches_the_key_per_scope_and_secret);
	RUN(refuses_credentials_that_break_headers);
	return DONE("sigv4");
}
