# SPDX-License-Identifier: GPL-2.0
"""Whether a change of the driver is worth more tests: two machines, each kind of
stream once, and the driver goes and comes."""

from rdma import (NAMES, CPUS, test_device_up, test_read, test_send, test_unload,  # noqa: F401
                  test_write)
