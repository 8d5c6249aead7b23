/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_RESET_H
#define IRDMA_RESET_H

#include <linux/completion.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct irdma_dev;

/**
 * enum irdma_life_state - the function's life; it only moves down this list
 * @IRDMA_LIFE_RUNNING: commands are accepted
 * @IRDMA_LIFE_FAILED: the driver gave the device up and has asked for a reset
 * @IRDMA_LIFE_RESETTING: the LAN driver is about to reset the function
 * @IRDMA_LIFE_GONE: the device does not answer on PCI
 */
enum irdma_life_state {
	IRDMA_LIFE_RUNNING,
	IRDMA_LIFE_FAILED,
	IRDMA_LIFE_RESETTING,
	IRDMA_LIFE_GONE,
};

/**
 * struct irdma_life - state and the reset request
 * @state: enum irdma_life_state; written by cmpxchg only, read without a lock: whoever
 *	acts on a stale value finds the command queue stopped
 * @up: the function was brought up: only then a reset can help
 * @stopped: the engine was stopped, or could not be
 * @wq: for @quiesce: LAN drivers wait for it from queues that help to free memory
 * @quiesce: stops the engine and, after a failure, asks the LAN driver for a reset
 */
struct irdma_life {
	int state;
	bool up;
	struct completion stopped;
	struct workqueue_struct *wq;
	struct work_struct quiesce;
};

int irdma_life_init(struct irdma_dev *dev);
void irdma_life_fini(struct irdma_dev *dev);
bool irdma_life_running(const struct irdma_dev *dev);
bool irdma_life_begin(struct irdma_dev *dev);
void irdma_life_end(struct irdma_dev *dev);
void irdma_life_settle(struct irdma_dev *dev);
int irdma_life_err(const struct irdma_dev *dev);
void irdma_life_fail(struct irdma_dev *dev, const char *why);
void irdma_life_warn(struct irdma_dev *dev);
void irdma_life_forfeit(struct irdma_dev *dev, int err);
int irdma_life_destroy_err(struct irdma_dev *dev, int err);

#endif /* IRDMA_RESET_H */
