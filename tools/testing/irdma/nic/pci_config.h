/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NIC_PCI_CONFIG_H
#define NIC_PCI_CONFIG_H

#include "types.h"

struct nic;

#define NIC_MSIX_BAR	2u
#define NIC_BAR2_SIZE	0x10000u	/* MSI-X table at 0 */
#define NIC_PBA_OFFSET	0x8000u

/* As after a conventional or function level reset; bus mastering is off. */
void pci_config_reset(struct nic *nic);

#endif
