# SPDX-License-Identifier: GPL-2.0
"""Calls of uverbs.py that succeed: objects of each kind, and values that name them."""

import os
import subprocess

import buffers
from queues import INIT, RTR, RTS, connection, port_gid
from uverbs import DMABUF, PAGE, RING_PAGE, Uverbs

UD = 4
GROUP = (0xffffef010088).to_bytes(16, "big")
BUFFER_BYTES = 16 * RING_PAGE
# What the queues of good() need.
NEEDED = {"cq_bytes": RING_PAGE, "shadow_bytes": 64, "qp_bytes": 10 * RING_PAGE + 64,
          "srq_bytes": RING_PAGE + 64}


class World:
    """Good objects, so that one thing at a time is bad.

    @device as in /dev/infiniband; @how as of Uverbs.open()
    """

    def __init__(self, device, **how):
        self.path = f"/dev/infiniband/{device}"
        self.uverbs = uverbs = Uverbs(self.path)
        self.limits, self.doorbells = uverbs.context(**how)
        self.dmabuf = buffers.Heap(BUFFER_BYTES)
        self.file = os.open("/dev/null", os.O_RDONLY)
        self.gid, self.gid_index = self.port(device)
        self.limits |= {"dmabuf_bytes": BUFFER_BYTES, "file": self.file, "road": DMABUF} | NEEDED
        self.pages = self.tried = 0
        self.rings = []	# memory's handles
        self.pd = uverbs.call("alloc_pd")
        self.cq = uverbs.call("create_cq", **self.good("create_cq"))
        self.srq = uverbs.call("create_srq", **self.good("create_srq"))
        self.mr = uverbs.call("reg_mr", **self.good("reg_mr"))

    def ring(self, kind, pages, **divided):
        """Registers @pages ring pages of their own; returns their address."""
        start = self.uverbs.address + self.pages * PAGE
        self.pages += -(-pages * RING_PAGE // PAGE)
        self.rings.append(self.uverbs.call(
            "reg_mr", start=start, iova=start, length=pages * RING_PAGE, pd=self.pd, access=1,
            reg_type=kind, **divided))
        return start

    def close(self):
        self.uverbs.close()
        self.dmabuf.close()
        os.close(self.file)

    def buffer(self, name, need):
        """A descriptor of memory of the road that is being tried."""
        road = self.limits["road"]
        return {f"{name}_type": road, f"{name}_length": self.limits[need]} | (
            {f"{name}_fd": self.dmabuf.fd} if road == DMABUF else
            {f"{name}_addr": self.uverbs.address})

    def queue_pair(self, *states):
        """A queue pair that was moved to each of @states."""
        made = {"qp": self.uverbs.call("create_qp", **self.good("create_qp"))}
        for state in states:
            self.uverbs.call("modify_qp", **made, **self.step(state))
        return made

    def step(self, state):
        return connection(state, self.gid, self.gid_index, 7)

    def port(self, device):
        """The last GID of the port and its index; what the port is limited to."""
        with open(f"/sys/class/infiniband_verbs/{device}/ibdev", encoding="ascii") as file:
            name = file.read().strip()
        count = 0
        while any(port_gid(name, count)):
            count += 1
        told = subprocess.run(["ibv_devinfo", "-v", "-d", name], capture_output=True, text=True,
                              check=True).stdout.split()
        entries = len(os.listdir(f"/sys/class/infiniband/{name}/ports/1/gids"))
        self.limits |= {"gids": count, "gid_entries": entries,
                        "reads": int(told[told.index("max_qp_init_rd_atom:") + 1]),
                        "read_responses": int(told[told.index("max_qp_rd_atom:") + 1])}
        return port_gid(name, count - 1), count - 1

    def good(self, name):
        """Values with which command or method @name succeeds; what is not named is 0."""
        return getattr(self, "good_" + name.removeprefix("ex_"), dict)()

    def good_region(self):
        """What names memory by its address."""
        start = self.uverbs.address
        return {"pd": self.pd, "start": start, "iova": start, "length": RING_PAGE, "access": 1}

    good_reg_mr = good_reg_mr_attr = good_region

    def good_rereg_mr(self):
        return self.good_region() | {"mr": self.mr, "flags": 7}

    def good_reg_dmabuf_mr(self):
        return {"pd": self.pd, "length": RING_PAGE, "fd": self.dmabuf.fd, "access": 1}

    def good_query_port(self):
        return {"port": 1}

    def good_query_qp(self):
        return self.queue_pair(INIT)

    def good_query_srq(self):
        return {"srq": self.srq}

    def good_alloc_mw(self):
        return {"pd": self.pd, "type": 2}

    def good_create_cq(self):
        return {"cqe": 64, "channel": -1, "ring": self.ring(2, 1, cq_pages=1),
                "shadow": self.ring(2, 1, cq_pages=1)}

    def good_create_cq_attr(self):
        return {"cqe": 64} | self.buffer("buffer", "cq_bytes") | self.buffer(
            "shadow_buffer", "shadow_bytes")

    def good_resize_cq(self):
        return {"cq": self.cq, "cqe": 32, "ring": self.ring(2, 1, cq_pages=1)}

    def good_create_srq(self):
        return {"pd": self.pd, "wr": 64, "sge": 1, "ring": self.ring(3, 3, rq_pages=2)}

    good_create_xsrq = good_create_srq

    def good_create_srq_attr(self):
        return {"pd": self.pd, "wr": 64, "sge": 1} | self.buffer("buffer", "srq_bytes")

    def good_modify_srq(self):
        return {"srq": self.srq, "mask": 2, "limit": 1}

    def good_create_ah(self):
        return {"pd": self.pd, "dgid": self.gid, "sgid": self.gid_index, "hops": 64,
                "is_global": 1, "dest_port": 1}

    def good_attach_mcast(self):
        return {"gid": GROUP, "qp": self.uverbs.call("create_qp", **self.good("create_qp") |
                                                     {"type": UD})}

    def good_detach_mcast(self):
        values = self.good("attach_mcast")
        self.uverbs.call("attach_mcast", **values)
        return values

    def queues(self):
        """What every new queue pair names."""
        return {"pd": self.pd, "send_cq": self.cq, "recv_cq": self.cq, "send_wr": 128,
                "recv_wr": 128, "send_sge": 1, "recv_sge": 1, "type": 2}

    def good_create_qp(self):
        return self.queues() | {"ring": self.ring(1, 11, sq_pages=8, rq_pages=2)}

    def good_create_qp_attr(self):
        return self.queues() | self.buffer("buffer", "qp_bytes")

    def good_modify_qp(self):
        return self.queue_pair(INIT) | self.step(RTR)

    def good_modify_qp_send(self):
        return self.queue_pair(INIT, RTR) | self.step(RTS)
