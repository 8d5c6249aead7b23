# SPDX-License-Identifier: GPL-2.0
"""The two ends of a queue pair between machines, which meet over TCP; and groups."""

import ctypes
import json
import random
import socket
import sys
import time

from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.libibverbs_enums import ibv_access_flags, ibv_mtu, ibv_qp_type, ibv_wc_status
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE

MTU = 1024
LIMIT = 600
DEPTH = 16
QKEY = 0x11111111
# A quarter of a second: shorter than what a lost packet may cost, longer than a busy
# guest needs to answer.
ACK_TIMEOUT = 16
ACCESS = (ibv_access_flags.IBV_ACCESS_LOCAL_WRITE |
          ibv_access_flags.IBV_ACCESS_REMOTE_WRITE |
          ibv_access_flags.IBV_ACCESS_REMOTE_READ)
ATOMIC = ibv_access_flags.IBV_ACCESS_REMOTE_ATOMIC
RC, UD = ibv_qp_type.IBV_QPT_RC, ibv_qp_type.IBV_QPT_UD


class End:
    """A queue pair of that kind and a buffer of @size bytes with those rights."""

    def __init__(self, device, gid_index, size, kind=RC, access=ACCESS):
        self.context = Context(name=device)
        self.gid_index, self.access = int(gid_index), access
        self.pd = PD(self.context)
        self.cq = CQ(self.context, 4 * DEPTH)
        self.mr = MR(self.pd, size, access)
        cap = QPCap(max_send_wr=DEPTH, max_recv_wr=DEPTH, max_send_sge=1,
                    max_recv_sge=1)
        self.qp = QP(self.pd, QPInitAttr(qp_type=kind, scq=self.cq, rcq=self.cq, cap=cap))
        self.psn = random.getrandbits(24)

    def card(self):
        """What the peer must know."""
        return {"qpn": self.qp.qp_num, "psn": self.psn, "address": self.mr.buf,
                "rkey": self.mr.rkey,
                "gid": str(self.context.query_gid(1, self.gid_index))}

    def path(self, peer):
        route = GlobalRoute(dgid=GID(peer["gid"]), sgid_index=self.gid_index)
        return AHAttr(gr=route, is_global=1, port_num=1)

    def join(self, peer):
        """Bring the RC queue pair to RTS towards the peer of that card."""
        attr = QPAttr(port_num=1)
        attr.qp_access_flags = self.access
        self.qp.to_init(attr)
        attr.ah_attr = self.path(peer)
        attr.path_mtu = ibv_mtu.IBV_MTU_1024
        attr.dest_qp_num, attr.rq_psn, attr.sq_psn = peer["qpn"], peer["psn"], self.psn
        attr.max_dest_rd_atomic = attr.max_rd_atomic = 4
        attr.min_rnr_timer = 12
        attr.timeout, attr.retry_cnt, attr.rnr_retry = ACK_TIMEOUT, 7, 7
        self.qp.to_rts(attr)

    def join_datagrams(self):
        """Bring the UD queue pair to RTS."""
        attr = QPAttr(port_num=1)
        attr.qkey = QKEY
        self.qp.to_rts(attr)

    def sge(self, offset, length):
        return SGE(self.mr.buf + offset, length, self.mr.lkey)

    def poll_within(self, seconds):
        """The next completion, or None; an error ends the program."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            count, wcs = self.cq.poll(1)
            if count:
                if wcs[0].status != ibv_wc_status.IBV_WC_SUCCESS:
                    sys.exit(f"completion status {wcs[0].status}")
                return wcs[0]
        return None

    def poll(self):
        """The next completion; an error, or none, ends the program."""
        return self.poll_within(LIMIT) or sys.exit(f"no completion in {LIMIT} s")


def group_call(name, qp, group):
    """ibv_attach_mcast() or ibv_detach_mcast(), which pyverbs has not got; errno."""
    call = getattr(ctypes.CDLL("libibverbs.so.1"), name)
    return call(ctypes.c_void_p(int(qp.qp)), ctypes.create_string_buffer(group, 16), 0)


class Meeting:
    """The TCP connection of both programs: one waits at @address, the other comes there."""

    def __init__(self, address, port, waits):
        if waits:
            with socket.create_server((address, int(port))) as server:
                self.sock, _ = server.accept()
        else:
            self.sock = socket.create_connection((address, int(port)), timeout=120)
        self.lines = self.sock.makefile()

    def tell(self, what):
        self.sock.sendall(json.dumps(what).encode() + b"\n")

    def hear(self):
        return json.loads(self.lines.readline())

    def swap(self, what):
        """Tell the other, and hear what it tells: neither goes on alone."""
        self.tell(what)
        return self.hear()
