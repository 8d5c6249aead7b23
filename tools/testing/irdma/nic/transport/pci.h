/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a machine's PCI host does for a function: BAR sizing, the MSI-X table,
 * its masks and pending bits. Behind vfio-user QEMU does all this; a transport
 * that carries bare PCI accesses puts this layer in front of the NIC.
 */
#ifndef NIC_PCI_H
#define NIC_PCI_H

#include "../types.h"

struct nic;
struct pci_func;

/* An MSI-X message goes out: the guest wrote @addr and @data into the table. */
typedef void pci_msi_fn(void *arg, u64 addr, u32 data);

/* State after power-on. NULL on allocation failure. */
struct pci_func *pci_func_new(struct nic *nic, pci_msi_fn *msi, void *arg);
void pci_func_free(struct pci_func *func);
void pci_func_reset(struct pci_func *func);

/* Like nic_config_*() and nic_bar_*(), which serve what this layer does not. */
void pci_func_config_read(struct pci_func *func, u32 offset, void *buf, u32 len);
void pci_func_config_write(struct pci_func *func, u32 offset, const void *buf, u32 len);
void pci_func_bar_read(struct pci_func *func, u32 bar, u64 offset, void *buf, u32 len);
void pci_func_bar_write(struct pci_func *func, u32 bar, u64 offset, const void *buf, u32 len);

/*
 * Sends MSI-X entry @vec, or remembers it until it is unmasked. Without effect
 * while MSI-X is disabled or when there is no such entry.
 */
void pci_func_raise(struct pci_func *func, u32 vec);

#endif
