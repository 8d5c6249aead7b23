/* SPDX-License-Identifier: GPL-2.0 */
/* Reading and writing the little texts of the command line and the control socket. */
#ifndef NIC_TEXT_H
#define NIC_TEXT_H

#include <stdio.h>

#include "types.h"

/* A number as in C with an optional unit of time (ns, us, ms, s): then nanoseconds. */
bool text_number(const char *s, u64 *val);
/* @s as a JSON string, quotes included. */
void text_json(FILE *out, const char *s);

#endif
