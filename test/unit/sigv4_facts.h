/*
 * sigv4_facts.h
 *		Requests, and how they are signed.
 *
 * The facts are those of AWS's published test suite for Signature Version 4
 * (github.com/awslabs/aws-c-auth), without those of requests that have a query
 * or whose path is not normalized.  Host and X-Amz-Date, the same in all of
 * them, are not repeated here.
 */
#ifndef DYN_TEST_SIGV4_FACTS_H
#define DYN_TEST_SIGV4_FACTS_H

#define FACTS_KEY_ID	"AKIDEXAMPLE"
#define FACTS_SECRET	"wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define FACTS_HOST		"example.amazonaws.com"
#define FACTS_TIME		"20150830T123600Z"
#define FACTS_REGION	"us-east-1"
#define FACTS_SERVICE	"service"

#define FACT_HEADERS	6

typedef struct SigV4Fact
{
	bool		signs_body;		/* with x-amz-content-sha256 */
	const char *method;
	const char *path;
	const char *body;
	const char *token;			/* sent as X-Amz-Security-Token */
	DynSigHeader headers[FACT_HEADERS];
	const char *canonical_hash; /* SHA-256 of the canonical request */
	const char *signature;
} SigV4Fact;

static const SigV4Fact sigv4_facts[] = {
	{false, "GET", "/", "",
		NULL,
		{{"My-Header1", "value2"},
		{"My-Header1", "value2"},
		{"My-Header1", "value1"}},
		"dc7f04a3abfde8d472b0ab1a418b741b7c67174dad1551b4117b15527fbe966c",
		"c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
	{false, "GET", "/", "",
		NULL,
		{{"My-Header1", "value1\n  value2\n     value3"}},
		"e99419459a677bc11de234014be3c4e72c1ea5b454ceb58b613061f5d7a162e8",
		"cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd"},
	{false, "GET", "/", "",
		NULL,
		{{"My-Header1", "value4"},
		{"My-Header1", "value1"},
		{"My-Header1", "value3"},
		{"My-Header1", "value2"}},
		"31ce73cd3f3d9f66977ad3dd957dc47af14df92fcd8509f59b349e9137c58b86",
		"08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
	{false, "GET", "/", "",
		NULL,
		{{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
		"a726db9b0df21c14f559d0a978e563112acb1b9e05476f0a6a1c7d68f28605c7",
		"acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
	{false, "GET", "/example/..", "",
		NULL,
		{{NULL}},
		"bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63",
		"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
	{false, "GET", "/example1/example2/../..", "",
		NULL,
		{{NULL}},
		"bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63",
		"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
	{false, "GET", "/./", "",
		NULL,
		{{NULL}},
		"bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63",
		"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
	{false, "GET", "//", "",
		NULL,
		{{NULL}},
		"bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63",
		"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
	{false, "GET", "/./example", "",
		NULL,
		{{NULL}},
		"214d50c111a8edc4819da6a636336472c916b5240f51e9a51b5c3305180cf702",
		"ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"},
	{false, "GET", "//example//", "",
		NULL,
		{{NULL}},
		"cb96b4ac96d501f7c5c15bc6d67b3035061cfced4af6585ad927f7e6c985c015",
		"9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"},
	{false, "GET", "/example space/", "",
		NULL,
		{{NULL}},
		"63ee75631ed7234ae61b5f736dfc7754cdccfedbff4b5128a915706ee9390d86",
		"652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"},
	{false, "GET", "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstu"
		"vwxyz", "",
		NULL,
		{{NULL}},
		"6a968768eefaa713e2a6b16b589a8ea192661f098f37349f4e2c0082757446f9",
		"07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
	{false, "GET", "/\341\210\264", "",
		NULL,
		{{NULL}},
		"2a0a97d02205e45ce2e994789806b19270cfbbb0921b278ccf58f5249ac42102",
		"8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
	{false, "GET", "/", "",
		NULL,
		{{NULL}},
		"bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63",
		"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
	{false, "GET", "/", "",
		NULL,
		{{NULL}},
		"bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63",
		"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
	{false, "GET", "/", "",
		"6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf1942"
		"67",
		{{NULL}},
		"067b36aa60031588cea4a4cde1f21215227a047690c72247f1d70b32fbbfad2b",
		"07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"},
	{false, "POST", "/", "",
		NULL,
		{{NULL}},
		"553f88c9e4d10fc9e109e2aeb65f030801b70c2f6468faca261d401ae622fc87",
		"5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
	{false, "POST", "/", "",
		NULL,
		{{"My-Header1", "value1"}},
		"9368318c2967cf6de74404b30c65a91e8f6253e0a8659d6d5319f1a812f87d65",
		"c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
	{false, "POST", "/", "",
		NULL,
		{{"My-Header1", "VALUE1"}},
		"d51ced243e649e3de6ef63afbbdcbca03131a21a7103a1583706a64618606a93",
		"cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
	{false, "POST", "/", "",
		NULL,
		{{NULL}},
		"553f88c9e4d10fc9e109e2aeb65f030801b70c2f6468faca261d401ae622fc87",
		"5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
	{false, "POST", "/", "",
		"AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZ"
		"TwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkP"
		"pKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7W"
		"Z0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7Z"
		"D0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx"
		"3iSIlTJabIQwj2ICCR/oLxBA==",
		{{NULL}},
		"c237e1b440d4c63c32ca95b5b99481081cb7b13c7e40434868e71567c1a882f6",
		"85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
	{false, "POST", "/", "",
		NULL,
		{{NULL}},
		"553f88c9e4d10fc9e109e2aeb65f030801b70c2f6468faca261d401ae622fc87",
		"5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
	{true, "POST", "/", "Param1=value1",
		NULL,
		{{"Content-Type", "application/x-www-form-urlencoded"},
		{"Content-Length", "13"}},
		"b1edd1d03544c25390e32085d55b57acc9a3961bb59415ff86c45c3d89d16cfb",
		"d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"},
	{true, "POST", "/", "Param1=value1",
		NULL,
		{{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"},
		{"Content-Length", "13"}},
		"a89f1a5b53e37702ee6363ce1da3ce8f54386f3c8f352ae652153c2982a0bc4d",
		"328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422"}
};

#define SIGV4_FACTS	(sizeof(sigv4_facts) / sizeof(sigv4_facts[0]))

#endif
