/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control socket: one request per line, words separated by blanks; one line
 * of JSON in answer, {"ok": true, ...} or {"ok": false, "error": "..."}.
 */
#ifndef NIC_CONTROL_H
#define NIC_CONTROL_H

#include "types.h"

struct control;
struct loop;
struct nic;
struct wire;

/*
 * Listens at the unix socket @path, mode 0600; NULL: nobody can come. @nics: any NIC of the
 * ring, NULL: none. NULL with a message in @err.
 */
struct control *control_new(struct loop *loop, struct wire *wire, struct nic *nics,
			    const char *path, char *err, size_t err_len);
void control_free(struct control *ctl);

/* Executes one request (cut up in place); the answer is malloc()ed. NULL: no memory. */
char *control_request(struct control *ctl, char *line);

/* The same without an answer; false with what is wrong in @err. */
bool control_obey(struct control *ctl, char *line, char *err, size_t err_len);

#endif
