// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Access flags of the verbs to access rights of the device. A pure function,
 * to be called in any context.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/errno.h>
#include <rdma/ib_verbs.h>

#include "hw_cqp.h"
#include "mr_access.h"

#define IRDMA_MR_ACCESS_FLAGS	(IB_ACCESS_LOCAL_WRITE |		\
				 IB_ACCESS_REMOTE_READ |		\
				 IB_ACCESS_REMOTE_WRITE |		\
				 IB_ACCESS_REMOTE_ATOMIC |		\
				 IB_ACCESS_MW_BIND |			\
				 IB_ZERO_BASED |			\
				 IB_ACCESS_HUGETLB |			\
				 IB_ACCESS_OPTIONAL)
#define IRDMA_MR_REMOTE_CHANGES	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

/**
 * irdma_get_mr_access - rights for the access flags of a region or window
 * @flags: mask of enum ib_access_flags
 * @atomics: the device does remote atomics
 * @access: set as a whole on success only
 *
 * A region can always be read locally. Rights include what they are worth
 * nothing without: a remote write needs the local one. Flags that the core
 * calls optional, and the hint that the memory is of huge pages, are ignored.
 *
 * Context: Any context.
 * Return: 0; -EINVAL when remote changes are allowed but local ones are not;
 * -EOPNOTSUPP when a flag is not known or the device cannot do it.
 */
int irdma_get_mr_access(int flags, bool atomics, struct irdma_mr_access *access)
{
	u8 rights = IRDMA_RIGHT_LOCAL_READ;

	if (flags & ~IRDMA_MR_ACCESS_FLAGS ||
	    (flags & IB_ACCESS_REMOTE_ATOMIC && !atomics))
		return -EOPNOTSUPP;
	if (flags & IRDMA_MR_REMOTE_CHANGES && !(flags & IB_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if (flags & IB_ACCESS_LOCAL_WRITE)
		rights |= IRDMA_RIGHT_LOCAL_WRITE;
	if (flags & IB_ACCESS_REMOTE_READ)
		rights |= IRDMA_RIGHT_REMOTE_READ;
	if (flags & IB_ACCESS_REMOTE_WRITE)
		rights |= IRDMA_RIGHT_REMOTE_WRITE;
	if (flags & IB_ACCESS_MW_BIND)
		rights |= IRDMA_RIGHT_BIND;
	*access = (struct irdma_mr_access){
		.rights = rights,
		.atomic = flags & IB_ACCESS_REMOTE_ATOMIC,
		.zero_based = flags & IB_ZERO_BASED,
	};
	return 0;
}
