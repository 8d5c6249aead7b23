# SPDX-License-Identifier: GPL-2.0
"""Queues that a program owns whole: it writes the rings and rings the doorbells itself.

Their memory, and that of regions, comes with the create calls.
"""

import ctypes
import glob
import mmap
import os
import struct
import time
from collections import namedtuple

import buffers
from uverbs import TO_INIT, TO_RECEIVE, TO_SEND, Uverbs, address_of

VALID = 1 << 63
SIGNALLED = 1 << 62
WRITE, SEND = 0, 3
QUANTUM = 32
CQE = 64
SQ_DEPTH, RQ_DEPTH, SRQ_DEPTH, CQ_DEPTH = 512, 128, 128, 128
WRS = 64
SQ_BYTES, RQ_BYTES = SQ_DEPTH * QUANTUM, RQ_DEPTH * QUANTUM
# Local write, remote write, remote read.
ACCESS = 1 | 2 | 4
INIT, RTR, RTS = 1, 2, 3


# Of which QP number, whether of its send queue, error code or 0.
Completion = namedtuple("Completion", "qp sent error")


def port_gid(name, index):
    with open(f"/sys/class/infiniband/{name}/ports/1/gids/{index}", encoding="ascii") as gids:
        return bytes.fromhex(gids.read().strip().replace(":", ""))


def connection(state, gid, gid_index, peer):
    """Values of modify_qp that bring an RC queue pair to @state; QP @peer is of this port."""
    if state == INIT:
        return {"state": INIT, "mask": TO_INIT, "port": 1, "access": ACCESS}
    if state == RTR:
        return {"state": RTR, "mask": TO_RECEIVE, "dgid": gid, "sgid": gid_index, "hops": 64,
                "is_global": 1, "dest_port": 1, "mtu": 3, "dest_qp": peer, "max_dest_rd": 1,
                "min_rnr": 12}
    return {"state": RTS, "mask": TO_SEND, "timeout": 14, "retry": 7, "rnr": 7, "max_rd": 1}


class Word:
    """A word of shared memory, written at once."""

    def __init__(self, memory, offset, kind=ctypes.c_uint64):
        self.word = kind.from_buffer(memory, offset)

    def set(self, value):
        self.word.value = value

    def get(self):
        return self.word.value


def put_quantum(memory, offset, words, header):
    """A WQE of one quantum; the header last."""
    for at, word in enumerate(words):
        Word(memory, offset + 8 * at).set(word)
    Word(memory, offset + 24).set(header)


class Ring:
    """Where the next entry goes, and its valid bit; the first turn has it set."""

    def __init__(self, memory, offset, depth, entry):
        self.memory, self.offset, self.depth, self.entry = memory, offset, depth, entry
        self.count = 0

    def next(self):
        at = self.offset + self.count % self.depth * self.entry
        valid = 0 if self.count // self.depth % 2 else VALID
        self.count += 1
        return at, valid


class Device:
    def __init__(self, name, kind):
        path, = (os.path.dirname(path) for path in glob.glob("/sys/class/infiniband_verbs/*/ibdev")
                 if open(path, encoding="ascii").read().strip() == name)
        self.uverbs = Uverbs(f"/dev/infiniband/{os.path.basename(path)}")
        self.kind = buffers.KINDS[kind]
        _, key = self.uverbs.context()
        self.doorbells = mmap.mmap(self.uverbs.fd, mmap.PAGESIZE, offset=key)
        self.pd = self.uverbs.call("alloc_pd")

    def ring_doorbell(self, qp):
        Word(self.doorbells, 0, ctypes.c_uint32).set(qp)


class Region:
    """All of a buffer but its first page; @map begins with that."""

    def __init__(self, device, size):
        self.buffer = device.kind(size + mmap.PAGESIZE)
        self.map = memoryview(self.buffer.map)[mmap.PAGESIZE:]
        if isinstance(self.buffer, buffers.Dmabuf):
            self.iova = 0x5000000
            self.handle = device.uverbs.call(
                "reg_dmabuf_mr", pd=device.pd, length=size, offset=mmap.PAGESIZE, iova=self.iova,
                fd=self.buffer.fd, access=ACCESS)
            self.key = device.uverbs.answer["lkey"]
        else:
            self.iova = address_of(self.buffer.map) + mmap.PAGESIZE
            self.handle = device.uverbs.call("reg_mr", start=self.iova, iova=self.iova, length=size,
                                             pd=device.pd, access=ACCESS)
            self.key = struct.unpack_from("=I", device.uverbs.out, 4)[0]


class Cq:
    def __init__(self, device):
        bytes_of_ring = CQ_DEPTH * CQE
        self.ring_buffer = device.kind(bytes_of_ring)
        self.shadow_buffer = device.kind(mmap.PAGESIZE)
        self.handle = device.uverbs.call(
            "create_cq_attr", cqe=CQ_DEPTH,
            **self.ring_buffer.descriptor("buffer", 0, bytes_of_ring),
            **self.shadow_buffer.descriptor("shadow_buffer", 0, 64))
        self.ring = Ring(self.ring_buffer.map, 0, CQ_DEPTH, CQE)

    def poll(self):
        """The next completion."""
        at, valid = self.ring.next()
        header, end = Word(self.ring.memory, at + 24), time.monotonic() + 60
        while header.get() & VALID != valid:
            if time.monotonic() > end:
                raise SystemExit(f"no completion {self.ring.count} for a minute")
        word = header.get()
        Word(self.shadow_buffer.map, 0).set(self.ring.count % CQ_DEPTH)
        return Completion(Word(self.ring.memory, at + 16).get() >> 32 & 0xffffff,
                          bool(word >> 62 & 1), word & 0xffffffff if word >> 55 & 1 else 0)


class Srq:
    def __init__(self, device):
        size = SRQ_DEPTH * QUANTUM
        self.buffer = device.kind(-(-(size + 64) // mmap.PAGESIZE) * mmap.PAGESIZE)
        self.handle = device.uverbs.call("create_srq_attr", pd=device.pd, wr=WRS, sge=1,
                                         **self.buffer.descriptor("buffer", 0, size + 64))
        self.ring = Ring(self.buffer.map, 0, SRQ_DEPTH, QUANTUM)
        self.shadow = Word(self.buffer.map, size)

    def post(self, region, offset, size):
        at, valid = self.ring.next()
        put_quantum(self.ring.memory, at,
                    (region.iova + offset, region.key | size << 32 | valid, self.ring.count), valid)
        self.shadow.set(self.ring.count % SRQ_DEPTH)


class Qp:
    def __init__(self, device, cq, srq=None):
        size = SQ_BYTES + RQ_BYTES + 64
        self.device = device
        self.buffer = device.kind(-(-size // mmap.PAGESIZE) * mmap.PAGESIZE)
        self.handle = device.uverbs.call(
            "create_qp_attr", pd=device.pd, send_cq=cq.handle, recv_cq=cq.handle, send_wr=WRS,
            recv_wr=WRS, send_sge=1, recv_sge=1, type=2, compl_ctx=0x40,
            **({"srq": srq.handle} if srq else {}), **self.buffer.descriptor("buffer", 0, size))
        self.number = device.uverbs.answer["number"]
        self.sq = Ring(self.buffer.map, 0, SQ_DEPTH, QUANTUM)
        self.rq = Ring(self.buffer.map, SQ_BYTES, RQ_DEPTH, QUANTUM)

    def connect(self, peer, gid, gid_index):
        """Brings it to RTS; @peer is a QP of this port."""
        for state in (INIT, RTR, RTS):
            self.device.uverbs.call("modify_qp", qp=self.handle,
                                    **connection(state, gid, gid_index, peer.number))

    def post_recv(self, region, offset, size):
        at, valid = self.rq.next()
        put_quantum(self.rq.memory, at, (region.iova + offset, region.key | size << 32 | valid, 0),
                    valid)

    def post_send(self, opcode, region, offset, size, remote=(0, 0)):
        at, valid = self.sq.next()
        put_quantum(self.sq.memory, at, (region.iova + offset, region.key | size << 32 | valid,
                                         remote[0]),
                    remote[1] | opcode << 32 | SIGNALLED | valid)
        self.device.ring_doorbell(self.number)
