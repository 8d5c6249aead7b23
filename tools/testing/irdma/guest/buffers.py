# SPDX-License-Identifier: GPL-2.0
"""Memory that a device is told of by a buffer descriptor.

Each kind has @size bytes, readable and writable as @map; descriptor() gives the fields
of a struct ib_uverbs_buffer_desc.
"""

import fcntl
import mmap
import os
import struct

from uverbs import ADDRESS, DMABUF, PAGE, address_of

DMA_HEAP_IOCTL_ALLOC = 0xc0184800
UDMABUF_CREATE_LIST = 0x40087543
F_ADD_SEALS, F_SEAL_SHRINK = 1033, 2
MFD_ALLOW_SEALING = 2


class Anonymous:
    """Plain memory, named by its address."""

    def __init__(self, size):
        self.size = size
        self.map = mmap.mmap(-1, size)

    def descriptor(self, name, offset, length):
        return {f"{name}_type": ADDRESS, f"{name}_addr": address_of(self.map) + offset,
                f"{name}_length": length}


class Dmabuf:
    """A dma-buf of which @fd is the file."""

    def __init__(self, fd, size):
        self.fd, self.size = fd, size
        self.map = mmap.mmap(fd, size)

    def descriptor(self, name, offset, length):
        return {f"{name}_type": DMABUF, f"{name}_fd": self.fd, f"{name}_addr": offset,
                f"{name}_length": length}

    def close(self):
        self.map.close()
        os.close(self.fd)


class Heap(Dmabuf):
    """Of the system heap: large pieces."""

    def __init__(self, size):
        heap = os.open("/dev/dma_heap/system", os.O_RDONLY)
        request = bytearray(struct.pack("=QIIQ", size, 0, os.O_RDWR | os.O_CLOEXEC, 0))
        fcntl.ioctl(heap, DMA_HEAP_IOCTL_ALLOC, request)
        os.close(heap)
        super().__init__(struct.unpack_from("=I", request, 8)[0], size)


class Scattered(Dmabuf):
    """Pages of a memfd in the reverse order: no two of them are one piece."""

    def __init__(self, size):
        memfd = os.memfd_create("buffer", MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
        os.ftruncate(memfd, size)
        fcntl.fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK)
        request = bytearray(struct.pack("=II", 1, size // PAGE))
        for at in reversed(range(0, size, PAGE)):
            request += struct.pack("=IIQQ", memfd, 0, at, PAGE)
        udmabuf = os.open("/dev/udmabuf", os.O_RDWR)
        fd = fcntl.ioctl(udmabuf, UDMABUF_CREATE_LIST, request)
        os.close(udmabuf)
        os.close(memfd)
        super().__init__(fd, size)


KINDS = {"address": Anonymous, "heap": Heap, "scattered": Scattered}
