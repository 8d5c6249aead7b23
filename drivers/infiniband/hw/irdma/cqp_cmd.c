// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands: typed arguments in, errno and typed result out.
 *
 * Each function encodes one command and waits for its end. Unless said otherwise
 * they sleep, and return 0 or an errno of struct irdma_cqp_result: -EBUSY (object
 * in the wrong state, or a reset), -EIO (refused), -ENODEV (device gone), -ETIMEDOUT
 * (no answer; the device may still execute the command). -ENOMEM comes only from
 * those that exchange a buffer with the device, or that may not sleep.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "cqp_cmd.h"
#include "dev.h"

/**
 * irdma_batch_add - room for one more command
 * @batch: batch, zeroed before its first use
 *
 * Context: Any context.
 * Return: WQE to encode; never NULL as long as no more than IRDMA_CQP_BATCH_MAX are added.
 */
struct irdma_cqp_wqe *irdma_batch_add(struct irdma_batch *batch)
{
	if (WARN_ON_ONCE(batch->cnt == IRDMA_CQP_BATCH_MAX))
		batch->cnt--;
	return &batch->wqe[batch->cnt++];
}

/* Requests of all commands of a batch; @batch->err is not touched. */
static int irdma_batch_give(struct irdma_dev *dev, struct irdma_batch *batch)
{
	for (unsigned int i = 0; i < batch->cnt; i++)
		batch->req[i] = irdma_cqp_req_alloc(dev, IRDMA_CQP_GFP);
	return irdma_cqp_post(&dev->cqp, batch->wqe, batch->req, batch->cnt);
}

/**
 * irdma_batch_post - post a batch and do not wait
 * @dev: device
 * @batch: commands, at least one
 * @last: set on success to the request of the last one, which the caller waits for and
 *	puts
 *
 * Context: Process context; may sleep until the ring has room.
 * Return: 0; errnos of irdma_cqp_post().
 */
int irdma_batch_post(struct irdma_dev *dev, struct irdma_batch *batch,
		     struct irdma_cqp_req **last)
{
	int err = irdma_batch_give(dev, batch);

	if (!err)
		*last = batch->req[--batch->cnt];
	for (unsigned int i = 0; i < batch->cnt; i++)
		irdma_cqp_req_put(batch->req[i]);
	return err;
}

/**
 * irdma_batch_run - post a batch and wait for all its commands
 * @dev: device
 * @batch: commands
 *
 * The device executes the commands in order, whatever becomes of the ones before.
 *
 * Context: Process context; may sleep.
 * Return: 0, or the error of the first command that failed.
 */
int irdma_batch_run(struct irdma_dev *dev, struct irdma_batch *batch)
{
	unsigned int cnt = batch->cnt;
	int err;

	err = irdma_batch_give(dev, batch);
	for (unsigned int i = 0; i < cnt; i++)
		batch->err[i] = err;
	if (!err) {
		/* When the last one has ended the others have, as a rule. */
		for (unsigned int i = cnt; i-- > 0;)
			batch->err[i] = irdma_cqp_wait(&dev->cqp, batch->req[i]);
		for (unsigned int i = 0; i < cnt && !err; i++)
			err = batch->err[i];
	}
	for (unsigned int i = 0; i < cnt; i++)
		irdma_cqp_req_put(batch->req[i]);
	return err;
}

/**
 * irdma_cmd_create_ceq - create a completion event queue
 * @dev: device
 * @id: CEQ number
 * @ring: bus address of its ring
 * @entries: length of the ring
 *
 * Return: see the head of the file.
 */
int irdma_cmd_create_ceq(struct irdma_dev *dev, u16 id, u64 ring, u32 entries)
{
	const struct irdma_cqp_ceq_args args = {
		.ring.addr = ring, .entries = entries, .id = id,
	};
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_create_ceq(&wqe, &args);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_destroy_ceq - destroy a completion event queue
 * @dev: device
 * @id: CEQ number
 * @entries: length of its ring
 *
 * Return: see the head of the file.
 */
int irdma_cmd_destroy_ceq(struct irdma_dev *dev, u16 id, u32 entries)
{
	const struct irdma_cqp_ceq_args args = { .entries = entries, .id = id };
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_destroy_ceq(&wqe, &args);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_create_aeq - create the asynchronous event queue
 * @dev: device
 * @ring: bus address of its ring
 * @entries: length of the ring
 *
 * Return: see the head of the file.
 */
int irdma_cmd_create_aeq(struct irdma_dev *dev, u64 ring, u32 entries)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_create_aeq(&wqe, ring, entries);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_destroy_aeq - destroy the asynchronous event queue
 * @dev: device
 * @entries: length of its ring
 *
 * Return: see the head of the file.
 */
int irdma_cmd_destroy_aeq(struct irdma_dev *dev, u32 entries)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_destroy_aeq(&wqe, entries);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_create_cq - create a completion queue
 * @dev: device
 * @args: see there
 *
 * Return: see the head of the file.
 */
int irdma_cmd_create_cq(struct irdma_dev *dev, const struct irdma_cqp_cq_args *args)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_create_cq(&wqe, &dev->layout, args);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_resize_cq - move a completion queue to another ring
 * @dev: device
 * @args: see there
 *
 * Completions that the device wrote before stay in the old ring.
 *
 * Return: see the head of the file.
 */
int irdma_cmd_resize_cq(struct irdma_dev *dev, const struct irdma_cqp_cq_args *args)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_resize_cq(&wqe, &dev->layout, args);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_destroy_cq - destroy a completion queue
 * @dev: device
 * @args: as it was created
 *
 * Return: see the head of the file.
 */
int irdma_cmd_destroy_cq(struct irdma_dev *dev, const struct irdma_cqp_cq_args *args)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_destroy_cq(&wqe, &dev->layout, args);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_create_srq - create a shared receive queue
 * @dev: device
 * @args: see there
 *
 * Return: see the head of the file.
 */
int irdma_cmd_create_srq(struct irdma_dev *dev, const struct irdma_cqp_srq_args *args)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_create_srq(&wqe, args);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_modify_srq - set and arm the limit of a shared receive queue
 * @dev: device
 * @args: as it was created, with the new limit
 *
 * Return: see the head of the file.
 */
int irdma_cmd_modify_srq(struct irdma_dev *dev, const struct irdma_cqp_srq_args *args)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_modify_srq(&wqe, args);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_destroy_srq - destroy a shared receive queue
 * @dev: device
 * @id: SRQ number
 * @ctx: context that it was created with
 *
 * Return: see the head of the file.
 */
int irdma_cmd_destroy_srq(struct irdma_dev *dev, u32 id, u64 ctx)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_destroy_srq(&wqe, id, ctx);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_create_qp - create a queue pair
 * @dev: device
 * @args: see there
 *
 * Return: see the head of the file.
 */
int irdma_cmd_create_qp(struct irdma_dev *dev, const struct irdma_cqp_qp_args *args)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_create_qp(&wqe, args);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_modify_qp - make the device read a QP's context again
 * @dev: device
 * @args: see there
 *
 * Return: see the head of the file.
 */
int irdma_cmd_modify_qp(struct irdma_dev *dev, const struct irdma_cqp_qp_args *args)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_modify_qp(&wqe, args);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_reg_mr - register a memory region
 * @dev: device
 * @args: see there
 *
 * Return: see the head of the file.
 */
int irdma_cmd_reg_mr(struct irdma_dev *dev, const struct irdma_cqp_mr_args *args)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_reg_mr(&wqe, &dev->layout, args);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_dealloc_stag - kill a key
 * @dev: device
 * @stag: key of a region or window
 * @pd_id: its protection domain
 * @is_mr: it is a region
 *
 * Return: see the head of the file.
 */
int irdma_cmd_dealloc_stag(struct irdma_dev *dev, u32 stag, u32 pd_id, bool is_mr)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_dealloc_stag(&wqe, &dev->layout, stag, pd_id, is_mr);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_alloc_mw - reserve a memory window
 * @dev: device
 * @stag: its key
 * @pd_id: protection domain
 * @type1: window of type 1
 *
 * Return: see the head of the file.
 */
int irdma_cmd_alloc_mw(struct irdma_dev *dev, u32 stag, u32 pd_id, bool type1)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_alloc_mw(&wqe, &dev->layout, stag, pd_id, type1);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/* A command whose caller perhaps may not sleep; then the ring is not waited for either. */
static int irdma_cmd_exec_any(struct irdma_dev *dev, const struct irdma_cqp_wqe *wqe,
			      bool atomic, struct irdma_cqp_result *result)
{
	struct irdma_cqp_req *req;
	int err;

	if (!atomic)
		return irdma_cqp_exec(&dev->cqp, wqe, result);
	req = irdma_cqp_req_alloc(dev, GFP_ATOMIC);
	if (!req)
		return -ENOMEM;
	err = irdma_cqp_post_atomic(&dev->cqp, wqe, req);
	if (!err)
		err = irdma_cqp_wait_atomic(&dev->cqp, req);
	if (result)
		*result = req->result;
	irdma_cqp_req_put(req);
	return err;
}

static int irdma_cmd_ah(struct irdma_dev *dev, enum irdma_cqp_op op,
			const struct irdma_cqp_ah_args *args, bool atomic)
{
	struct irdma_cqp_result result;
	struct irdma_cqp_wqe wqe;
	int err;

	irdma_cqp_enc_ah(&wqe, op, args);
	err = irdma_cmd_exec_any(dev, &wqe, atomic, &result);
	if (!err && op == IRDMA_CQP_OP_CREATE_AH && result.ret)
		err = -EIO;
	return err;
}

/**
 * irdma_cmd_create_ah - create an address handle
 * @dev: device
 * @args: see there
 * @atomic: do not sleep
 *
 * Context: As @atomic says.
 * Return: as for all commands; -EAGAIN when @atomic and the ring is full.
 */
int irdma_cmd_create_ah(struct irdma_dev *dev, const struct irdma_cqp_ah_args *args, bool atomic)
{
	return irdma_cmd_ah(dev, IRDMA_CQP_OP_CREATE_AH, args, atomic);
}

/**
 * irdma_cmd_destroy_ah - destroy an address handle
 * @dev: device
 * @args: as it was created
 * @atomic: do not sleep
 *
 * Context: As @atomic says.
 * Return: as for all commands; -EAGAIN when @atomic and the ring is full.
 */
int irdma_cmd_destroy_ah(struct irdma_dev *dev, const struct irdma_cqp_ah_args *args, bool atomic)
{
	return irdma_cmd_ah(dev, IRDMA_CQP_OP_DESTROY_AH, args, atomic);
}

/**
 * irdma_cmd_mcg - create, modify or destroy a multicast group
 * @dev: device
 * @op: which of the three
 * @args: see there; the group context is filled and stays until the group is destroyed
 *
 * Return: see the head of the file.
 */
int irdma_cmd_mcg(struct irdma_dev *dev, enum irdma_cqp_op op,
		  const struct irdma_cqp_mcg_args *args)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_mcg(&wqe, op, args);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_add_arp - tell the device the MAC of a peer
 * @dev: device
 * @idx: index in the device's table
 * @mac: address
 * @atomic: do not sleep
 *
 * Context: As @atomic says.
 *
 * Return: see the head of the file.
 */
int irdma_cmd_add_arp(struct irdma_dev *dev, u16 idx, const u8 *mac, bool atomic)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_add_arp(&wqe, idx, mac);
	return irdma_cmd_exec_any(dev, &wqe, atomic, NULL);
}

/**
 * irdma_cmd_del_arp - make the device forget a peer
 * @dev: device
 * @idx: index in the device's table
 * @atomic: do not sleep
 *
 * Context: As @atomic says.
 *
 * Return: see the head of the file.
 */
int irdma_cmd_del_arp(struct irdma_dev *dev, u16 idx, bool atomic)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_del_arp(&wqe, idx);
	return irdma_cmd_exec_any(dev, &wqe, atomic, NULL);
}

typedef void irdma_enc_buf_fn(struct irdma_dev *dev, struct irdma_cqp_wqe *wqe, u64 pa,
			      size_t bytes);

/*
 * A command that exchanges @bytes of @buf with the device. The device's copy belongs to
 * the request: a command that outlives its waiter writes no freed memory.
 */
static int irdma_cmd_exec_buf(struct irdma_dev *dev, irdma_enc_buf_fn *enc, void *buf,
			      size_t bytes)
{
	struct irdma_cqp_wqe wqe;
	struct irdma_cqp_req *req;
	int err;

	req = irdma_cqp_req_alloc(dev, IRDMA_CQP_GFP);
	err = irdma_dma_alloc(dev, &req->mem, bytes);
	if (err)
		goto out;
	memcpy(req->mem.va, buf, bytes);
	enc(dev, &wqe, req->mem.pa, bytes);
	err = irdma_cqp_post(&dev->cqp, &wqe, &req, 1);
	if (!err)
		err = irdma_cqp_wait(&dev->cqp, req);
	if (!err)
		memcpy(buf, req->mem.va, bytes);
	if (!READ_ONCE(req->at_device))
		irdma_dma_free(dev, &req->mem);
out:
	irdma_cqp_req_put(req);
	return err;
}

static void irdma_enc_stats(struct irdma_dev *dev, struct irdma_cqp_wqe *wqe, u64 pa,
			    size_t bytes)
{
	irdma_cqp_enc_gather_stats(wqe, pa);
}

/**
 * irdma_cmd_gather_stats - read the function's counters
 * @dev: device
 * @stats: IRDMA_STATS_BUF_BYTES bytes, in the device's layout
 *
 * Return: see the head of the file.
 */
int irdma_cmd_gather_stats(struct irdma_dev *dev, void *stats)
{
	return irdma_cmd_exec_buf(dev, irdma_enc_stats, stats, IRDMA_STATS_BUF_BYTES);
}

static void irdma_enc_features(struct irdma_dev *dev, struct irdma_cqp_wqe *wqe, u64 pa,
			       size_t bytes)
{
	irdma_cqp_enc_query_features(wqe, pa, bytes);
}

/* Room for the features that are known, and for as many new ones. */
#define IRDMA_FEATURE_QWORDS	64

/**
 * irdma_cmd_query_features - what the device says about itself
 * @dev: device
 * @features: filled on success
 *
 * Return: as for all commands; -EINVAL for an answer that makes no sense.
 */
int irdma_cmd_query_features(struct irdma_dev *dev, struct irdma_features *features)
{
	__le64 buf[IRDMA_FEATURE_QWORDS] = {};
	int err;

	err = irdma_cmd_exec_buf(dev, irdma_enc_features, buf, sizeof(buf));
	if (err)
		return err;
	return irdma_features_decode(buf, IRDMA_FEATURE_QWORDS, features);
}

static void irdma_enc_query_fpm(struct irdma_dev *dev, struct irdma_cqp_wqe *wqe, u64 pa,
				size_t bytes)
{
	irdma_cqp_enc_query_fpm(wqe, dev->hmc_fn, pa);
}

/**
 * irdma_cmd_query_fpm - ask what the host memory cache may hold
 * @dev: device
 * @words: filled on success
 * @bytes: length of @words
 *
 * Return: see the head of the file.
 */
int irdma_cmd_query_fpm(struct irdma_dev *dev, void *words, size_t bytes)
{
	return irdma_cmd_exec_buf(dev, irdma_enc_query_fpm, words, bytes);
}

static void irdma_enc_commit_fpm(struct irdma_dev *dev, struct irdma_cqp_wqe *wqe, u64 pa,
				 size_t bytes)
{
	irdma_cqp_enc_commit_fpm(wqe, dev->hmc_fn, pa, false);
}

static void irdma_enc_commit_fpm_fw(struct irdma_dev *dev, struct irdma_cqp_wqe *wqe, u64 pa,
				    size_t bytes)
{
	irdma_cqp_enc_commit_fpm(wqe, dev->hmc_fn, pa, true);
}

/**
 * irdma_cmd_commit_fpm - lay out the host memory cache
 * @dev: device
 * @words: wanted counts; on success granted counts and bases
 * @bytes: length of @words
 * @fw_buf: @words name a scratch buffer for the firmware
 *
 * Return: see the head of the file.
 */
int irdma_cmd_commit_fpm(struct irdma_dev *dev, void *words, size_t bytes, bool fw_buf)
{
	return irdma_cmd_exec_buf(dev, fw_buf ? irdma_enc_commit_fpm_fw : irdma_enc_commit_fpm,
				  words, bytes);
}

/**
 * irdma_cmd_update_sds - tell the device the backing memory of segments
 * @dev: device
 * @sds: descriptors
 * @cnt: how many, 1 to 3
 *
 * Return: see the head of the file.
 */
int irdma_cmd_update_sds(struct irdma_dev *dev, const struct irdma_sd_args *sds, u32 cnt)
{
	const struct irdma_cqp_sds_args args = {
		.sd = sds, .cnt = cnt, .hmc_fn = dev->hmc_fn,
	};
	struct irdma_cqp_wqe wqe;
	int err;

	err = irdma_cqp_enc_update_sds(&wqe, &dev->layout, &args);
	return err ?: irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_hmc_pages_done - all static objects of the host memory cache are backed
 * @dev: device
 *
 * Return: see the head of the file.
 */
int irdma_cmd_hmc_pages_done(struct irdma_dev *dev)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_hmc_pages_done(&wqe, dev->hmc_fn);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}

/**
 * irdma_cmd_alloc_push_page - allocate a push page
 * @dev: device
 * @qset: queue set of the QP that is to use it
 * @idx: set on success: number of the page, any value
 *
 * Return: see the head of the file.
 */
int irdma_cmd_alloc_push_page(struct irdma_dev *dev, u16 qset, u32 *idx)
{
	struct irdma_cqp_result result;
	struct irdma_cqp_wqe wqe;
	int err;

	irdma_cqp_enc_alloc_push_page(&wqe, qset);
	err = irdma_cqp_exec(&dev->cqp, &wqe, &result);
	if (!err)
		*idx = result.ret;
	return err;
}

/**
 * irdma_cmd_free_push_page - free a push page
 * @dev: device
 * @qset: queue set that it was allocated for
 * @idx: number of the page
 *
 * Return: see the head of the file.
 */
int irdma_cmd_free_push_page(struct irdma_dev *dev, u16 qset, u32 idx)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_free_push_page(&wqe, qset, idx);
	return irdma_cqp_exec(&dev->cqp, &wqe, NULL);
}
