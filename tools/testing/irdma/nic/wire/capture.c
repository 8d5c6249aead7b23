// SPDX-License-Identifier: GPL-2.0
/* Captures: a port's frames in a pcap file with nanosecond times. */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <time.h>

#include "switch.h"

#define FLUSH_NS	100000000ull	/* a reader of the file is at most this much behind */

struct capture {
	pcap_t *pcap;
	pcap_dumper_t *dump;
	struct loop_timer flush;
};

static void flush(void *arg)
{
	struct capture *cap = arg;

	pcap_dump_flush(cap->dump);
}

void capture_frame(struct capture *cap, const struct frame *f)
{
	struct pcap_pkthdr hdr = { .caplen = f->len, .len = f->len };
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	hdr.ts.tv_sec = now.tv_sec;
	hdr.ts.tv_usec = now.tv_nsec;	/* the file's precision says which it is */
	pcap_dump((u_char *)cap->dump, &hdr, f->data);
	if (!timer_armed(&cap->flush))
		timer_arm(&cap->flush, FLUSH_NS);
}

void capture_close(struct capture *cap)
{
	timer_cancel(&cap->flush);
	pcap_dump_close(cap->dump);
	pcap_close(cap->pcap);
	free(cap);
}

static int capture_open(struct loop *loop, const char *path, struct capture **out)
{
	struct capture *cap = calloc(1, sizeof(*cap));

	if (!cap)
		return -ENOMEM;
	cap->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, WIRE_FRAME_MAX,
							 PCAP_TSTAMP_PRECISION_NANO);
	if (!cap->pcap) {
		free(cap);
		return -ENOMEM;
	}
	errno = 0;
	cap->dump = pcap_dump_open(cap->pcap, path);
	if (!cap->dump) {
		int err = errno ? -errno : -EIO;

		pcap_close(cap->pcap);
		free(cap);
		return err;
	}
	timer_init(&cap->flush, loop, flush, cap);
	*out = cap;
	return 0;
}

int wire_port_capture(struct wire_port *port, const char *path)
{
	struct capture *cap = NULL;

	if (path) {
		int err = capture_open(port->wire->loop, path, &cap);

		if (err)
			return err;
	}
	if (port->capture)
		capture_close(port->capture);
	port->capture = cap;
	return 0;
}
