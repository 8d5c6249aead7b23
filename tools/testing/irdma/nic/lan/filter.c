// SPDX-License-Identifier: GPL-2.0
/* Receive filters: which destination addresses are the vport's. */
#include <string.h>

#include "lan_priv.h"

static struct lan_mac *find(const struct lan_vport *vp, const u8 *addr)
{
	for (u32 i = 0; i < LAN_MACS_MAX; i++)
		if (vp->macs[i].type && !memcmp(vp->macs[i].addr, addr, 6))
			return (struct lan_mac *)&vp->macs[i];
	return NULL;
}

bool lan_mac_wanted(const struct lan_vport *vp, const u8 *dest)
{
	static const u8 broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	u32 promisc = dest[0] & 1 ? VC_PROMISC_MULTICAST : VC_PROMISC_UNICAST;

	return vp->promisc & promisc || !memcmp(dest, broadcast, 6) || find(vp, dest);
}

bool lan_has_mac(const struct lan *lan, const u8 mac[6])
{
	return find(&lan->vport, mac);
}

/* Adding an address again gives it the new type. */
u32 lan_mac_add(struct lan_vport *vp, const u8 *addr, u8 type)
{
	struct lan_mac *mac = find(vp, addr);

	for (u32 i = 0; !mac && i < LAN_MACS_MAX; i++)
		if (!vp->macs[i].type)
			mac = &vp->macs[i];
	if (!mac)
		return VC_ENOSPC;
	memcpy(mac->addr, addr, 6);
	mac->type = type;
	return VC_OK;
}

u32 lan_mac_del(struct lan_vport *vp, const u8 *addr)
{
	struct lan_mac *mac = find(vp, addr);

	if (!mac)
		return VC_ENOENT;
	mac->type = 0;
	return VC_OK;
}
