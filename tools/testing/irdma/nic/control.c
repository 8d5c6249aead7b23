// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the control socket and its clients. A request is looked up by its first
 * word; its function writes the members of the JSON answer and returns NULL, or
 * returns what is wrong.
 */
#include "control.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ctl/objects.h"
#include "ctl/rdma.h"
#include "faults.h"
#include "intr.h"
#include "lan/lan.h"
#include "loop.h"
#include "nic.h"
#include "regs.h"
#include "text.h"
#include "transport/dma.h"
#include "transport/listen.h"
#include "wire/wire.h"

#define LINE_MAX_BYTES	1024u
#define WORDS_MAX	16u

struct client {
	struct client *next;
	struct control *ctl;
	int fd;
	u32 len;
	char line[LINE_MAX_BYTES];
};

struct control {
	struct loop *loop;
	struct wire *wire;
	struct nic *nics;
	char *path;
	int fd;
	struct client *clients;
};

struct request {
	struct control *ctl;
	FILE *out;
	int argc;
	char *argv[WORDS_MAX];
	char err[200];
};

static const char *wrong(struct request *rq, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static const char *wrong(struct request *rq, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rq->err, sizeof(rq->err), fmt, ap);
	va_end(ap);
	return rq->err;
}

/* The NIC that the first argument names; NULL with rq->err. */
static struct nic *the_nic(struct request *rq)
{
	struct nic *first = rq->ctl->nics, *n = first;

	while (n) {
		if (!strcmp(n->cfg.name, rq->argv[1]))
			return n;
		n = n->next == first ? NULL : n->next;
	}
	wrong(rq, "there is no NIC %s", rq->argv[1]);
	return NULL;
}

static struct wire_port *the_port(struct request *rq)
{
	struct wire_port *port = wire_port_find(rq->ctl->wire, rq->argv[1]);

	if (!port)
		wrong(rq, "there is no NIC or port %s", rq->argv[1]);
	return port;
}

/**
 * struct setting - "KEY=NUMBER" among a request's words
 */
struct setting {
	const char *key;
	u64 *val;
};

/* Reads words from argv[@from] on; an unknown key or a bad number is an error. */
static const char *settings(struct request *rq, int from, const struct setting *s, size_t cnt)
{
	for (int i = from; i < rq->argc; i++) {
		char *val = strchr(rq->argv[i], '=');
		size_t k = 0;

		if (!val)
			return wrong(rq, "%s: KEY=VALUE expected", rq->argv[i]);
		*val++ = 0;
		while (k < cnt && strcmp(s[k].key, rq->argv[i]))
			k++;
		if (k == cnt)
			return wrong(rq, "there is no setting %s", rq->argv[i]);
		if (!text_number(val, s[k].val))
			return wrong(rq, "%s is no number", val);
	}
	return NULL;
}

/* --- what is there --- */

static void print_nic(FILE *out, const struct nic *n)
{
	const u8 *m = n->cfg.mac;

	fprintf(out, "{\"name\": \"%s\", \"mac\": \"%02x:%02x:%02x:%02x:%02x:%02x\", "
		"\"vf\": %s, \"rdma\": %s, \"queues\": %u, \"vectors\": %u, \"connected\": %s, "
		"\"removed\": %s, \"resets\": %llu, \"violations\": %llu}",
		n->cfg.name, m[0], m[1], m[2], m[3], m[4], m[5], n->cfg.vf ? "true" : "false",
		n->cfg.rdma ? "true" : "false", n->cfg.queues, n->cfg.vectors,
		n->tp ? "true" : "false", n->removed ? "true" : "false",
		(unsigned long long)n->resets, (unsigned long long)violation_total(n));
}

static const char *rq_nics(struct request *rq)
{
	struct nic *first = rq->ctl->nics, *n = first;

	fputs(", \"nics\": [", rq->out);
	while (n) {
		print_nic(rq->out, n);
		n = n->next == first ? NULL : n->next;
		if (n)
			fputs(", ", rq->out);
	}
	fputs("]", rq->out);
	return NULL;
}

static void print_count(FILE *out, bool *first, const char *name, u64 val)
{
	fprintf(out, "%s\"%s\": %llu", *first ? "" : ", ", name, (unsigned long long)val);
	*first = false;
}

static const char *rq_ports(struct request *rq)
{
	const char *sep = "";

	fputs(", \"ports\": {", rq->out);
	for (struct wire_port *p = wire_port_next(rq->ctl->wire, NULL); p;
	     p = wire_port_next(rq->ctl->wire, p)) {
		const struct wire_stats *s = wire_port_stats(p);
		bool first = true;

		fprintf(rq->out, "%s\"%s\": {", sep, wire_port_name(p));
		print_count(rq->out, &first, "tx_frames", s->tx_frames);
		print_count(rq->out, &first, "tx_bytes", s->tx_bytes);
		print_count(rq->out, &first, "rx_frames", s->rx_frames);
		print_count(rq->out, &first, "rx_bytes", s->rx_bytes);
		print_count(rq->out, &first, "dropped_queue", s->dropped_queue);
		print_count(rq->out, &first, "dropped_link", s->dropped_link);
		print_count(rq->out, &first, "dropped_short", s->dropped_short);
		print_count(rq->out, &first, "impaired", s->impaired);
		fputs("}", rq->out);
		sep = ", ";
	}
	fputs("}", rq->out);
	return NULL;
}

static void print_regs(FILE *out, const struct nic *n)
{
	const char *sep = "";
	u32 cnt;
	const struct reg_count *c = regs_counts(n->regs, &cnt);

	fputs(", \"registers\": {", out);
	for (u32 i = 0; i < cnt; i++) {
		if (!c[i].reads && !c[i].writes)
			continue;
		fprintf(out, "%s\"%s\": {\"reads\": %llu, \"writes\": %llu}", sep, c[i].name,
			(unsigned long long)c[i].reads, (unsigned long long)c[i].writes);
		sep = ", ";
	}
	fputs("}", out);
}

static void print_lan(FILE *out, const struct nic *n)
{
	const u64 *val = lan_stats(n->lan);
	bool first = true;

	fputs(", \"lan\": {", out);
	for (u32 i = 0; i < LAN_STATS; i++)
		if (val[i])
			print_count(out, &first, lan_stat_names[i], val[i]);
	fputs("}", out);
}

static void print_rdma(FILE *out, const struct nic *n)
{
	static const char *const names[ST_COUNT] = {
#define STAT(sym, name, offset) [ST_##sym] = name,
#include "ctl/stats.def"
#undef STAT
	};
	const u64 *val;
	bool first = true;

	if (!n->rdma)
		return;
	val = roce_counters(rdma_roce(n->rdma));
	fputs(", \"rdma\": {", out);
	for (u32 i = 0; i < ST_COUNT; i++)
		if (val[i])
			print_count(out, &first, names[i], val[i]);
	fputs("}", out);
}

static void print_commands(FILE *out, const struct nic *n)
{
	const u64 *val;
	bool first = true;

	if (!n->rdma)
		return;
	val = rdma_commands(n->rdma);
	fputs(", \"commands\": {", out);
	for (u32 i = 0; i < RDMA_COMMANDS; i++) {
		const char *name = rdma_command_name(i);
		char number[16];

		snprintf(number, sizeof(number), "0x%02x", i);
		if (val[i])
			print_count(out, &first, name ? name : number, val[i]);
	}
	fputs("}", out);
}

static const char *rq_counters(struct request *rq)
{
	struct nic *n = the_nic(rq);
	const struct dma_stats *d;

	if (!n)
		return rq->err;
	d = dma_stats(n->dma);
	fprintf(rq->out, ", \"resets\": %llu, \"dma\": {\"read_bytes\": %llu, "
		"\"write_bytes\": %llu, \"faults\": %llu}, \"interrupts\": [",
		(unsigned long long)n->resets, (unsigned long long)d->read_bytes,
		(unsigned long long)d->write_bytes, (unsigned long long)d->faults);
	for (u32 v = 0; v < n->cfg.vectors; v++)
		fprintf(rq->out, "%s%llu", v ? ", " : "",
			(unsigned long long)intr_count(n->intr, v));
	fputs("]", rq->out);
	print_regs(rq->out, n);
	print_lan(rq->out, n);
	print_commands(rq->out, n);
	print_rdma(rq->out, n);
	return NULL;
}

static const char *rq_violations(struct request *rq)
{
	struct nic *n = the_nic(rq);
	bool first = true;

	if (!n)
		return rq->err;
	fprintf(rq->out, ", \"total\": %llu, \"kinds\": {",
		(unsigned long long)violation_total(n));
	for (int v = 0; v < V_COUNT; v++)
		if (n->violations[v])
			print_count(rq->out, &first, violation_names[v], n->violations[v]);
	fputs("}", rq->out);
	return NULL;
}

static const char *rq_forgive(struct request *rq)
{
	struct nic *n = the_nic(rq);

	if (n)
		violation_reset(n);
	return n ? NULL : rq->err;
}

static void print_table(FILE *out, const char *member, const char *const *names,
			const char *const *texts, size_t cnt)
{
	fprintf(out, ", \"%s\": {", member);
	for (size_t i = 0; i < cnt; i++) {
		fprintf(out, "%s\"%s\": ", i ? ", " : "", names[i]);
		text_json(out, texts[i]);
	}
	fputs("}", out);
}

static const char *rq_kinds(struct request *rq)
{
	print_table(rq->out, "violations", violation_names, violation_rules, V_COUNT);
	print_table(rq->out, "faults", fault_point_names, fault_point_texts, F_COUNT);
	return NULL;
}

/* --- what can be done to it --- */

static const char *rq_fault(struct request *rq)
{
	struct nic *n = the_nic(rq);

	if (!n || fault_add(n->faults, rq->argv[2], rq->err, sizeof(rq->err)))
		return rq->err;
	return NULL;
}

static const char *rq_faults(struct request *rq)
{
	struct nic *n = the_nic(rq);
	enum fault_point point;
	u64 passes, hits;

	if (!n)
		return rq->err;
	fputs(", \"faults\": [", rq->out);
	for (u32 i = 0; i < fault_use(n->faults, i, &point, &passes, &hits); i++)
		fprintf(rq->out, "%s{\"point\": \"%s\", \"passes\": %llu, \"hits\": %llu}",
			i ? ", " : "", fault_point_names[point], (unsigned long long)passes,
			(unsigned long long)hits);
	fputs("]", rq->out);
	return NULL;
}

static const char *rq_clear(struct request *rq)
{
	struct nic *n = the_nic(rq);

	if (n)
		fault_clear(n->faults);
	return n ? NULL : rq->err;
}

static const char *rq_clock(struct request *rq)
{
	struct nic *n = the_nic(rq);
	struct nic_clock clock;
	u64 rate = 0;
	const struct setting s[] = {
		{ "latency", &clock.latency_ns }, { "interval", &clock.interval_ns },
		{ "rate", &rate },
	};

	if (!n)
		return rq->err;
	clock = n->clock;
	if (settings(rq, 2, s, ARRAY_SIZE(s)))
		return rq->err;
	if (rate)
		clock.interval_ns = 1000000000u / rate;
	n->clock = clock;
	fprintf(rq->out, ", \"latency_ns\": %llu, \"interval_ns\": %llu",
		(unsigned long long)clock.latency_ns, (unsigned long long)clock.interval_ns);
	return NULL;
}

static const char *rq_reset(struct request *rq)
{
	struct nic *n = the_nic(rq);

	if (n)
		nic_reset(n, NIC_RESET_SPONTANEOUS);
	return n ? NULL : rq->err;
}

static const char *rq_link(struct request *rq)
{
	struct wire_port *port = the_port(rq);
	bool up = !strcmp(rq->argv[2], "up");
	struct nic *n;

	if (!port)
		return rq->err;
	if (!up && strcmp(rq->argv[2], "down"))
		return wrong(rq, "up or down expected");
	n = the_nic(rq);
	if (n)
		nic_set_link(n, up);
	else
		wire_port_set_link(port, up);
	return NULL;
}

static const char *rq_remove(struct request *rq)
{
	struct nic *n = the_nic(rq);

	if (n)
		nic_set_removed(n, true);
	return n ? NULL : rq->err;
}

static const char *rq_insert(struct request *rq)
{
	struct nic *n = the_nic(rq);

	if (n)
		nic_set_removed(n, false);
	return n ? NULL : rq->err;
}

/* An asynchronous event as the engine would raise it. */
static const char *rq_event(struct request *rq)
{
	u64 code = 0, id = 0, src = AE_SRC_NONE, context = 0, wqe = 0, state = 0;
	const struct setting s[] = {
		{ "code", &code }, { "id", &id }, { "source", &src }, { "context", &context },
		{ "wqe", &wqe }, { "qp-state", &state },
	};
	struct nic *n = the_nic(rq);

	if (!n || settings(rq, 2, s, ARRAY_SIZE(s)))
		return rq->err;
	if (!n->rdma)
		return wrong(rq, "%s has no RDMA", n->cfg.name);
	rdma_aeq_post(n->rdma, &(struct aeqe) {
		.code = (u16)code, .id = (u32)id, .src = (u8)src, .context = context,
		.wqe_idx = (u32)wqe, .qp_state = (u8)state,
	});
	return NULL;
}

static const char *rq_impair(struct request *rq)
{
	u64 loss = 0, dup = 0, reorder = 0, corrupt = 0;
	struct wire_impair im = {};
	const struct setting s[] = {
		{ "loss", &loss }, { "dup", &dup }, { "reorder", &reorder },
		{ "corrupt", &corrupt }, { "delay", &im.delay_ns }, { "jitter", &im.jitter_ns },
		{ "drop-nth", &im.drop_nth },
	};
	struct wire_port *port = the_port(rq);

	if (!port || settings(rq, 2, s, ARRAY_SIZE(s)))
		return rq->err;
	if (loss > 1000000 || dup > 1000000 || reorder > 1000000 || corrupt > 1000000)
		return wrong(rq, "a rate has at most 1000000 millionths");
	im.loss_ppm = (u32)loss;
	im.dup_ppm = (u32)dup;
	im.reorder_ppm = (u32)reorder;
	im.corrupt_ppm = (u32)corrupt;
	wire_port_impair(port, &im);
	return NULL;
}

static const char *rq_capture(struct request *rq)
{
	struct wire_port *port = the_port(rq);
	bool off = !strcmp(rq->argv[2], "off");
	int err;

	if (!port)
		return rq->err;
	err = wire_port_capture(port, off ? NULL : rq->argv[2]);
	return err ? wrong(rq, "%s: %s", rq->argv[2], strerror(-err)) : NULL;
}

static const char *rq_quit(struct request *rq)
{
	loop_stop(rq->ctl->loop, 0);
	return NULL;
}

static const char *rq_help(struct request *rq);

/* @min, @max: words, the request's name included. */
static const struct {
	const char *name, *args;
	int min, max;
	const char *(*fn)(struct request *rq);
} requests[] = {
	{ "help", "", 1, 1, rq_help },
	{ "nics", "", 1, 1, rq_nics },
	{ "ports", "", 1, 1, rq_ports },
	{ "kinds", "", 1, 1, rq_kinds },
	{ "counters", "NIC", 2, 2, rq_counters },
	{ "violations", "NIC", 2, 2, rq_violations },
	{ "forgive", "NIC", 2, 2, rq_forgive },
	{ "fault", "NIC SPEC", 3, 3, rq_fault },
	{ "faults", "NIC", 2, 2, rq_faults },
	{ "clear", "NIC", 2, 2, rq_clear },
	{ "clock", "NIC [latency=TIME] [interval=TIME] [rate=PER_SECOND]", 2, WORDS_MAX, rq_clock },
	{ "reset", "NIC", 2, 2, rq_reset },
	{ "link", "NIC|PORT up|down", 3, 3, rq_link },
	{ "remove", "NIC", 2, 2, rq_remove },
	{ "insert", "NIC", 2, 2, rq_insert },
	{ "event", "NIC code=N [id=N] [source=N] [context=N] [wqe=N] [qp-state=N]", 3, WORDS_MAX,
	  rq_event },
	{ "impair", "NIC|PORT [loss=PPM] [dup=PPM] [reorder=PPM] [corrupt=PPM] [delay=TIME] "
		    "[jitter=TIME] [drop-nth=N]", 2, WORDS_MAX, rq_impair },
	{ "capture", "NIC|PORT FILE|off", 3, 3, rq_capture },
	{ "quit", "", 1, 1, rq_quit },
};

static const char *rq_help(struct request *rq)
{
	fputs(", \"requests\": {", rq->out);
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		fprintf(rq->out, "%s\"%s\": ", i ? ", " : "", requests[i].name);
		text_json(rq->out, requests[i].args);
	}
	fputs("}", rq->out);
	return NULL;
}

/* --- one request --- */

static const char *dispatch(struct request *rq)
{
	if (!rq->argc)
		return "empty request";
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		if (strcmp(requests[i].name, rq->argv[0]))
			continue;
		if (rq->argc < requests[i].min || rq->argc > requests[i].max)
			return wrong(rq, "usage: %s %s", requests[i].name, requests[i].args);
		return requests[i].fn(rq);
	}
	return wrong(rq, "there is no request %s; try help", rq->argv[0]);
}

static char *refusal(const char *err)
{
	char *answer = NULL;
	size_t len;
	FILE *out = open_memstream(&answer, &len);

	if (!out)
		return NULL;
	fputs("{\"ok\": false, \"error\": ", out);
	text_json(out, err);
	fputs("}\n", out);
	fclose(out);
	return answer;
}

/* Cuts up @line and does what it says. */
static const char *execute(struct request *rq, char *line)
{
	char *save, *word;

	for (word = strtok_r(line, " \t\r", &save); word; word = strtok_r(NULL, " \t\r", &save)) {
		if (rq->argc == WORDS_MAX)
			return "too many words";
		rq->argv[rq->argc++] = word;
	}
	return dispatch(rq);
}

char *control_request(struct control *ctl, char *line)
{
	struct request rq = { .ctl = ctl };
	const char *err;
	char *answer = NULL;
	size_t len;

	rq.out = open_memstream(&answer, &len);
	if (!rq.out)
		return NULL;
	fputs("{\"ok\": true", rq.out);
	err = execute(&rq, line);
	fputs("}\n", rq.out);
	fclose(rq.out);
	if (!err)
		return answer;
	free(answer);
	return refusal(err);
}

bool control_obey(struct control *ctl, char *line, char *err, size_t err_len)
{
	struct request rq = { .ctl = ctl, .out = fopen("/dev/null", "we") };
	const char *wrong = rq.out ? execute(&rq, line) : strerror(errno);

	if (wrong)
		snprintf(err, err_len, "%s", wrong);
	if (rq.out)
		fclose(rq.out);
	return !wrong;
}

/* --- clients --- */

static void client_free(struct client *c)
{
	struct client **p = &c->ctl->clients;

	while (*p != c)
		p = &(*p)->next;
	*p = c->next;
	loop_fd_del(c->ctl->loop, c->fd);
	close(c->fd);
	free(c);
}

static bool answer_line(struct client *c, char *line)
{
	char *answer = control_request(c->ctl, line);
	size_t len = answer ? strlen(answer) : 0;
	bool ok = answer &&
		  send(c->fd, answer, len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len;

	free(answer);
	return ok;
}

/* Whole lines of the buffer; a line that does not fit ends the connection. */
static bool client_lines(struct client *c)
{
	char *start = c->line, *end;

	while ((end = memchr(start, '\n', c->len - (size_t)(start - c->line)))) {
		*end = 0;
		if (!answer_line(c, start))
			return false;
		start = end + 1;
	}
	c->len -= (u32)(start - c->line);
	memmove(c->line, start, c->len);
	return c->len < sizeof(c->line);
}

static void client_readable(void *arg, u32 events)
{
	struct client *c = arg;
	ssize_t n = recv(c->fd, c->line + c->len, sizeof(c->line) - c->len, MSG_DONTWAIT);

	(void)events;
	if (n > 0) {
		c->len += (u32)n;
		if (client_lines(c))
			return;
	} else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		return;
	}
	client_free(c);
}

static void acceptable(void *arg, u32 events)
{
	struct control *ctl = arg;
	int fd = accept4(ctl->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *c = fd < 0 ? NULL : calloc(1, sizeof(*c));

	(void)events;
	if (c && !loop_fd_add(ctl->loop, fd, EPOLLIN, client_readable, c)) {
		c->ctl = ctl;
		c->fd = fd;
		c->next = ctl->clients;
		ctl->clients = c;
		return;
	}
	free(c);
	if (fd >= 0)
		close(fd);
}

struct control *control_new(struct loop *loop, struct wire *wire, struct nic *nics,
			    const char *path, char *err, size_t err_len)
{
	struct control *ctl = calloc(1, sizeof(*ctl));
	int ret = -ENOMEM;

	if (!ctl)
		goto fail;
	ctl->loop = loop;
	ctl->wire = wire;
	ctl->nics = nics;
	ctl->fd = -1;
	if (!path)
		return ctl;
	ctl->fd = ret = unix_listen(path);
	if (ret < 0)
		goto fail;
	ctl->path = strdup(path);
	ret = ctl->path ? loop_fd_add(loop, ctl->fd, EPOLLIN, acceptable, ctl) : -ENOMEM;
	if (!ret)
		return ctl;
fail:
	snprintf(err, err_len, "%s: %s", path ? path : "control", strerror(-ret));
	control_free(ctl);
	return NULL;
}

void control_free(struct control *ctl)
{
	if (!ctl)
		return;
	while (ctl->clients)
		client_free(ctl->clients);
	if (ctl->fd >= 0) {
		loop_fd_del(ctl->loop, ctl->fd);
		close(ctl->fd);
	}
	if (ctl->path)
		unlink(ctl->path);
	free(ctl->path);
	free(ctl);
}
