/* SPDX-License-Identifier: GPL-2.0 */
/* The command line. */
#ifndef NIC_OPTIONS_H
#define NIC_OPTIONS_H

#include "nic.h"

#define NICS_MAX	16u
#define PORTS_MAX	16u
#define EXTRAS_MAX	64u

enum transport_kind { TRANSPORT_VFIO_USER, TRANSPORT_VHOST_USER };

struct nic_option {
	struct nic_config cfg;
	enum transport_kind transport;
	char socket[108];
};

/* "NAME=VALUE" or "NAME:VALUE" of a repeated option; the strings are argv's. */
struct pair {
	char name[32];
	const char *value;
};

/**
 * struct options - what was asked for
 * @show: print this and exit; NULL: run
 * @trace, @control: NULL when not given
 * @requests: lines for the control interpreter, which cuts them up; the strings are argv's
 */
struct options {
	enum show { SHOW_NOTHING, SHOW_HELP, SHOW_VERSION, SHOW_VIOLATIONS, SHOW_FAULTS } show;
	u64 seed, awake_us;
	const char *control, *trace;
	u32 areas;
	u32 nic_cnt, port_cnt, capture_cnt, fault_cnt, request_cnt;
	struct nic_option nics[NICS_MAX];
	struct pair ports[PORTS_MAX];
	struct pair captures[EXTRAS_MAX];
	struct pair faults[EXTRAS_MAX];
	char *requests[EXTRAS_MAX];
};

extern const char options_help[];

/* False with a one-line message in @err. */
bool options_parse(struct options *o, int argc, char **argv, char *err, size_t err_len);

#endif
