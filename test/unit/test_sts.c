/*
 * test_sts.c
 *		Requests for the credentials of roles, their signatures, and replies of
 *		every kind.
 */
#include "replies.h"

#include "harness.h"
#include "headers.h"

#include "credentials/providers.h"

#define ENDPOINT	"AWS_ENDPOINT_URL_STS"
#define JWT			"eyJhbGciOiJub25lIn0.eyJzdWIiOiJ0ZXN0In0.c2lnbmF0dXJl"
#define ARN			"arn:aws:iam::123456789012:role/reports"

/* The form of AssumeRole, with the name of the session. */
#define FORM(session)	\
	"Action=AssumeRole&Version=2011-06-15" \
	"&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Freports" \
	"&RoleSessionName=" session

static char text_arn[] = ARN;
static char text_session[] = "a@b";
static char text_external[] = "x&y=z \xc3\xa4";
static char text_region[] = "eu-west-1";
static char text_key_id[] = "AKIDEXAMPLE";
static char text_secret[] = SECRET;
static char text_token[] = "TOKENEXAMPLE==";

static DynSourceOptions spec;
static DynRole role;
static DynCredentials keys;
static DynCredentials credentials;
static DynError err;

static void
begin(void)
{
	spec = (DynSourceOptions) {
		.kind = DYN_SOURCE_ENVIRONMENT, .region = text_region
	};
	role = (DynRole) {.arn = text_arn};
	keys = (DynCredentials) {text_key_id, text_secret, NULL, 0};
	memset(&err, 0, sizeof(err));
	unsetenv(ENDPOINT);
}

static DynExchange *
assume(bool chained)
{
	return dyn_sts_assume_role(&spec, &role, &keys, chained, EXPIRES, &err);
}

static const char *
body_of(DynExchange *exchange)
{
	return dyn_buffer_terminate(&exchange->body);
}

/* ---- AssumeRole --------------------------------------------------------- */

/*
 * The signatures in this file were computed once with HMAC and SHA-256 of
 * Python's library from the inputs that are seen here.
 */
static void
signs_with_long_term_keys(void)
{
	DynExchange *exchange;

	begin();
	exchange = assume(false);
	if (!CHECK(exchange != NULL))
		return;
	CHECK_EQ_STR(exchange->method, "POST");
	CHECK_EQ_STR(exchange->url, "https://sts.eu-west-1.amazonaws.com/");
	CHECK_EQ_INT(exchange->policy, DYN_ADDRESS_ENDPOINT);
	CHECK_EQ_STR(body_of(exchange), FORM("dynamo_fdw"));
	CHECK_EQ_STR(find_header(exchange, "Content-Type"),
				 "application/x-www-form-urlencoded; charset=utf-8");
	CHECK_EQ_STR(find_header(exchange, "Host"),
				 "sts.eu-west-1.amazonaws.com");
	CHECK_EQ_STR(find_header(exchange, "X-Amz-Date"),
				 "20260102T030405Z");
	CHECK(find_header(exchange, "X-Amz-Security-Token") == NULL);
	CHECK_EQ_STR(find_header(exchange, "Authorization"),
				 "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-west-1"
				 "/sts/aws4_request, "
				 "SignedHeaders=content-type;host;x-amz-date, Signature="
				 "768b42facd40e66b752a1c194adde1c9"
				 "80a92ec47fbdcc6365edd5b817658d7f");
	dyn_exchange_destroy(exchange);
}

static void
signs_with_a_token_and_all_fields(void)
{
	char		endpoint[] = "http://127.0.0.1:4566/sts";
	DynExchange *exchange;

	begin();
	spec.sts_endpoint_url = endpoint;
	keys.session_token = text_token;
	role.session_name = text_session;
	role.external_id = text_external;
	role.duration = 900;
	exchange = assume(true);
	if (!CHECK(exchange != NULL))
		return;
	CHECK_EQ_STR(exchange->url, endpoint);
	CHECK_EQ_STR(body_of(exchange), FORM("a%40b")
				 "&DurationSeconds=900&ExternalId=x%26y%3Dz%20%C3%A4");
	CHECK_EQ_STR(find_header(exchange, "Host"),
				 "127.0.0.1:4566");
	CHECK_EQ_STR(find_header(exchange, "X-Amz-Security-Token"),
				 "TOKENEXAMPLE==");
	CHECK_EQ_STR(find_header(exchange, "Authorization"),
				 "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-west-1"
				 "/sts/aws4_request, SignedHeaders=content-type;host;"
				 "x-amz-date;x-amz-security-token, Signature="
				 "3c7144506c6fbab59d3bca241faa487a"
				 "afbca6a078e4a3d1aef53ce3ea239892");
	dyn_exchange_destroy(exchange);
}

static void
chained_roles_last_an_hour(void)
{
	static const struct
	{
		int			duration;
		bool		chained;
		const char *field;
	}			facts[] = {
		{0, true, NULL},
		{900, true, "&DurationSeconds=900"},
		{3600, true, "&DurationSeconds=3600"},
		{43200, true, "&DurationSeconds=3600"},
		{43200, false, "&DurationSeconds=43200"},
		{0, false, NULL}
	};
	size_t		i;

	begin();
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		DynExchange *exchange;
		const char *field;

		role.duration = facts[i].duration;
		exchange = assume(facts[i].chained);
		field = strstr(body_of(exchange), "&Duration");
		if (facts[i].field == NULL)
			CHECK(field == NULL);
		else
			CHECK_EQ_STR(field, facts[i].field);
		dyn_exchange_destroy(exchange);
	}
}

/* ---- the endpoint ------------------------------------------------------- */

static void
check_url(const char *url)
{
	DynExchange *exchange = assume(false);

	if (CHECK(exchange != NULL))
		CHECK_EQ_STR(exchange->url, url);
	dyn_exchange_destroy(exchange);
}

static void
endpoints_have_an_order(void)
{
	char		endpoint[] = "https://vpce-1.sts.example/";
	char		region[] = "cn-north-1";

	begin();
	setenv(ENDPOINT, "http://127.0.0.1:4566/", 1);
	check_url("http://127.0.0.1:4566/");
	spec.kind = DYN_SOURCE_STATIC;
	check_url("https://sts.eu-west-1.amazonaws.com/");
	spec.sts_endpoint_url = endpoint;
	check_url(endpoint);
	spec.kind = DYN_SOURCE_PROFILE;
	check_url(endpoint);
	begin();
	spec.region = region;
	check_url("https://sts.cn-north-1.amazonaws.com.cn/");
}

static void
endpoints_and_regions_are_checked(void)
{
	static const struct
	{
		const char *endpoint;
		const char *message;
	}			facts[] = {
		{"sts", ENDPOINT " is not a valid URL"},
		{"file:///x", ENDPOINT " is not an http or https URL"},
		{"https://u:p@h/", ENDPOINT " contains a user name"},
		{"https://h/?Action=x", ENDPOINT " contains a query"}
	};
	char		region[] = "x.evil.example/";
	size_t		i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		begin();
		setenv(ENDPOINT, facts[i].endpoint, 1);
		CHECK(assume(false) == NULL);
		CHECK_EQ_STR(err.message, facts[i].message);
	}
	begin();
	spec.region = region;
	CHECK(assume(false) == NULL);
	CHECK_EQ_STR(err.message, "invalid name of a region");
	setenv(ENDPOINT, "http://127.0.0.1/", 1);
	CHECK(assume(false) == NULL);
	CHECK_EQ_STR(err.message, "invalid name of a region");
}

static void
arns_are_ascii(void)
{
	char		longest[2050];

	begin();
	role.arn = longest;
	memset(longest, 'a', sizeof(longest));
	longest[2049] = '\0';
	CHECK(assume(false) == NULL);
	CHECK_EQ_STR(err.message, "invalid ARN of the role");
	longest[2048] = '\0';
	dyn_exchange_destroy(assume(false));
	longest[2] = '\xc3';
	CHECK(assume(false) == NULL);
	longest[0] = '\0';
	CHECK(assume(false) == NULL);
}

/* ---- web identities ----------------------------------------------------- */

static DynExchange *
with_file(const char *text, size_t len)
{
	const char *file = file_with(text, len);
	DynExchange *exchange = dyn_sts_web_identity(&spec, &role, file, &err);

	unlink(file);
	return exchange;
}

static void
sends_the_file_unsigned(void)
{
	DynExchange *exchange;

	begin();
	role.duration = 43200;
	role.external_id = text_external;
	exchange = with_file(JWT, strlen(JWT));
	if (!CHECK(exchange != NULL))
		return;
	CHECK_EQ_STR(exchange->method, "POST");
	CHECK_EQ_STR(exchange->url, "https://sts.eu-west-1.amazonaws.com/");
	CHECK_EQ_STR(body_of(exchange),
				 "Action=AssumeRoleWithWebIdentity&Version=2011-06-15"
				 "&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Freports"
				 "&RoleSessionName=dynamo_fdw&DurationSeconds=43200"
				 "&WebIdentityToken=" JWT);
	CHECK_EQ_STR(find_header(exchange, "Content-Type"),
				 "application/x-www-form-urlencoded; charset=utf-8");
	CHECK(find_header(exchange, "Authorization") == NULL);
	dyn_exchange_destroy(exchange);
	exchange = with_file("a+b/c=\r\n", 8);
	if (CHECK(exchange != NULL))
		CHECK(strstr(body_of(exchange), "&WebIdentityToken=a%2Bb%2Fc%3D"));
	dyn_exchange_destroy(exchange);
}

static void
wrong_files_are_refused(void)
{
	static const struct
	{
		const char *text;
		size_t		len;
	}			wrong[] = {
		{"", 0}, {"\n", 1}, {"a b", 3}, {"a\nb", 3}, {"a\0b", 3}, {"a\0", 2},
		{"a\xc3\xa4", 3}
	};
	size_t		i;

	begin();
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
	{
		CHECK(with_file(wrong[i].text, wrong[i].len) == NULL);
		CHECK(strstr(err.message, "does not contain a token"));
	}
	CHECK(dyn_sts_web_identity(&spec, &role, "/nonexistent/token", &err) ==
		  NULL);
	CHECK(strstr(err.message, "/nonexistent/token"));
}

/* ---- credentials -------------------------------------------------------- */

static DynExchange *
any_request(void)
{
	begin();
	return assume(false);
}

/* Of a status and a body, for a request of AssumeRole. */
static DynProviderResponse
response(int status, const char *body)
{
	DynExchange *exchange = any_request();
	DynProviderResponse	found;

	dyn_credentials_clear(&credentials);
	reply(exchange, status, body);
	found = dyn_sts_response(&role, exchange, &credentials, &err);
	dyn_exchange_destroy(exchange);
	return found;
}

#define PARTS	\
	"<AccessKeyId>" KEY_ID "</AccessKeyId>\n" \
	"<SecretAccessKey>" SECRET "</SecretAccessKey>\n" \
	"<SessionToken>" TOKEN "</SessionToken>\n" \
	"<Expiration>2026-01-02T03:04:05Z</Expiration>\n"

#define REPLY(action, parts)	\
	"<" action "Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">" \
	"\n  <" action "Result>\n    <AssumedRoleUser>\n" \
	"<AssumedRoleId>AROA:x</AssumedRoleId>\n" \
	"<Arn>arn:aws:sts::123456789012:assumed-role/reports/x</Arn>\n" \
	"</AssumedRoleUser>\n<Credentials>\n" parts "</Credentials>\n" \
	"</" action "Result>\n<ResponseMetadata><RequestId>r</RequestId>" \
	"</ResponseMetadata>\n</" action "Response>\n"

static void
check_credentials(const char *body)
{
	if (!CHECK_EQ_INT(response(200, body), DYN_RESPONSE_CREDENTIALS))
	{
		printf("#     %s\n", err.message);
		return;
	}
	CHECK_EQ_STR(credentials.access_key_id, KEY_ID);
	CHECK_EQ_STR(credentials.secret_access_key, SECRET);
	CHECK_EQ_STR(credentials.session_token, TOKEN);
	CHECK_EQ_INT(credentials.expires, EXPIRES);
}

static void
reads_both_replies(void)
{
	check_credentials(REPLY("AssumeRole", PARTS));
	check_credentials(REPLY("AssumeRoleWithWebIdentity", PARTS));
	check_credentials("<?xml version='1.0' encoding='utf-8'?>\n"
					  REPLY("AssumeRole", PARTS));
}

static void
is_not_confused(void)
{
	check_credentials(REPLY("AssumeRole", "<Other><AccessKeyId>X</AccessKeyId>"
							"</Other><AccessKeyI>X</AccessKeyI><Credentials>"
							"<AccessKeyId>X</AccessKeyId></Credentials>"
							"<Empty/><Empty xmlns=\"/>\" />" PARTS));
	check_credentials(REPLY("AssumeRole", "<AccessKeyId >\n AS&#73;A"
							"EXAMPLEKEY&#x49;D\n"
							"</AccessKeyId\n><SecretAccessKey>" SECRET
							"</SecretAccessKey><SessionToken>" TOKEN
							"</SessionToken>"
							"<Expiration>2026-01-02T03:04:05Z</Expiration>"));
}

static void
unescapes_entities(void)
{
	CHECK_EQ_INT(response(200, REPLY("AssumeRole", "<AccessKeyId>A</AccessKeyId>"
								   "<SecretAccessKey>&lt;&gt;&amp;&quot;&apos;"
								   "&#43;&#x2F;&amp;amp;&#xe4;&#x20AC;"
								   "&#x1F600;</SecretAccessKey>"
								   "<SessionToken/>"
								   "<Expiration>2026-01-02T03:04:05.5Z"
								   "</Expiration>")),
				 DYN_RESPONSE_CREDENTIALS);
	CHECK_EQ_STR(credentials.secret_access_key,
				 "<>&\"'+/&amp;\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	CHECK(credentials.session_token == NULL);
}

static void
every_truncation_is_noticed(void)
{
	static const char full[] = REPLY("AssumeRole", PARTS);
	char		part[sizeof(full)];
	size_t		len;

	/* Without the line break at its end, it is complete. */
	for (len = 0; len < strlen(full) - 1; len++)
	{
		memcpy(part, full, len);
		part[len] = '\0';
		CHECK_EQ_INT(response(200, part), DYN_RESPONSE_FAILED);
		CHECK(credentials.access_key_id == NULL);
		CHECK_EQ_STR(err.excerpt, "");
	}
	CHECK_EQ_STR(err.message, "the security token service returned invalid XML for role \"" ARN "\"");
}

/* What cannot be read leaves nothing, and what can be has complete parts. */
static void
any_byte_may_be_another(void)
{
	static const char others[] = "<>/&;#=\"' ax\n\xff";
	char		text[] = REPLY("AssumeRole", PARTS "<a>&#x2F;&lt;</a>");
	int			refused = 0;
	int			read = 0;
	size_t		at;
	size_t		i;

	for (at = 0; at < strlen(text); at++)
		for (i = 0; i < strlen(others); i++)
		{
			char		before = text[at];
			DynProviderResponse	found;

			text[at] = others[i];
			found = response(200, text);
			text[at] = before;
			CHECK(found == DYN_RESPONSE_CREDENTIALS ||
				  found == DYN_RESPONSE_FAILED);
			CHECK((found == DYN_RESPONSE_CREDENTIALS) ==
				  (credentials.access_key_id && credentials.session_token));
			*(found == DYN_RESPONSE_FAILED ? &refused : &read) += 1;
		}
	CHECK(refused > 1000 && read > 1000);
}

static void
wrong_documents_are_refused(void)
{
	static const char *const wrong[] = {
		"text",
		"{}",
		/* XML, but nothing that the service writes */
		"\xEF\xBB\xBF" REPLY("AssumeRole", PARTS),
		"<!-- a -->" REPLY("AssumeRole", PARTS),
		REPLY("AssumeRole", PARTS) "<!-- a -->",
		REPLY("AssumeRole", "<!-- <AccessKeyId>X</AccessKeyId> -->" PARTS),
		REPLY("AssumeRole", "<![CDATA[<AccessKeyId>X</AccessKeyId>]]>" PARTS),
		REPLY("AssumeRole", PARTS "<?a?>"),
		REPLY("AssumeRole", PARTS "<a b=\"c\"></a>"),
		REPLY("AssumeRole", PARTS "<a xmlns=\"c\" b=\"d\"></a>"),
		REPLY("AssumeRole", PARTS "<a:b></a:b>"),
		"\n<?xml version=\"1.0\"?>" REPLY("AssumeRole", PARTS),
		"<?xml version=\"1.0\"" REPLY("AssumeRole", PARTS),
		/* not well-formed */
		"<!DOCTYPE a [<!ENTITY b \"c\">]>" REPLY("AssumeRole", PARTS),
		REPLY("AssumeRole", PARTS) "x",
		REPLY("AssumeRole", PARTS) REPLY("AssumeRole", PARTS),
		REPLY("AssumeRole", PARTS PARTS),
		REPLY("AssumeRole", PARTS "<a>&nbsp;</a>"),
		REPLY("AssumeRole", PARTS "<a>&#0;</a>"),
		REPLY("AssumeRole", PARTS "<a>&#;</a>"),
		REPLY("AssumeRole", PARTS "<a>&#x;</a>"),
		REPLY("AssumeRole", PARTS "<a>&#1f;</a>"),
		REPLY("AssumeRole", PARTS "<a>&#xD800;</a>"),
		REPLY("AssumeRole", PARTS "<a>&#x110000;</a>"),
		REPLY("AssumeRole", PARTS "<a>&#99999999999;</a>"),
		REPLY("AssumeRole", PARTS "<a>&amp</a>"),
		REPLY("AssumeRole", PARTS "<a></b>"),
		REPLY("AssumeRole", PARTS "<a><b></a></b>"),
		REPLY("AssumeRole", PARTS "<a b></a>"),
		REPLY("AssumeRole", PARTS "<a b=c></a>"),
		REPLY("AssumeRole", PARTS "<a xmlns=\"<\"></a>"),
		REPLY("AssumeRole", PARTS "<a xmlns=\"c\"xmlns=\"e\"></a>"),
		REPLY("AssumeRole", PARTS "<></>"),
		REPLY("AssumeRole", PARTS "<a></ba>"),
		REPLY("AssumeRole", PARTS "<ba></a>"),
		REPLY("AssumeRole", PARTS "<a>&#x110000000000000000;</a>"),
		REPLY("AssumeRole", PARTS "<a>&#-60;</a>"),
		REPLY("AssumeRole", PARTS "< a></a>"),
		REPLY("AssumeRole", PARTS "</a>"),
		REPLY("AssumeRole", PARTS "<a>\x01</a>"),
		REPLY("AssumeRole", PARTS "<a>\xff</a>"),
		REPLY("AssumeRole", "<AccessKeyId><b>A</b></AccessKeyId>"),
		"<![CDATA[x]]>" REPLY("AssumeRole", PARTS),
		"&amp;" REPLY("AssumeRole", PARTS)
	};
	size_t		i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
	{
		if (!CHECK_EQ_INT(response(200, wrong[i]), DYN_RESPONSE_FAILED))
			printf("#     document %d\n", (int) i);
		CHECK(strstr(err.message, "returned invalid XML"));
		CHECK_EQ_STR(err.excerpt, "");
	}
}

static void
deep_documents_are_refused(void)
{
	char		text[4096] = "";
	int			i;

	for (i = 0; i < 256; i++)
		strcat(text, "<a>");
	for (i = 0; i < 256; i++)
		strcat(text, "</a>");
	CHECK_EQ_INT(response(200, text), DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, "returned invalid XML"));
	CHECK_EQ_INT(response(200, "<a><a><a></a></a></a>"), DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, "returned no credentials"));
}

static void
parts_may_be_missing(void)
{
	static const char *const without[] = {
		"<a/>",
		REPLY("AssumeRole", ""),
		REPLY("AssumeRoleX", PARTS),
		REPLY("AssumeRole", "<AccessKeyId>A</AccessKeyId>"),
		REPLY("AssumeRole", "<c>" PARTS "</c>"),
		"<x>" REPLY("AssumeRole", PARTS) "</x>"
	};
	size_t		i;

	for (i = 0; i < sizeof(without) / sizeof(without[0]); i++)
	{
		CHECK_EQ_INT(response(200, without[i]), DYN_RESPONSE_FAILED);
		CHECK_EQ_STR(err.message, "the security token service returned no credentials for role \"" ARN "\"");
	}
	CHECK_EQ_INT(response(200, REPLY("AssumeRole", "<AccessKeyId/>"
								   "<SecretAccessKey/><SessionToken/>"
								   "<Expiration/>")), DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, "the access key is empty"));
	CHECK_EQ_INT(response(200, REPLY("AssumeRole", "<AccessKeyId>A</AccessKeyId>"
								   "<SecretAccessKey>S</SecretAccessKey>"
								   "<SessionToken>a&#10;b</SessionToken>"
								   "<Expiration>2026-01-02T03:04:05Z"
								   "</Expiration>")), DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, "session_token contains control characters"));
}

/* ---- errors ------------------------------------------------------------- */

#define ERROR(code, message)	\
	"<ErrorResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\n" \
	"  <Error>\n    <Type>Sender</Type>\n    <Code>" code "</Code>\n" \
	"    <Message>" message "</Message>\n  </Error>\n" \
	"  <RequestId>r</RequestId>\n</ErrorResponse>\n"

static void
errors_have_code_text_and_hint(void)
{
	CHECK_EQ_INT(response(403, ERROR("AccessDenied",
								   "User: arn:aws:iam::1:user/x is not "
								   "authorized to perform: sts:AssumeRole")),
				 DYN_RESPONSE_FAILED);
	CHECK_EQ_STR(err.message,
				 "could not assume role \"" ARN "\": AccessDenied");
	CHECK_EQ_STR(err.excerpt, "User: arn:aws:iam::1:user/x is not "
				 "authorized to perform: sts:AssumeRole");
	CHECK(strstr(err.hint, "trust policy"));
	CHECK(strstr(err.hint, "must allow sts:AssumeRole on the role."));
	CHECK(!err.passing);
}

static void
codes_have_hints(void)
{
	static const struct
	{
		const char *body;
		const char *hint;		/* a word of it; NULL: none */
	}			facts[] = {
		{ERROR("ExpiredToken", "x"), "Renew the credentials"},
		{ERROR("ExpiredTokenException", "x"), "Renew the credentials"},
		{ERROR("RegionDisabledException", "x"), "Activate"},
		{ERROR("MalformedPolicyDocument", "x"), "policies"},
		{ERROR("MalformedPolicyDocumentException", "x"), "policies"},
		{ERROR("ValidationError", "x"), "maximum session duration"},
		{ERROR("InvalidClientTokenId", "x"), "are active"},
		{ERROR("SignatureDoesNotMatch", "x"), "secret"},
		{ERROR("RequestExpired", "x"), "clock"},
		{ERROR("InvalidIdentityToken", "x"), NULL},
		{ERROR("AccessDeniedX", "x"), NULL},
		{ERROR("Unknown", "x"), NULL}
	};
	size_t		i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		CHECK_EQ_INT(response(400, facts[i].body), DYN_RESPONSE_FAILED);
		CHECK_EQ_STR(err.excerpt, "x");
		if (facts[i].hint == NULL)
			CHECK_EQ_STR(err.hint, "");
		else
			CHECK(strstr(err.hint, facts[i].hint));
	}
}

static void
web_identities_have_other_hints(void)
{
	static const struct
	{
		const char *body;
		const char *hint;
	}			facts[] = {
		{ERROR("AccessDenied", "x"), "sts:AssumeRoleWithWebIdentity"},
		{ERROR("ExpiredTokenException", "x"), "writes its file"},
		{ERROR("InvalidIdentityToken", "x"), "issuer"},
		{ERROR("InvalidIdentityTokenException", "x"), "issuer"},
		{ERROR("IDPRejectedClaim", "x"), "revoked"},
		{ERROR("ValidationError", "x"), "session name"}
	};
	DynExchange *exchange;
	size_t		i;

	begin();
	exchange = with_file(JWT, strlen(JWT));
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		reply(exchange, 400, facts[i].body);
		CHECK_EQ_INT(dyn_sts_response(&role, exchange, &credentials, &err),
					 DYN_RESPONSE_FAILED);
		CHECK(strstr(err.hint, facts[i].hint));
	}
	dyn_exchange_destroy(exchange);
}

static void
some_errors_pass(void)
{
	static const char *const passing[] = {
		ERROR("IDPCommunicationError", "x"), ERROR("Throttling", "x"),
		ERROR("ThrottlingException", "x"), ERROR("RequestLimitExceeded", "x"),
		ERROR("ServiceUnavailable", "x"), ERROR("InternalFailure", "x")
	};
	size_t		i;

	for (i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
	{
		CHECK_EQ_INT(response(400, passing[i]), DYN_RESPONSE_AGAIN);
		CHECK(err.passing);
	}
	CHECK_EQ_INT(response(503, ERROR("Unknown", "x")), DYN_RESPONSE_AGAIN);
	CHECK_EQ_INT(response(429, ERROR("Unknown", "x")), DYN_RESPONSE_AGAIN);
}

static void
texts_on_signatures_are_split(void)
{
	(void) response(403, ERROR("SignatureDoesNotMatch", "The signature does "
							 "not match. The canonical string should have "
							 "been 'POST " TOKEN "'"));
	CHECK_EQ_STR(err.excerpt, "The signature does not match");
	(void) response(403, ERROR("IncompleteSignature", "Wrong header\n" TOKEN));
	CHECK_EQ_STR(err.excerpt, "Wrong header");
}

/* What was read of a text before the mistake has no end. */
static void
broken_texts_are_not_shown(void)
{
	static const char *const broken[] = {
		ERROR("SignatureDoesNotMatch", "part<b/>"),
		ERROR("MissingAuthenticationToken", "part</Message><Message>more"),
		ERROR("AccessDenied", "part<b/>")
	};
	size_t		i;

	for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
	{
		CHECK_EQ_INT(response(403, broken[i]), DYN_RESPONSE_FAILED);
		CHECK(strstr(err.message, "could not assume role ") != NULL);
		CHECK_EQ_STR(err.excerpt, "");
	}
}

static void
errors_without_a_document_have_a_status(void)
{
	static const char *const others[] = {
		"", "<html><body>Proxy</body></html>", "{\"Error\":{}}",
		"<ErrorResponse><Error><Message>x</Message></Error></ErrorResponse>",
		ERROR("", "x"), ERROR("a b", "x"), ERROR("a&lt;", "x")
	};
	size_t		i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
	{
		CHECK_EQ_INT(response(407, others[i]), DYN_RESPONSE_FAILED);
		CHECK_EQ_STR(err.message, "could not obtain the credentials of role \"" ARN "\": HTTP status 407");
		CHECK((err.excerpt[0] == '\0') == (others[i][0] == '\0'));
	}
	CHECK_EQ_INT(response(502, others[1]), DYN_RESPONSE_AGAIN);
	CHECK_EQ_INT(response(400, "<ErrorResponse><Error><Code>Abc</Code></Error>"
						"</ErrorResponse>"), DYN_RESPONSE_FAILED);
	CHECK_EQ_STR(err.message, "could not assume role \"" ARN "\": Abc");
	CHECK_EQ_STR(err.excerpt, "");
}

static void
the_network_may_fail(void)
{
	DynExchange *exchange = any_request();

	break_off(exchange, DYN_FAIL_CONNECT, "Connection refused");
	CHECK_EQ_INT(dyn_sts_response(&role, exchange, &credentials, &err),
				 DYN_RESPONSE_AGAIN);
	CHECK(strstr(err.message, "Connection refused"));
	exchange->lasting = true;
	break_off(exchange, DYN_FAIL_TLS, "self-signed certificate");
	CHECK_EQ_INT(dyn_sts_response(&role, exchange, &credentials, &err),
				 DYN_RESPONSE_FAILED);
	dyn_exchange_destroy(exchange);
}

/* Longer than what a buffer begins with: growing would leave copies. */
static void
leaves_no_secret_in_memory(void)
{
	static char token[2016];
	static char body[4096];
	int			i;

	if (count_on_heap(SECRET) < 0)
		SKIP("no heap to look at");
	for (i = 0; i < 400; i++)
		snprintf(token + 5 * i, 16, "t%04d", i);
	begin();
	keys.session_token = token;
	dyn_exchange_destroy(assume(true));
	dyn_exchange_destroy(with_file(token, strlen(token)));
	snprintf(body, sizeof(body), REPLY("AssumeRoleWithWebIdentity",
									   "<AccessKeyId>A</AccessKeyId><SecretAccessKey>" SECRET
									   "</SecretAccessKey><SessionToken>%s</SessionToken>"
									   "<Expiration>2026-01-02T03:04:05Z</Expiration>"), token);
	CHECK_EQ_INT(response(200, body), DYN_RESPONSE_CREDENTIALS);
	dyn_credentials_clear(&credentials);
	body[strlen(body) - 4] = '\0';
	CHECK_EQ_INT(response(200, body), DYN_RESPONSE_FAILED);
	CHECK_EQ_INT(count_on_heap("t0007t0008t0009"), 0);
	CHECK_EQ_INT(count_on_heap("t0300t0301t0302"), 0);
	CHECK_EQ_INT(count_on_heap(SECRET + 16), 0);
}

int
main(void)
{
	RUN(signs_with_long_term_keys);
	RUN(signs_with_a_token_and_all_fields);
	RUN(chained_roles_last_an_hour);
	RUN(endpoints_have_an_order);
	RUN(endpoints_and_regions_are_checked);
	RUN(arns_are_ascii);
	RUN(sends_the_file_unsigned);
	RUN(wrong_files_are_refused);
	RUN(reads_both_replies);
	RUN(is_not_confused);
	RUN(unescapes_entities);
	RUN(every_truncation_is_noticed);
	RUN(any_byte_may_be_another);
	RUN(wrong_documents_are_refused);
	RUN(deep_documents_are_refused);
	RUN(parts_may_be_missing);
	RUN(errors_have_code_text_and_hint);
	RUN(codes_have_hints);
	RUN(web_identities_have_other_hints);
	RUN(some_errors_pass);
	RUN(texts_on_signatures_are_split);
	RUN(broken_texts_are_not_shown);
	RUN(errors_without_a_document_have_a_status);
	RUN(the_network_may_fail);
	RUN(leaves_no_secret_in_memory);
	dyn_credentials_clear(&credentials);
	return DONE("sts");
}
