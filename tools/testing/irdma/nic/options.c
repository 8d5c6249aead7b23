// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the command line into struct options. Opens nothing and keeps no state.
 */
#include "options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define RDMA_VECTORS	8u	/* default */
#define LAN_SPARE	2u	/* LAN vectors beyond one per queue pair: mailbox and spare */
#define QUEUES_MAX	64u
#define VF_VECTORS_MAX	65u
#define AWAKE_MAX_US	1000u

const char options_help[] =
"Usage: nic [OPTION]...\n"
"An IPU E2000 function for virtual machines, as a process.\n"
"\n"
"  --nic name=NAME,socket=PATH[,KEY=VALUE...]  add a NIC; may be repeated\n"
"      mac=52:54:00:12:34:56   permanent address (default 52:54:00:1d:bf:N)\n"
"      transport=vfio-user     or vhost-user (User Mode Linux)\n"
"      vf                      8086:145c instead of 8086:1452\n"
"      queues=N                LAN queue pairs, 1 to 64 (default 4)\n"
"      vectors=N               MSI-X entries in all (default queues + 10)\n"
"      no-rdma                 a plain network function\n"
"      no-shortcut             RDMA within the process passes the wire as packets\n"
"      inline                  commands complete before the doorbell store retires\n"
"  --port name=NAME,spec=SPEC  add a port to the wire; SPEC is unix-listen:PATH,\n"
"      unix:PATH, unix-dgram:LOCAL:PEER or udp:LOCALPORT:PEERHOST:PEERPORT\n"
"  --capture NAME=FILE         pcap of all that NIC or port NAME sends and receives\n"
"  --fault NIC:SPEC            set a fault knob, POINT[:KEY],ACTION[=VALUE][,nth=N]\n"
"                              [,count=N]; --faults lists the points\n"
"  --request 'WORD...'         what nicctl would ask, before machines come; may be\n"
"                              repeated: 'impair a loss=1000', 'link b down'\n"
"  --wire-seed N               seed of loss, order and delay on the wire (default 1)\n"
"  --awake US                  after a wait this short, poll as long before sleeping\n"
"                              (default 0: always sleep)\n"
"  --control PATH              unix socket that nicctl talks to\n"
"  --trace FILE                violations and trace lines (default: standard error)\n"
"  --trace-areas A,B,...       pci, reg, mbx, lan, vchnl, cqp, event, roce, wire, all\n"
"  --violations, --faults      list every kind and exit\n"
"  --help, --version\n";

static bool fail(char *err, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool fail(char *err, size_t len, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err, len, fmt, ap);
	va_end(ap);
	return false;
}

static bool number(const char *s, u64 max, u64 *val)
{
	return text_number(s, val) && *val <= max;
}

/* Names appear in JSON, traces and file names. */
static bool good_name(const char *s)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return len && len < 32 && !s[len];
}

static bool parse_mac(const char *s, u8 mac[6])
{
	int n = 0;

	return sscanf(s, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2],
		      &mac[3], &mac[4], &mac[5], &n) == 6 &&
	       !s[n] && !(mac[0] & 1) && (mac[0] | mac[1] | mac[2] | mac[3] | mac[4] | mac[5]);
}

static bool taken(const struct options *o, const char *name)
{
	for (u32 i = 0; i < o->nic_cnt; i++)
		if (!strcmp(o->nics[i].cfg.name, name))
			return true;
	for (u32 i = 0; i < o->port_cnt; i++)
		if (!strcmp(o->ports[i].name, name))
			return true;
	return false;
}

static bool parse_transport(const char *s, enum transport_kind *kind)
{
	if (!strcmp(s, "vfio-user"))
		*kind = TRANSPORT_VFIO_USER;
	else if (!strcmp(s, "vhost-user"))
		*kind = TRANSPORT_VHOST_USER;
	else
		return false;
	return true;
}

/* A word without a value. */
static bool nic_flag(struct nic_option *n, const char *key)
{
	if (!strcmp(key, "vf"))
		n->cfg.vf = true;
	else if (!strcmp(key, "no-rdma"))
		n->cfg.rdma = false;
	else if (!strcmp(key, "no-shortcut"))
		n->cfg.shortcut = false;
	else if (!strcmp(key, "inline"))
		n->cfg.inline_cmds = true;
	else
		return false;
	return true;
}

static bool nic_value(struct nic_option *n, const char *key, const char *val)
{
	u64 num;

	if (!strcmp(key, "name") && good_name(val))
		strcpy(n->cfg.name, val);
	else if (!strcmp(key, "socket") && *val && strlen(val) < sizeof(n->socket))
		strcpy(n->socket, val);
	else if (!strcmp(key, "queues") && number(val, QUEUES_MAX, &num) && num)
		n->cfg.queues = (u16)num;
	else if (!strcmp(key, "vectors") && number(val, NIC_VECTORS_MAX, &num) && num)
		n->cfg.vectors = (u16)num;
	else if (!strcmp(key, "mac"))
		return parse_mac(val, n->cfg.mac);
	else if (!strcmp(key, "transport"))
		return parse_transport(val, &n->transport);
	else
		return false;
	return true;
}

/* Shares the vectors out between the two halves of the function. */
static bool nic_vectors(struct nic_option *n, char *err, size_t err_len)
{
	struct nic_config *c = &n->cfg;
	u32 lan = c->queues + LAN_SPARE, least = lan + (c->rdma ? 2 : 0);
	u32 most = c->vf ? VF_VECTORS_MAX : NIC_VECTORS_MAX;

	if (!c->vectors)
		c->vectors = (u16)(lan + (c->rdma ? RDMA_VECTORS : 0));
	if (c->vectors < least || c->vectors > most)
		return fail(err, err_len, "--nic %s: with %u queues it has %u to %u vectors",
			    c->name, c->queues, least, most);
	c->rdma_vectors = c->rdma ? (u16)(c->vectors - lan) : 0;
	return true;
}

static bool parse_nic(struct options *o, char *arg, char *err, size_t err_len)
{
	struct nic_option *n = &o->nics[o->nic_cnt];
	char *save, *word;

	if (o->nic_cnt == NICS_MAX)
		return fail(err, err_len, "more than %u NICs", NICS_MAX);
	n->cfg = (struct nic_config) {
		.mac = { 0x52, 0x54, 0x00, 0x1d, 0xbf, (u8)(o->nic_cnt + 1) },
		.queues = 4, .shortcut = true, .rdma = true,
	};
	for (word = strtok_r(arg, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		char *val = strchr(word, '=');

		if (val)
			*val++ = 0;
		if (val ? !nic_value(n, word, val) : !nic_flag(n, word))
			return fail(err, err_len, "--nic: bad %s%s%s", word, val ? "=" : "",
				    val ? val : "");
	}
	if (!*n->cfg.name || !*n->socket)
		return fail(err, err_len, "--nic needs name= and socket=");
	if (taken(o, n->cfg.name))
		return fail(err, err_len, "the name %s is taken", n->cfg.name);
	if (!nic_vectors(n, err, err_len))
		return false;
	o->nic_cnt++;
	return true;
}

static bool parse_port(struct options *o, char *arg, char *err, size_t err_len)
{
	struct pair *p = &o->ports[o->port_cnt];
	char *spec = strstr(arg, ",spec=");

	if (o->port_cnt == PORTS_MAX)
		return fail(err, err_len, "more than %u ports", PORTS_MAX);
	if (!spec || strncmp(arg, "name=", 5))
		return fail(err, err_len, "--port needs name=NAME,spec=SPEC");
	*spec = 0;
	arg += 5;
	if (!good_name(arg))
		return fail(err, err_len, "--port: bad name %s", arg);
	if (taken(o, arg))
		return fail(err, err_len, "the name %s is taken", arg);
	strcpy(p->name, arg);
	p->value = spec + 6;
	o->port_cnt++;
	return true;
}

static bool parse_pair(struct pair *list, u32 *cnt, char sep, const char *option, char *arg,
		       char *err, size_t err_len)
{
	char *val = strchr(arg, sep);

	if (*cnt == EXTRAS_MAX)
		return fail(err, err_len, "more than %u %s", EXTRAS_MAX, option);
	if (val)
		*val++ = 0;
	if (!val || !*val || !good_name(arg))
		return fail(err, err_len, "%s: NAME%cVALUE expected", option, sep);
	strcpy(list[*cnt].name, arg);
	list[(*cnt)++].value = val;
	return true;
}

static bool parse_request(struct options *o, char *arg, char *err, size_t err_len)
{
	if (o->request_cnt == EXTRAS_MAX)
		return fail(err, err_len, "more than %u --request", EXTRAS_MAX);
	o->requests[o->request_cnt++] = arg;
	return true;
}

static bool parse_areas(struct options *o, char *arg, char *err, size_t err_len)
{
	char *save, *word;

	for (word = strtok_r(arg, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		u32 bits = !strcmp(word, "all") ? (u32)BIT(T_COUNT) - 1 : 0;

		for (int i = 0; i < T_COUNT; i++)
			if (!strcmp(word, trace_area_names[i]))
				bits = (u32)BIT(i);
		if (!bits)
			return fail(err, err_len, "--trace-areas: there is no area %s", word);
		o->areas |= bits;
	}
	return true;
}

enum { OPT_NIC = 256, OPT_PORT, OPT_SEED, OPT_AWAKE, OPT_CONTROL, OPT_TRACE, OPT_AREAS, OPT_CAPTURE,
       OPT_FAULT, OPT_REQUEST, OPT_SHOW };

static const struct option long_options[] = {
	{ "nic", required_argument, NULL, OPT_NIC },
	{ "port", required_argument, NULL, OPT_PORT },
	{ "wire-seed", required_argument, NULL, OPT_SEED },
	{ "awake", required_argument, NULL, OPT_AWAKE },
	{ "control", required_argument, NULL, OPT_CONTROL },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "trace-areas", required_argument, NULL, OPT_AREAS },
	{ "capture", required_argument, NULL, OPT_CAPTURE },
	{ "fault", required_argument, NULL, OPT_FAULT },
	{ "request", required_argument, NULL, OPT_REQUEST },
	{ "help", no_argument, NULL, OPT_SHOW + SHOW_HELP },
	{ "version", no_argument, NULL, OPT_SHOW + SHOW_VERSION },
	{ "violations", no_argument, NULL, OPT_SHOW + SHOW_VIOLATIONS },
	{ "faults", no_argument, NULL, OPT_SHOW + SHOW_FAULTS },
	{}
};

static bool parse_one(struct options *o, int opt, char *arg, char *err, size_t err_len)
{
	switch (opt) {
	case OPT_NIC:
		return parse_nic(o, arg, err, err_len);
	case OPT_PORT:
		return parse_port(o, arg, err, err_len);
	case OPT_SEED:
		return number(arg, UINT64_MAX, &o->seed) ||
		       fail(err, err_len, "--wire-seed: %s is no number", arg);
	case OPT_AWAKE:
		return number(arg, AWAKE_MAX_US, &o->awake_us) ||
		       fail(err, err_len, "--awake: %s is not 0 to %u", arg, AWAKE_MAX_US);
	case OPT_CONTROL:
		o->control = arg;
		return true;
	case OPT_TRACE:
		o->trace = arg;
		return true;
	case OPT_AREAS:
		return parse_areas(o, arg, err, err_len);
	case OPT_CAPTURE:
		return parse_pair(o->captures, &o->capture_cnt, '=', "--capture", arg, err,
				  err_len);
	case OPT_FAULT:
		return parse_pair(o->faults, &o->fault_cnt, ':', "--fault", arg, err, err_len);
	case OPT_REQUEST:
		return parse_request(o, arg, err, err_len);
	default:
		o->show = (enum show)(opt - OPT_SHOW);
		return true;
	}
}

bool options_parse(struct options *o, int argc, char **argv, char *err, size_t err_len)
{
	int opt;

	memset(o, 0, sizeof(*o));
	o->seed = 1;
	opterr = 0;
	optind = 0;	/* glibc: start anew */
	while ((opt = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (opt == '?')
			return fail(err, err_len, "%s: no such option, or its value is missing",
				    argv[optind - 1]);
		if (!parse_one(o, opt, optarg, err, err_len))
			return false;
	}
	if (optind < argc)
		return fail(err, err_len, "%s: not an option", argv[optind]);
	if (!o->nic_cnt && !o->port_cnt && !o->show)
		return fail(err, err_len, "there is no --nic");
	return true;
}
