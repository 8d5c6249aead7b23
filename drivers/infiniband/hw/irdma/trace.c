// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tracepoints.
 *
 * Copyright (c) 2026 The irdma authors
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
