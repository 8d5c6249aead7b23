// SPDX-License-Identifier: GPL-2.0
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool text_number(const char *s, u64 *val)
{
	static const struct { const char *unit; u64 ns; } units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*val = strtoull(s, &end, 0);
	if (errno)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].unit))
			return !__builtin_mul_overflow(*val, units[i].ns, val);
	return false;
}

void text_json(FILE *out, const char *s)
{
	putc('"', out);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}
