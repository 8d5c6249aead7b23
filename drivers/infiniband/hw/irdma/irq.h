/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_IRQ_H
#define IRDMA_IRQ_H

#include <linux/types.h>

struct irdma_dev;

/**
 * struct irdma_vector - an interrupt vector that belongs to RDMA
 * @dev: device
 * @irq: Linux interrupt number
 * @idx: number in the function's MSI-X table
 * @ceq_id: CEQ that it serves; the AEQ is served by the vector of CEQ 0
 * @name: for /proc/interrupts
 * @requested: its handler is installed
 */
struct irdma_vector {
	struct irdma_dev *dev;
	int irq;
	u32 idx;
	unsigned int ceq_id;
	char name[32];
	bool requested;
};

int irdma_irq_request(struct irdma_dev *dev, unsigned int n);
void irdma_irq_free(struct irdma_dev *dev, unsigned int n);
void irdma_irq_enable(struct irdma_dev *dev, unsigned int n);

#endif /* IRDMA_IRQ_H */
