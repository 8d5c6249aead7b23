/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_DEBUGFS_H
#define IRDMA_DEBUGFS_H

struct irdma_dev;

void irdma_debugfs_add(struct irdma_dev *dev);
void irdma_debugfs_del(struct irdma_dev *dev);
void irdma_debugfs_init(void);
void irdma_debugfs_fini(void);

#endif /* IRDMA_DEBUGFS_H */
