# SPDX-License-Identifier: GPL-2.0
"""The uverbs commands that reach the RDMA driver: what they carry, and calling them.

COMMANDS are written to the device file, the extended ones with their driver's part apart;
METHODS are ioctls. CLOSED are commands that must not reach the driver. Each is described by its
fields, and each field by its kind: the values that must be refused, and with what. A
program that needs good calls names the fields that differ from 0.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import struct
from collections import namedtuple

PAGE = mmap.PAGESIZE
RING_PAGE = 4096
AREA_PAGES = 128
NOWHERE = 0x7fffffff0000
HEADER = struct.Struct("=IHH")
# Of extended commands: address of the answer, quadwords of the driver's input and answer.
EXTENDED_HEADER = struct.Struct("=QHH4x")
EXTENDED = 1 << 31
IOCTL_HEADER = struct.Struct("=HHHHQII")
IOCTL_ATTR = struct.Struct("=HHHHQ")
RDMA_VERBS_IOCTL = 0xc0181b01
DRIVER_ID = 9
MANDATORY = 1
UHW_IN, UHW_OUT = 0x1000, 0x1001
# What a context is opened with, and bytes of the driver's answer: all, and of old.
ABI_VERSIONS = 4, 5
ABI_VERSION = 5
RAW_ATTR, WQE_FORMAT = 1 << 0, 1 << 3
CONTEXT_ANSWER, OLD_CONTEXT_ANSWER = 80, 16
# Types of struct ib_uverbs_buffer_desc.
DMABUF, ADDRESS = 0, 1

# name, struct code, kind; a kind is a function of the limits that yields (value, errno).
Field = namedtuple("Field", "name code kind")
# number; fields of the core and of the driver; bytes of the core's answer, and those that
# the driver's answer needs at least; command that undoes it, with the answer's handle.
Command = namedtuple("Command", "number fields driver answer driver_answer undo")
# id, fields, way (NEW, OBJECT, IN, OUT), needed: else it is sent when a field of it is named.
Attr = namedtuple("Attr", "id fields way needed")
# object, method, attributes; the rest as in Command.
Method = namedtuple("Method", "object method attrs driver driver_answer undo")

NEW, OBJECT, IN, OUT = range(4)


def any_value(_limits):
    return ()


def handle(_limits):
    return ((value, errno.ENOENT) for value in (0xffff, 0x7fffffff, 0xffffffff))


def between(low, high, code=errno.EINVAL):
    """A 32-bit number from @low to @high, names of limits or numbers."""
    def values(limits):
        top = limits.get(high, high)
        yield from ((value, code) for value in (top + 1, 2 * top + 2, 1 << 31,
                                                0xffffff00, 0xffffffff) if value > top)
        yield from ((value, code) for value in range(limits.get(low, low)))
    return values


def one_of(*good, code):
    return lambda _limits: ((value, code) for value in range(256) if value not in good)


def queue_pair_type(_limits):
    """Offered are RC and UD; the core knows others, of which it lets some pass."""
    known = (3, 8, 9, 255)
    return ((value, errno.EOPNOTSUPP if value in known else errno.EINVAL)
            for value in range(256) if value not in (2, 4))


def length(_limits):
    return ((value, errno.EINVAL)
            for value in (0, (1 << 46) + 1, 1 << 47, 1 << 63, (1 << 64) - RING_PAGE,
                          (1 << 64) - 1))


def user_address(_limits):
    return ((0, errno.EFAULT), (NOWHERE, errno.EFAULT))


def same_offset(limits):
    """Must lie in its page as the address does."""
    return ((limits["area"] + offset, errno.EINVAL) for offset in (1, 64, RING_PAGE - 1))


def ring(code):
    """Address of registered ring memory."""
    def values(limits):
        base = limits["area"]
        return ((value, code) for value in (1, base + 1, base + RING_PAGE * 40, NOWHERE,
                                            (1 << 64) - RING_PAGE, (1 << 64) - 1))
    return lambda limits: ((0, code), *values(limits))


def no_address(limits):
    """Memory by address beside that of an attribute."""
    return ((value, errno.EINVAL) for value in (1, limits["area"], (1 << 64) - 1))


def mask(good, code):
    return lambda _limits: ((1 << bit, code) for bit in range(32) if not good >> bit & 1)


def descriptor(name, number, need):
    """Attribute with a struct ib_uverbs_buffer_desc; limit @need is how long it must be."""
    def start(limits):
        top = limits["dmabuf_bytes"] if limits["road"] == DMABUF else (1 << 64)
        first = 0 if limits["road"] == DMABUF else limits["area"]
        yield from ((first + offset, errno.EINVAL) for offset in (1, 64, RING_PAGE - 1))
        yield from ((value, errno.EINVAL) for value in (top - RING_PAGE + 64, (1 << 64) - 1))
        if limits["road"] == ADDRESS:
            yield from user_address(limits)

    def bytes_of_it(limits):
        yield limits[need] - 1, errno.EINVAL
        yield from length(limits)
        if limits["road"] == DMABUF:
            yield limits["dmabuf_bytes"] + 1, errno.EINVAL

    def file(limits):
        if limits["road"] == DMABUF:
            yield from ((-1, errno.EBADF), (9999, errno.EBADF), (limits["file"], errno.EINVAL))

    return Attr(number, [
        Field(f"{name}_type", "I", lambda _limits: ((2, errno.EINVAL), (1 << 31, errno.EINVAL))),
        Field(f"{name}_fd", "i", file), Field(f"{name}_flags", "I", mask(0, errno.EINVAL)),
        Field(f"{name}_optional", "I", any_value), Field(f"{name}_addr", "Q", start),
        Field(f"{name}_length", "Q", bytes_of_it)], IN, False)


def other_memory(name, number):
    """A descriptor of good memory, which is not offered there."""
    def values(limits):
        yield struct.pack("=IiIIQQ", ADDRESS, 0, 0, 0, limits["area"],
                          limits["qp_bytes"]), errno.EOPNOTSUPP
    return takes(name, number, "32s", values, False)


def new(number=0):
    return Attr(number, [Field("handle", "I", any_value)], NEW, True)


def uses(name, number, needed=True):
    return Attr(number, [Field(name, "I", handle)], OBJECT, needed)


def takes(name, number, code, kind, needed=True):
    return Attr(number, [Field(name, code, kind)], IN, needed)


def gives(name, number, code, needed=True):
    return Attr(number, [Field(name, code, any_value)], OUT, needed)


def byte_up_to(high, low=0):
    return lambda _limits: ((value, errno.EINVAL) for value in range(256)
                            if not low <= value <= high)


def needs_each(bits, allowed, not_offered=0):
    """A mask that needs all of @bits, may have those of @allowed, and no others."""
    not_offered |= ~0x1fffff

    def values(_limits):
        for bit in (1 << number for number in range(32)):
            if bit & bits:
                yield bits & ~bit, errno.EINVAL
            elif not bit & allowed:
                yield bits | bit, errno.EOPNOTSUPP if bit & not_offered else errno.EINVAL
    return values


def above(name, code=errno.EINVAL):
    """A byte that is at most limit @name."""
    return lambda limits: ((value, code) for value in range(limits[name] + 1, 256))


def gid_index(limits):
    """An entry of the table without a GID, or no entry."""
    return ((value, errno.ENODATA if value < limits["gid_entries"] else errno.EINVAL)
            for value in range(limits["gids"], 256))


ROUTE = {"sgid": gid_index, "is_global": lambda _limits: ((0, errno.EINVAL),),
         "dest_port": byte_up_to(1, 1)}


# A group that nobody joins.
STRANGER = (0xffffef010099).to_bytes(16, "big")


def not_a_group(_limits):
    return ((value, errno.EINVAL) for value in (bytes(16), b"\xfe\x80" + bytes(14)))


def fields(names, kinds):
    """Fields from "name:code ..."; those that are not in @kinds take any value."""
    return [Field(name, code, kinds.get(name, any_value))
            for name, code in (entry.split(":") for entry in names.split())]


def modify_qp(**kinds):
    vector = "dgid:16s flow:I dlid:H unused:H sgid:B hops:B class:B sl:B path_bits:B rate:B " \
             "is_global:B dest_port:B"
    other = " ".join("alt_" + name for name in vector.split())
    return Command(26, fields(
        f"{vector} {other} qp:I mask:I qkey:I rq_psn:I sq_psn:I dest_qp:I access:I pkey:H "
        "alt_pkey:H state:B current:B mtu:B migration:B notify:B max_rd:B max_dest_rd:B min_rnr:B "
        "port:B timeout:B retry:B rnr:B alt_port:B alt_timeout:B reserved:2s", {"qp": handle} |
        kinds), [], 0, 0, None)


DRIVER_MR = [Field("reg_type", "H", one_of(0, 1, 2, 3, code=errno.EINVAL)),
             Field("cq_pages", "H", any_value), Field("rq_pages", "H", any_value),
             Field("sq_pages", "H", any_value)]
# Of commands that make something: what was made must go again.
RESPONSE = Field("response", "Q", lambda _limits: ((NOWHERE, errno.EFAULT),))
ANSWER = Field("response", "Q", any_value)
COOKIE = Field("user_handle", "Q", any_value)

# Attributes that a queue pair needs and may be given on its way to RTS.
TO_INIT = 0x39
TO_RECEIVE, MAY_RECEIVE = 0x129181, 0x18
TO_SEND, MAY_SEND = 0x012e01, 0x8008
MIGRATION = 1 << 18

# What the core lets pass to the driver.
QP_CREATE_KNOWN = 0xf1e

COMMANDS = {
    "query_device": Command(1, [RESPONSE], [], 176, 0, None),
    "query_port": Command(2, [RESPONSE] + fields("port:B reserved:7s", {"port": byte_up_to(1, 1)}),
                          [], 40, 0, None),
    "alloc_pd": Command(3, [RESPONSE], [], 4, 8, "dealloc_pd"),
    "dealloc_pd": Command(4, [Field("pd", "I", handle)], [], 0, 0, None),
    "reg_mr": Command(9, [
        RESPONSE, Field("start", "Q", user_address), Field("length", "Q", length),
        Field("iova", "Q", same_offset), Field("pd", "I", handle),
        # Remote write and atomics need local write; flush, ODP and unknown rights are
        # not offered; the upper ones are optional.
        Field("access", "I", lambda _limits: (
            (2, errno.EINVAL), (8, errno.EINVAL), (0x40, errno.EOPNOTSUPP),
            (0x100, errno.EOPNOTSUPP), (0x200, errno.EOPNOTSUPP), (1 << 31, errno.EINVAL))),
    ], DRIVER_MR, 12, 0, "dereg_mr"),
    "rereg_mr": Command(11, [
        ANSWER, Field("mr", "I", handle),
        Field("flags", "I", mask(7, errno.EOPNOTSUPP)),
        Field("start", "Q", user_address), Field("length", "Q", length),
        Field("iova", "Q", same_offset), Field("pd", "I", handle),
        Field("access", "I", lambda _limits: ((2, errno.EINVAL), (8, errno.EINVAL))),
    ], [], 8, 0, None),
    "dereg_mr": Command(13, [Field("mr", "I", handle)], [], 0, 0, None),
    "create_ah": Command(5, [RESPONSE] + fields(
        "user_handle:Q pd:I unused:I dgid:16s flow:I sgid:B hops:B class:B unused1:B "
        "dlid:H sl:B path_bits:B rate:B is_global:B dest_port:B unused2:B", ROUTE | {"pd": handle}),
        [], 4, 8, "destroy_ah"),
    "destroy_ah": Command(8, [Field("ah", "I", handle)], [], 0, 0, None),
    "alloc_mw": Command(14, [
        RESPONSE, Field("pd", "I", handle),
        Field("type", "B", one_of(1, 2, code=errno.EINVAL)), Field("reserved", "3s", any_value),
    ], [], 8, 0, "dealloc_mw"),
    "dealloc_mw": Command(16, [Field("mw", "I", handle)], [], 0, 0, None),
    "create_cq": Command(18, [
        RESPONSE, COOKIE, Field("cqe", "I", between(1, "cq_entries")),
        Field("vector", "I", between(0, "vectors")),
        Field("channel", "i", lambda _limits: ((0, errno.EBADF), (999, errno.EBADF))),
        Field("reserved", "I", any_value),
    ], [Field("ring", "Q", ring(errno.EPROTO)), Field("shadow", "Q", ring(errno.EPROTO))],
        8, 8, "destroy_cq"),
    "resize_cq": Command(19, [
        ANSWER, Field("cq", "I", handle), Field("cqe", "I", between(1, "cq_entries")),
    ], [Field("ring", "Q", ring(errno.EPROTO))], 8, 0, None),
    "destroy_cq": Command(20, [ANSWER, Field("cq", "I", handle),
                               Field("reserved", "I", any_value)], [], 8, 0, None),
    "create_qp": Command(24, [
        RESPONSE, COOKIE, Field("pd", "I", handle), Field("send_cq", "I", handle),
        Field("recv_cq", "I", handle), Field("srq", "I", any_value),
        Field("send_wr", "I", between(0, "qp_wr")), Field("recv_wr", "I", between(0, "qp_wr")),
        Field("send_sge", "I", between(0, "sge")), Field("recv_sge", "I", between(0, "sge")),
        Field("inline", "I", between(0, "inline")), Field("sig_all", "B", any_value),
        Field("type", "B", queue_pair_type), Field("is_srq", "B", any_value),
        Field("reserved", "B", any_value),
    ], [Field("ring", "Q", ring(errno.ENODATA)), Field("compl_ctx", "Q", any_value)],
        32, 20, "destroy_qp"),
    "destroy_qp": Command(27, [ANSWER, Field("qp", "I", handle),
                               Field("reserved", "I", any_value)], [], 4, 0, None),
    "query_qp": Command(25, [RESPONSE, Field("qp", "I", handle), Field("mask", "I", any_value)],
                        [], 128, 0, None),
    "modify_qp": modify_qp(mask=needs_each(TO_RECEIVE, MAY_RECEIVE), mtu=byte_up_to(3, 1),
                           state=one_of(2, code=errno.EINVAL), min_rnr=byte_up_to(31),
                           max_dest_rd=above("read_responses"), dest_qp=between(0, 0xffffff),
                           **ROUTE),
    "modify_qp_send": modify_qp(mask=needs_each(TO_SEND, MAY_SEND, MIGRATION),
                                timeout=byte_up_to(31), retry=byte_up_to(7), rnr=byte_up_to(7),
                                state=one_of(3, code=errno.EINVAL), max_rd=above("reads")),
    "attach_mcast": Command(30, fields("gid:16s qp:I lid:H reserved:H", {
        "qp": handle, "gid": not_a_group}), [], 0, 0, None),
    "detach_mcast": Command(31, fields("gid:16s qp:I lid:H reserved:H", {
        "qp": handle, "gid": lambda limits: (*not_a_group(limits), (STRANGER, errno.EINVAL))}),
        [], 0, 0, None),
    "create_srq": Command(32, [
        RESPONSE, COOKIE, Field("pd", "I", handle), Field("wr", "I", between(0, "srq_wr")),
        Field("sge", "I", between(0, "sge")), Field("limit", "I", any_value),
    ], [Field("ring", "Q", ring(errno.EPROTO)), Field("shadow", "Q", any_value)],
        16, 8, "destroy_srq"),
    "modify_srq": Command(33, [
        Field("srq", "I", handle), Field("mask", "I", lambda _limits: ((1, errno.EINVAL),)),
        Field("wr", "I", any_value), Field("limit", "I", between(0, "srq_wr")),
    ], [], 0, 0, None),
    "query_srq": Command(34, [RESPONSE, Field("srq", "I", handle),
                              Field("reserved", "I", any_value)], [], 16, 0, None),
    "destroy_srq": Command(35, [ANSWER, Field("srq", "I", handle),
                                Field("reserved", "I", any_value)], [], 4, 0, None),
}


def nothing(_limits):
    return ((1, errno.EINVAL), (0x80, errno.EINVAL))


COMMANDS |= {
    # The basic type reaches the driver.
    "create_xsrq": Command(39, [
        RESPONSE, COOKIE, Field("type", "I", lambda _limits: (
            (1, errno.EINVAL), (2, errno.EINVAL), (3, errno.EOPNOTSUPP),
            (1 << 31, errno.EOPNOTSUPP))),
        *COMMANDS["create_srq"].fields[2:], *fields("tags:I xrcd:I cq:I", {}),
    ], COMMANDS["create_srq"].driver, 16, 8, "destroy_srq"),
    "ex_query_device": Command(EXTENDED | 1, [RESPONSE, Field("comp_mask", "I", nothing),
                                              Field("reserved", "I", nothing)], [], 304, 0, None),
    "ex_create_cq": Command(EXTENDED | 18, [RESPONSE, COOKIE] + [
        field for field in COMMANDS["create_cq"].fields
        if field.name in ("cqe", "vector", "channel")] + [
        Field("comp_mask", "I", nothing),
        Field("flags", "I", mask(1, errno.EOPNOTSUPP)), Field("reserved", "I", nothing),
    ], COMMANDS["create_cq"].driver, 16, 8, "destroy_cq"),
    "ex_create_qp": Command(EXTENDED | 24, [
        field._replace(kind=nothing) if field.name == "reserved" else field
        for field in COMMANDS["create_qp"].fields] + [
        Field("comp_mask", "I", mask(1, errno.EINVAL)),
        Field("create_flags", "I", lambda _limits: (
            (1 << bit, errno.EOPNOTSUPP if QP_CREATE_KNOWN >> bit & 1 else errno.EINVAL)
            for bit in range(32))),
        Field("table", "I", any_value), Field("source", "I", any_value),
    ], COMMANDS["create_qp"].driver, 40, 24, "destroy_qp"),
    "ex_modify_qp": Command(EXTENDED | 26, [RESPONSE, *COMMANDS["modify_qp"].fields,
                                            Field("rate_limit", "I", any_value),
                                            Field("reserved2", "I", any_value)],
                            fields("sq_flush:B rq_flush:B driver_reserved:6s", {}), 8, 24, None),
}
# Commands whose driver's parts may be left out, but not in part.
OPTIONAL = {"ex_modify_qp"}
# What user space does by itself, and what this driver does not offer: number by name.
CLOSED = {"modify_ah": 6, "query_ah": 7, "reg_smr": 10, "query_mr": 12, "bind_mw": 15,
          "poll_cq": 21, "peek_cq": 22, "req_notify_cq": 23, "post_send": 28, "post_recv": 29,
          "post_srq_recv": 36, "open_xrcd": 37, "close_xrcd": 38}

# The core checks a dma-buf's own rights mask; local write comes first. It lets no window
# be bound to one: the driver counts on that when the buffer is taken back.
WINDOWS = 0x10
MR_ACCESS = takes("access", 6, "I", lambda _limits: (
    (2, errno.EINVAL), (8, errno.EINVAL), (1 | WINDOWS, errno.EINVAL), (0x40, errno.EINVAL),
    (1 << 31, errno.EINVAL)), False)

METHODS = {
    "create_cq_attr": Method(3, 0, [
        new(), takes("cqe", 1, "I", between(1, "cq_entries")),
        takes("user_handle", 2, "Q", any_value), takes("vector", 4, "I", between(0, "vectors")),
        takes("flags", 5, "I", lambda _limits: ((2, errno.EOPNOTSUPP), (4, errno.EINVAL)), False),
        gives("cqe_out", 6, "I"), descriptor("buffer", 12, "cq_bytes"),
        descriptor("shadow_buffer", 0x1002, "shadow_bytes"),
        # The older attributes of an address; both or none.
        takes("old_address", 8, "Q", any_value, False),
        takes("old_length", 9, "Q", lambda _limits: ((RING_PAGE, errno.EINVAL),), False),
    ], [Field("ring", "Q", no_address), Field("shadow", "Q", no_address)], 8, "destroy_cq"),
    "create_qp_attr": Method(4, 0, [
        new(), uses("pd", 2), uses("srq", 3, False), uses("send_cq", 4), uses("recv_cq", 5),
        takes("user_handle", 7, "Q", any_value),
        Attr(8, [Field("send_wr", "I", between(0, "qp_wr")),
                 Field("recv_wr", "I", between(0, "qp_wr")),
                 Field("send_sge", "I", between(0, "sge")),
                 Field("recv_sge", "I", between(0, "sge")),
                 Field("inline", "I", between(0, "inline"))], IN, True),
        takes("type", 9, "Q", queue_pair_type), gives("cap", 13, "20s"), gives("number", 14, "I"),
        descriptor("buffer", 15, "qp_bytes"), other_memory("rq_buffer", 16),
        other_memory("sq_buffer", 17),
    ], [Field("ring", "Q", no_address), Field("compl_ctx", "Q", any_value)], 20, "destroy_qp"),
    "create_srq_attr": Method(5, 0, [
        new(), uses("pd", 1), takes("user_handle", 4, "Q", any_value),
        takes("wr", 5, "I", between(0, "srq_wr")), takes("sge", 6, "I", between(0, "sge")),
        takes("limit", 7, "I", any_value), takes("type", 9, "Q", lambda _limits: (
            (value, errno.EINVAL) for value in (3, 4, 255))),
        gives("wr_out", 11, "I"), gives("sge_out", 12, "I"),
        descriptor("buffer", 14, "srq_bytes"),
    ], [Field("ring", "Q", no_address), Field("shadow", "Q", any_value)], 8, "destroy_srq"),
    "reg_mr_attr": Method(7, 5, [
        new(), uses("pd", 1), takes("iova", 3, "Q", same_offset),
        takes("start", 4, "Q", user_address), takes("length", 5, "Q", length),
        takes("access", 6, "I", lambda _limits: (
            (2, errno.EINVAL), (8, errno.EINVAL), (1 << 31, errno.EINVAL))),
        # There are no such objects.
        Attr(2, [Field("dma_handle", "I", lambda _limits: (
            (0, errno.EINVAL), (0xffff, errno.EINVAL)))], OBJECT, False),
        # Beside an address there is no file.
        takes("fd", 7, "I", lambda limits: ((limits["file"], errno.EINVAL),), False),
        takes("fd_offset", 8, "Q", lambda _limits: ((0x1000, errno.EINVAL),), False),
        gives("lkey", 9, "I"), gives("rkey", 10, "I"),
    ], DRIVER_MR, 0, "dereg_mr"),
    "reg_dmabuf_mr": Method(7, 4, [
        new(), uses("pd", 1),
        takes("offset", 2, "Q", lambda limits: (
            (value, errno.EINVAL) for value in (
                1, 64, limits["dmabuf_bytes"], limits["dmabuf_bytes"] - RING_PAGE + 1,
                1 << 63, (1 << 64) - RING_PAGE))),
        takes("length", 3, "Q", lambda limits: (
            *length(limits), (limits["dmabuf_bytes"] + 1, errno.EINVAL))),
        takes("iova", 4, "Q", lambda _limits: ((1, errno.EINVAL), (RING_PAGE - 1, errno.EINVAL))),
        takes("fd", 5, "I", lambda limits: (
            (9999, errno.EBADF), (0xffffffff, errno.EBADF), (limits["file"], errno.EINVAL))),
        MR_ACCESS, gives("lkey", 7, "I"), gives("rkey", 8, "I"),
    ], [], 0, "dereg_mr"),
}


def layout(fields):
    return struct.Struct("=" + "".join(field.code for field in fields))


def pack(fields, values):
    """The fields one after the other; those without a value are 0."""
    return layout(fields).pack(*(values.get(field.name, b"" if "s" in field.code else 0)
                                 for field in fields))


def address_of(buffer):
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


class Refused(Exception):
    """A command failed; its first argument is the errno."""


# Limits that the driver's answer to opening a context tells: name, place in it.
ANSWERED = (("sge", "=I", 32), ("inline", "=I", 40), ("rq_quanta", "=I", 44),
            ("sq_quanta", "=I", 48), ("cq_entries", "=I", 56), ("srq_quanta", "=I", 76))


class Uverbs:
    """An open device: commands and methods by name, with the fields that differ from 0.

    @area is anonymous memory to register. After a call @answer has the fields of the core's
    answer that a method gives, and as "driver" the driver's answer.
    """

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self.area = mmap.mmap(-1, AREA_PAGES * PAGE)
        self.out = mmap.mmap(-1, PAGE)
        self.area.write(bytes(AREA_PAGES * PAGE))
        self.address = address_of(self.area)
        self.out_address = address_of(self.out)
        self.answer = {}

    def close(self):
        os.close(self.fd)

    def write(self, number, body, out_bytes):
        words = (HEADER.size + len(body)) // 4
        try:
            os.write(self.fd, HEADER.pack(number, words, out_bytes // 4) + body)
        except OSError as error:
            raise Refused(error.errno) from error
        return self.out[:out_bytes]

    def open(self, version=ABI_VERSION, mask=RAW_ATTR | WQE_FORMAT, cut_in=0, cut_out=0,
             response=None):
        """The context's answer, of the core and of the driver."""
        body = struct.pack("=QIB3xQ", response or self.out_address, 0, version, mask)
        return self.write(0, body[:len(body) - cut_in], 8 + CONTEXT_ANSWER - cut_out)

    def context(self, **how):
        """Opens the context; returns its limits and the key of the doorbell page."""
        answer = self.open(**how)
        vectors, driver = struct.unpack_from("=I", answer, 4)[0], answer[8:]
        limits = {name: struct.unpack_from(code, driver, at)[0] for name, code, at in ANSWERED}
        return limits | {"vectors": vectors - 1, "area": self.address,
                         "qp_wr": max(limits["rq_quanta"], limits["sq_quanta"]),
                         "srq_wr": limits["srq_quanta"]}, struct.unpack_from("=Q", driver, 24)[0]

    def call(self, name, cut_in=0, cut_out=0, tail=b"", without=(), answer_at=0, **values):
        """One command or method; returns the handle that its answer begins with.

        Of methods only: @without: ids of attributes that are left out; @answer_at: address
        of the driver's answer.
        """
        if name in METHODS:
            return self.ioctl(METHODS[name], cut_in, cut_out, tail, without, answer_at, values)
        command = COMMANDS[name]
        values = {"response": self.out_address} | values
        if command.number & EXTENDED:
            return self.extended(command, cut_in, cut_out, tail, values)
        body = pack(command.fields + command.driver, values)
        answer = self.write(command.number, body[:len(body) - cut_in] + tail,
                            command.answer + command.driver_answer - cut_out)
        self.answer = {"driver": answer[command.answer:]}
        return struct.unpack_from("=I", answer)[0] if answer else None

    def extended(self, command, cut_in, cut_out, tail, values):
        core = pack(command.fields[1:], values)
        driver = pack(command.driver, values)
        driver = driver[:len(driver) - cut_in] + tail
        answers = command.answer, command.driver_answer - cut_out
        try:
            os.write(self.fd, HEADER.pack(command.number, len(core) // 8, answers[0] // 8) +
                     EXTENDED_HEADER.pack(values["response"], len(driver) // 8, answers[1] // 8) +
                     core + driver)
        except OSError as error:
            raise Refused(error.errno) from error
        self.answer = {"driver": self.out[command.answer:sum(answers)]}
        return struct.unpack_from("=I", self.out)[0]

    def closed(self, number):
        """Tries a command with nothing but zeros."""
        self.write(number, bytes(64), 64)

    def ioctl(self, method, cut_in, cut_out, tail, without, answer_at, values):
        driver_in = pack(method.driver, values)
        driver_in = driver_in[:len(driver_in) - cut_in] + tail
        attrs, outs = [], {}
        for attr in method.attrs:
            named = any(field.name in values for field in attr.fields)
            if attr.id in without or not (attr.needed or named):
                continue
            data = pack(attr.fields, values)
            if attr.way == OUT:
                outs[attr.fields[0]] = len(attrs), ctypes.create_string_buffer(len(data))
                attrs.append((attr.id, len(data), ctypes.addressof(outs[attr.fields[0]][1])))
            else:
                attrs.append((attr.id, data if attr.way == IN else None,
                              struct.unpack_from("=I", data)[0]))
        if method.driver:
            attrs.append((UHW_IN, driver_in, 0))
        driver_out = ctypes.create_string_buffer(max(method.driver_answer - cut_out, 1))
        if method.driver_answer:
            attrs.append((UHW_OUT, method.driver_answer - cut_out,
                          answer_at or ctypes.addressof(driver_out)))
        body = self.invoke(method.object, method.method, attrs)
        self.answer = {field.name: struct.unpack("=" + field.code, buffer.raw)[0]
                       for field, (_, buffer) in outs.items()} | {"driver": driver_out.raw}
        return IOCTL_ATTR.unpack_from(body, IOCTL_HEADER.size)[4] & 0xffffffff

    def invoke(self, obj, method, attrs):
        """The ioctl itself. An attribute is (id, bytes in, -), (id, None, number) or
        (id, bytes of an answer, address); returns header and attributes as they come back."""
        kept, packed = [], b""
        for number, data, value in attrs:
            size = 0
            if isinstance(data, bytes):
                size = len(data)
                if size <= 8:
                    value = int.from_bytes(data, "little")
                else:
                    kept.append(ctypes.create_string_buffer(data, size))
                    value = ctypes.addressof(kept[-1])
            elif data is not None:
                size = data
            packed += IOCTL_ATTR.pack(number, size, MANDATORY, 0, value)
        body = bytearray(IOCTL_HEADER.pack(IOCTL_HEADER.size + len(packed), obj, method,
                                           len(attrs), 0, DRIVER_ID, 0) + packed)
        try:
            fcntl.ioctl(self.fd, RDMA_VERBS_IOCTL, body)
        except OSError as error:
            raise Refused(error.errno) from error
        return body
