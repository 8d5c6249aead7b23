/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_IF_IDPF_H
#define IRDMA_IF_IDPF_H

int irdma_idpf_register(void);
void irdma_idpf_unregister(void);

#endif /* IRDMA_IF_IDPF_H */
