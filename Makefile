# SPDX-License-Identifier: GPL-2.0
ifneq ($(KERNELRELEASE),)
obj-$(CONFIG_INFINIBAND_IRDMA) += drivers/infiniband/hw/irdma/
else
# The front door. Everything is done by tools/testing/irdma/Makefile.
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
%:
	@$(MAKE) -C tools/testing/irdma $@
Makefile: ;
endif
