/*
 * test_pace.c
 *		The pace against a simulated service, in simulated time.
 *
 * The service has a bucket of tokens, which holds what it grants in a second,
 * and is full at the beginning.  It refuses a request while the bucket is
 * empty, and takes what it costs, be it more than the bucket holds.  If other
 * clients empty the bucket all the time, it refuses a share of the requests.
 */
#include "harness.h"

#include <math.h>
#include <stdbool.h>

#include "aws/pace.h"

#define MS			1000.0
#define PAGE_UNITS	128.0
#define MAX_STREAMS	4000

typedef struct Request
{
	bool		in_flight;
	bool		refused;
	double		left;			/* units of the stream */
	double		cost;
	double		granted;
	double		sent;
	double		complete;
} Request;

typedef struct Case
{
	const char *name;
	double		streams;
	double		units;			/* of each */
	double		page;			/* most units of one request */
	bool		divisible;		/* a request may be granted in part */
	double		grants;			/* a second... */
	double		until;			/* ...until this time (s)... */
	double		then;			/* ...and after it */
	bool		empty;			/* no tokens at the beginning */
	double		known;			/* capacity; 0: not known */
	double		round_trip;
} Case;

typedef struct World
{
	const Case *c;
	double		stops_at;		/* from then on (s)... */
	double		stop;			/* ...nothing is granted for so long (s) */
	double		shared_until;	/* until then (s)... */
	double		share;			/* ...this share of the requests is refused */
	bool		in_turn;		/* every second, third, ... instead of random */
	double		turn;			/* 1 or more: the next request is refused */
	unsigned	seed;
	DynPace		pace;
	double		now;
	double		level;
	double		level_at;
	Request    *requests;
	int			in_flight;
	int			refused;
	int			useful;
	int			at_first;		/* in flight at the first refusal */
} World;

static double
grants_at(const World *world, double ms)
{
	const Case *c = world->c;

	if (ms >= world->stops_at * MS && ms < (world->stops_at + world->stop) * MS)
		return 0;
	return c->until > 0 && ms >= c->until * MS ? c->then : c->grants;
}

/* Does the rate change between the two times?  Then the second one is moved. */
static void
end_at(double change, double from, double *to)
{
	if (change > from && change < *to)
		*to = change;
}

static void
fill(World *world)
{
	while (world->level_at < world->now)
	{
		double		rate = grants_at(world, world->level_at);
		double		to = world->now;

		end_at(world->c->until * MS, world->level_at, &to);
		end_at(world->stops_at * MS, world->level_at, &to);
		end_at((world->stops_at + world->stop) * MS, world->level_at, &to);
		world->level = fmin(fmax(rate, 1),
							world->level + rate * (to - world->level_at) / MS);
		world->level_at = to;
	}
}

/* Is the request refused because of the other clients? */
static bool
is_unlucky(World *world)
{
	world->seed = world->seed * 1664525 + 1013904223;
	world->turn += world->in_turn ? world->share
		: (world->seed >> 8) / (double) (1 << 24) < world->share;
	if (world->turn < 1 - 1e-9)
		return false;
	world->turn -= 1;
	return true;
}

static void
serve(World *world, Request *request)
{
	fill(world);
	if (world->now < world->shared_until * MS)
		request->granted = is_unlucky(world) ? 0 : request->cost;
	else
		request->granted = world->level <= 0 ? 0
			: world->c->divisible ? fmin(request->cost, ceil(world->level)) : request->cost;
	request->refused = request->granted < request->cost;
	world->level -= request->granted;
	request->complete = world->now + world->c->round_trip +
		request->granted * 20 / PAGE_UNITS;
}

static bool
send_one(World *world)
{
	double		matches = dyn_pace_max_units(&world->pace);
	int			i;

	if (dyn_pace_delay(&world->pace, world->in_flight, world->now) != 0)
		return false;
	for (i = 0; i < world->c->streams; i++)
	{
		Request    *request = &world->requests[i];

		if (request->in_flight || request->left <= 0)
			continue;
		request->cost = fmin(request->left, world->c->page);
		if (matches > 0)
			request->cost = fmin(request->cost, fmax(matches, 0.5));
		request->sent = world->now;
		request->in_flight = true;
		world->in_flight++;
		dyn_pace_send(&world->pace, request->cost, world->now);
		serve(world, request);
		return true;
	}
	return false;
}

static void
receive(World *world, Request *request)
{
	request->in_flight = false;
	world->in_flight--;
	request->left -= request->granted;
	world->useful += request->granted > 0;
	if (request->granted > 0)
		dyn_pace_grant(&world->pace, request->cost, request->granted,
					   request->sent, world->now);
	if (!request->refused)
		return;
	world->refused += request->granted == 0;
	if (world->at_first == 0)
		world->at_first = world->in_flight + 1;
	dyn_pace_refuse(&world->pace, request->cost, world->c->known,
					request->sent, world->now);
}

/* To the next response, or the time of the next request; false at the end. */
static bool
step(World *world)
{
	double		delay = dyn_pace_delay(&world->pace, world->in_flight, world->now);
	Request    *next = NULL;
	bool		left = false;
	int			i;

	for (i = 0; i < world->c->streams; i++)
	{
		Request    *request = &world->requests[i];

		left |= !request->in_flight && request->left > 0;
		if (request->in_flight &&
			(next == NULL || request->complete < next->complete))
			next = request;
	}
	if (next == NULL && !left)
		return false;
	if (next != NULL && (!left || delay < 0 ||
						 next->complete <= world->now + delay))
	{
		world->now = fmax(world->now, next->complete);
		receive(world, next);
	}
	else
		world->now += delay;
	return true;
}

static double
ideal(const Case *c)
{
	double		units = c->streams * c->units;
	double		first = c->empty ? 0 : c->grants;
	double		trips = ceil(c->units / c->page) *
		fmax(1, c->streams / 16) * (c->round_trip + c->page * 20 / PAGE_UNITS) / MS;

	if (c->until > 0 && first + c->grants * c->until < units)
		return fmax(trips, c->until + (units - first - c->grants * c->until) / c->then);
	return fmax(trips, (units - first) / c->grants);
}

/* Soon after the first refusal no request is sent for this long. */
static void
rest(World *world, double *ms)
{
	if (world->at_first == 0)
		return;
	world->now += *ms;
	*ms = 0;
}

static void
run_to_the_end(World *world, double rest_ms)
{
	static Request requests[MAX_STREAMS];
	const Case *c = world->c;
	int			i;

	for (i = 0; i < c->streams; i++)
		requests[i] = (Request) {.left = c->units};
	world->requests = requests;
	world->level = c->empty ? 0 : c->grants;
	dyn_pace_init(&world->pace, 16);
	do
	{
		while (send_one(world));
		rest(world, &rest_ms);
	} while (step(world));
}

static void
run(const Case *c, double rest_s)
{
	World		world = {.c = c};
	double		wanted = ideal(c);
	double		ratio;

	run_to_the_end(&world, rest_s * MS);
	world.now -= rest_s * MS;
	ratio = (world.refused - world.at_first) / (double) world.useful;
	if (!CHECK(world.now / MS <= 1.15 * wanted + 0.5) || !CHECK(ratio <= 0.3))
		printf("#   %s: %.2f s, ideal %.2f, %d of %d refused beyond the first\n",
			   c->name, world.now / MS, wanted, world.refused - world.at_first,
			   world.useful + world.refused);
}

#define STEADY(grants)	(grants), 0, 0, false
#define AT_FIRST(grants, seconds, then, empty)	(grants), (seconds), (then), (empty)

static const Case cases[] = {
	{"200 MB of 3000", 16, 24414 / 16.0, PAGE_UNITS, false, STEADY(3000), 0, 0},
	{"50 MB of 250", 13, 6103 / 13.0, PAGE_UNITS, false, STEADY(250), 0, 0},
	{"1000 Querys of 50", 1000, 0.5, 0.5, false, STEADY(50), 0, 0},
	{"3000 keys of 100", 30, 50, 50, true, STEADY(100), 0, 0},
	{"10 MB of 25", 3, 1280 / 3.0, PAGE_UNITS, false, STEADY(25), 0, 0},
	{"20 MB of 5", 4, 640, PAGE_UNITS, false, STEADY(5), 0, 0},
	{"4000 keys of 25", 40, 50, 50, true, STEADY(25), 0, 0},
	{"400 MB of 12000", 16, 48828 / 16.0, PAGE_UNITS, false, STEADY(12000), 0, 0},
	{"4000 Querys of 300", 4000, 0.5, 0.5, false, STEADY(300), 0, 0},
	{"3000 Querys of 8 units of 3000", 3000, 8, 8, false, STEADY(3000), 0, 0},
	{"nothing for 3 s", 16, 750, PAGE_UNITS, false, AT_FIRST(0, 3, 3000, true), 0, 0},
	{"nothing for 10 s", 16, 750, PAGE_UNITS, false, AT_FIRST(0, 10, 3000, true), 0, 0},
	{"250 for 4 s, then 3000", 16, 750, PAGE_UNITS, false, AT_FIRST(250, 4, 3000, false), 0, 0},
	{"3000 for 4 s, then 300", 16, 1125, PAGE_UNITS, false, AT_FIRST(3000, 4, 300, false), 0, 0},
	{"100 for 4 s, then 500", 4000, 0.5, 0.5, false, AT_FIRST(100, 4, 500, false), 0, 0},
};

static void
run_all(bool known, double round_trip, double rest_s)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Case		c = cases[i];

		c.known = known ? fmax(c.grants, c.then) : 0;
		c.round_trip = round_trip;
		run(&c, rest_s);
	}
}

static void
keeps_up_with_a_capacity_that_is_known(void)
{
	run_all(true, 5, 0);
}

static void
keeps_up_with_a_capacity_that_is_not_known(void)
{
	run_all(false, 5, 0);
}

static void
keeps_up_over_a_long_way(void)
{
	run_all(false, 60, 0);
}

static void
does_not_take_a_rest_for_a_slow_service(void)
{
	static const double rests[] = {3, 10, 60, 600};
	static const Case few[] = {
		{"500 units of 25 in pages of 8", 1, 500, 8, false, STEADY(25), 0, 5},
		{"100 units of 5 in pages of 8", 1, 100, 8, false, STEADY(5), 0, 5},
		{"2000 units of 100 in pages", 1, 2000, PAGE_UNITS, false, STEADY(100), 0, 5},
	};

	for (size_t i = 0; i < sizeof(rests) / sizeof(rests[0]); i++)
		for (size_t j = 0; j < sizeof(few) / sizeof(few[0]); j++)
			run(&few[j], rests[i]);
}

/*
 * A rate is known, then nothing is granted for long, then as much as before.
 * The longest pause (1.5 s) may pass before that is noticed, and as long again
 * until the rate is measured again.
 */
static void
recovers_when_nothing_was_granted_for_long(void)
{
	static const double stops[] = {15, 30, 120, 600};
	static const Case kinds[] = {
		{"pages of 3000", 16, 3000, PAGE_UNITS, false, STEADY(3000), 0, 5},
		{"pages of 250", 16, 250, PAGE_UNITS, false, STEADY(250), 0, 5},
		{"Querys of 300", 4000, 0.5, 0.5, false, STEADY(300), 0, 5},
		{"keys of 100", 30, 50, 50, true, STEADY(100), 0, 5},
		{"pages of 12000", 16, 12000, PAGE_UNITS, false, STEADY(12000), 0, 5},
	};

	for (size_t i = 0; i < 2 * sizeof(stops) / sizeof(stops[0]); i++)
		for (size_t j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++)
		{
			Case		c = kinds[j];
			World		world = {.c = &c, .stops_at = 3, .stop = stops[i / 2]};
			double		wanted = 1.15 * ideal(&c);

			c.known = i % 2 ? c.grants : 0;
			run_to_the_end(&world, 0);
			if (!CHECK(world.now / MS - world.stop <= wanted + 3))
				printf("#   %s, nothing for %.0f s: %.2f s beside it, wanted %.2f, %d refused, %d not\n",
					   c.name, world.stop, world.now / MS - world.stop, wanted, world.refused, world.useful);
		}
}

/*
 * Other clients overload the table: fewer requests would only be granted less.
 * The mean of some runs, since requests are refused at random.
 */
static void
goes_on_when_a_share_is_refused_at_any_rate(void)
{
	static const int shares[] = {2, 3, 5, 10};
	static const double round_trips[] = {1, 5, 40};
	Case		c = {"writes", 400, 1, 1, false, STEADY(0), 0, 0};

	for (int i = 0; i < 24; i++)
	{
		int			runs = i % 2 ? 20 : 1;
		double		seconds = 0;

		c.round_trip = round_trips[i / 2 % 3];
		for (int j = 0; j < runs; j++)
		{
			World		world = {.c = &c, .shared_until = 1e9, .share = 1.0 / shares[i / 6],
			.in_turn = i % 2 == 0, .seed = 7919 * j};

			run_to_the_end(&world, 0);
			seconds += world.now / MS / runs;
		}
		if (!CHECK(seconds <= 60 + 10 * c.units * c.streams * c.round_trip / MS))
			printf("#   each %d. refused %s, round trip %.0f ms: %.2f s\n", shares[i / 6],
				   i % 2 ? "at random" : "in turn", c.round_trip, seconds);
	}
}

/* The other clients end: what the table grants is found as always. */
static void
finds_the_capacity_when_other_clients_end(void)
{
	static const double grants[] = {10, 50, 200};

	for (int i = 0; i < 3; i++)
	{
		Case		c = {"writes", 4000, 1, 1, false, STEADY(grants[i]), 0, 5};
		World		world = {.c = &c, .shared_until = 5, .share = 0.5, .in_turn = true};
		double		wanted;

		run_to_the_end(&world, 0);
		wanted = 5 + 1.15 * c.streams / grants[i];
		if (!CHECK(world.now / MS <= wanted) || !CHECK(world.refused <= 0.3 * world.useful))
			printf("#   %.0f a second: %.2f s, at most %.2f, %d refused, %d not\n",
				   grants[i], world.now / MS, wanted, world.refused, world.useful);
	}
}

/* The responses of a stream that is not read from wait. */
static void
a_response_may_be_reported_late(void)
{
	DynPace		pace;
	double		rate;

	dyn_pace_init(&pace, 16);
	dyn_pace_refuse(&pace, 1, 0, 900, 1000);
	dyn_pace_grant(&pace, 10, 10, 1100, 1200);
	dyn_pace_refuse(&pace, 1, 0, 1900, 2000);
	rate = pace.rate;
	CHECK(rate > 0);
	dyn_pace_grant(&pace, 1, 1, 60000, 60010);
	CHECK(pace.rate >= rate);
	rate = pace.rate;
	dyn_pace_grant(&pace, 1, 1, 2100, 2110);
	CHECK(pace.rate >= rate);
}

static void
single_refusals_far_apart_are_no_episode(void)
{
	DynThrottleEpisode	episode = {0};

	CHECK(dyn_episode_refuse(&episode, 1000) == 0);
	CHECK(dyn_episode_refuse(&episode, 1500) == 500);
	CHECK(dyn_episode_refuse(&episode, 61500) == 0);
	CHECK(dyn_episode_refuse(&episode, 121500) == 0);
	/* as far apart as the pauses of one that waits */
	CHECK(dyn_episode_refuse(&episode, 129500) == 8000);
	CHECK(dyn_episode_refuse(&episode, 137500) == 16000);
}

/* The source of a statement's rows may be slow, and nothing is sent then. */
static void
a_stall_counts_little_of_a_long_pause(void)
{
	DynStall	stall = {0};

	CHECK(dyn_stall_refuse(&stall, 1000) == 0);
	CHECK(dyn_stall_refuse(&stall, 11000) == 10000);
	CHECK(dyn_stall_refuse(&stall, 911000) == 25000);
	CHECK(dyn_stall_refuse(&stall, 911500) == 25500);
}

int
main(void)
{
	RUN(keeps_up_with_a_capacity_that_is_known);
	RUN(keeps_up_with_a_capacity_that_is_not_known);
	RUN(keeps_up_over_a_long_way);
	RUN(does_not_take_a_rest_for_a_slow_service);
	RUN(recovers_when_nothing_was_granted_for_long);
	RUN(goes_on_when_a_share_is_refused_at_any_rate);
	RUN(finds_the_capacity_when_other_clients_end);
	RUN(a_response_may_be_reported_late);
	RUN(single_refusals_far_apart_are_no_episode);
	RUN(a_stall_counts_little_of_a_long_pause);
	return DONE("pace");
}
