// SPDX-License-Identifier: GPL-2.0
/*
 * The program: one wire, the NICs and ports of the command line on it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "control.h"
#include "faults.h"
#include "loop.h"
#include "nic.h"
#include "options.h"
#include "transport/vfio_user.h"
#include "transport/vhost_user.h"
#include "wire/wire.h"

struct program {
	const struct options *opt;
	struct loop *loop;
	struct trace *trace;
	struct wire *wire;
	struct control *control;
	struct nic *nics[NICS_MAX];
	void *plugs[NICS_MAX];		/* the NICs' transports */
	int signals;
	int status;			/* that it ends with */
	char err[256];
};

/* --- transports --- */

static void *vfio_user_plug(struct nic *nic, const char *path, char *err, size_t err_len)
{
	return vfio_user_new(nic, path, err, err_len);
}

static void vfio_user_unplug(void *plug)
{
	vfio_user_free(plug);
}

static void *vhost_user_plug(struct nic *nic, const char *path, char *err, size_t err_len)
{
	return vhost_user_new(nic, path, err, err_len);
}

static void vhost_user_unplug(void *plug)
{
	vhost_user_free(plug);
}

static const struct {
	void *(*plug)(struct nic *nic, const char *path, char *err, size_t err_len);
	void (*unplug)(void *plug);
} transports[] = {
	[TRANSPORT_VFIO_USER] = { vfio_user_plug, vfio_user_unplug },
	[TRANSPORT_VHOST_USER] = { vhost_user_plug, vhost_user_unplug },
};

/* --- signals --- */

/*
 * The machine shrank the file behind its memory. The page reads as zeros from now on:
 * the other machines of this process shall not notice.
 */
static void memory_gone(int sig, siginfo_t *info, void *context)
{
	void *page = (void *)((uintptr_t)info->si_addr & ~(uintptr_t)0xfff);

	(void)context;
	if (info->si_code == BUS_ADRERR &&
	    mmap(page, 0x1000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) == page)
		return;
	signal(sig, SIG_DFL);
}

static void stop(void *arg, u32 events)
{
	struct program *p = arg;

	(void)events;
	loop_stop(p->loop, 0);
}

static bool catch_signals(struct program *p)
{
	struct sigaction bus = { .sa_sigaction = memory_gone, .sa_flags = SA_SIGINFO };
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGBUS, &bus, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	p->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return p->signals >= 0 && !loop_fd_add(p->loop, p->signals, EPOLLIN, stop, p);
}

/* --- from nothing to a wire with NICs --- */

static bool failed(struct program *p, const char *what)
{
	snprintf(p->err, sizeof(p->err), "%s: %s", what, strerror(errno));
	return false;
}

static bool start_base(struct program *p)
{
	p->loop = loop_new();
	if (!p->loop || !catch_signals(p))
		return failed(p, "event loop");
	loop_stay_awake(p->loop, 1000 * p->opt->awake_us);
	p->trace = trace_new(p->opt->trace, p->opt->areas);
	if (!p->trace)
		return failed(p, p->opt->trace);
	p->wire = wire_new(p->loop, p->opt->seed);
	return p->wire || failed(p, "wire");
}

static bool start_nic(struct program *p, u32 i)
{
	const struct nic_option *n = &p->opt->nics[i];

	p->nics[i] = nic_new(&n->cfg, p->loop, p->wire, p->trace);
	if (!p->nics[i]) {
		errno = ENOMEM;
		return failed(p, n->cfg.name);
	}
	if (i)
		nic_join(p->nics[i], p->nics[0]);
	p->plugs[i] = transports[n->transport].plug(p->nics[i], n->socket, p->err, sizeof(p->err));
	return p->plugs[i];
}

static struct nic *find_nic(struct program *p, const char *name)
{
	for (u32 i = 0; i < p->opt->nic_cnt; i++)
		if (!strcmp(p->nics[i]->cfg.name, name))
			return p->nics[i];
	snprintf(p->err, sizeof(p->err), "there is no NIC %s", name);
	return NULL;
}

static bool start_capture(struct program *p, const struct pair *c)
{
	struct wire_port *port = wire_port_find(p->wire, c->name);
	int err;

	if (!port) {
		snprintf(p->err, sizeof(p->err), "there is no NIC or port %s", c->name);
		return false;
	}
	err = wire_port_capture(port, c->value);
	errno = -err;
	return !err || failed(p, c->value);
}

static bool start_control(struct program *p)
{
	const struct options *o = p->opt;
	char why[200];

	p->control = control_new(p->loop, p->wire, p->nics[0], o->control, p->err,
				 sizeof(p->err));
	if (!p->control)
		return false;
	for (u32 i = 0; i < o->request_cnt; i++) {
		if (control_obey(p->control, o->requests[i], why, sizeof(why)))
			continue;
		/* Its first word is left of the request. */
		snprintf(p->err, sizeof(p->err), "--request %.32s: %s", o->requests[i], why);
		p->status = 2;
		return false;
	}
	return true;
}

static bool start(struct program *p)
{
	const struct options *o = p->opt;

	if (!start_base(p))
		return false;
	for (u32 i = 0; i < o->nic_cnt; i++)
		if (!start_nic(p, i))
			return false;
	for (u32 i = 0; i < o->port_cnt; i++)
		if (!wire_socket_port_new(p->wire, o->ports[i].name, o->ports[i].value, p->err,
					  sizeof(p->err)))
			return false;
	for (u32 i = 0; i < o->capture_cnt; i++)
		if (!start_capture(p, &o->captures[i]))
			return false;
	for (u32 i = 0; i < o->fault_cnt; i++) {
		struct nic *nic = find_nic(p, o->faults[i].name);

		if (!nic || fault_add(nic->faults, o->faults[i].value, p->err, sizeof(p->err)))
			return false;
	}
	return start_control(p);
}

static void finish(struct program *p)
{
	control_free(p->control);
	for (u32 i = 0; i < p->opt->nic_cnt; i++) {
		if (p->plugs[i])
			transports[p->opt->nics[i].transport].unplug(p->plugs[i]);
		nic_free(p->nics[i]);
	}
	wire_free(p->wire);
	trace_free(p->trace);
	if (p->signals > 0)
		close(p->signals);
	loop_free(p->loop);
}

static int run(const struct options *o)
{
	struct program p = { .opt = o, .signals = -1, .status = 1 };

	if (start(&p))
		p.status = loop_run(p.loop);
	else
		fprintf(stderr, "nic: %s\n", p.err);
	finish(&p);
	return p.status;
}

static void show_table(const char *const *names, const char *const *texts, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		printf("%-26s %s\n", names[i], texts[i]);
}

int main(int argc, char **argv)
{
	static struct options o;
	char err[256];

	if (!options_parse(&o, argc, argv, err, sizeof(err))) {
		fprintf(stderr, "nic: %s\nTry 'nic --help'.\n", err);
		return 2;
	}
	switch (o.show) {
	case SHOW_HELP:
		fputs(options_help, stdout);
		return 0;
	case SHOW_VERSION:
		puts("nic " NIC_VERSION);
		return 0;
	case SHOW_VIOLATIONS:
		show_table(violation_names, violation_rules, V_COUNT);
		return 0;
	case SHOW_FAULTS:
		show_table(fault_point_names, fault_point_texts, F_COUNT);
		return 0;
	case SHOW_NOTHING:
		break;
	}
	return run(&o);
}
