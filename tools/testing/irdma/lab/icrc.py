# SPDX-License-Identifier: GPL-2.0
"""Let scapy compute the ICRC of every RoCEv2 packet in a capture.

usage: icrc.py PCAP

Prints how many packets each header carries, as JSON. Status 1 with a line per packet
whose ICRC is another.
"""

import collections
import json
import sys

from scapy.contrib.roce import BTH
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q
from scapy.utils import PcapReader

LAYERS = (IP, IPv6, Dot1Q, BTH)


def right(packet):
    """Whether @packet is what scapy makes of it when it computes the ICRC."""
    expected = packet.copy()
    expected[BTH].icrc = None
    return bytes(expected) == packet.original


def main():
    counts, wrong = collections.Counter({layer.__name__: 0 for layer in LAYERS}), 0
    with PcapReader(sys.argv[1]) as packets:
        for number, packet in enumerate(packets, 1):
            if BTH not in packet:
                continue
            counts.update(layer.__name__ for layer in LAYERS if layer in packet)
            if not right(packet):
                wrong += 1
                print(f"packet {number}: {packet.summary()}")
    print(json.dumps(counts))
    return 1 if wrong or not counts["BTH"] else 0


if __name__ == "__main__":
    sys.exit(main())
