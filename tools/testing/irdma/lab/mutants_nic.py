# SPDX-License-Identifier: GPL-2.0
"""Faults in the software NIC. Each must fail the unit test that is named with it."""

import os
import re
import shutil
import subprocess

from kerneltree import TOP

HERE = "tools/testing/irdma"
SOURCE = f"{HERE}/nic"
LIMIT = 120
LATE = "does not end"

# name: file, line, line with the fault, test program, a test of it that must fail
MUTANTS = {
    "key-half-compared": (
        "ctl/mr.c", "if (mr->key != (u8)stag)", "if ((mr->key ^ stag) & 0xF)",
        "ctl_stag_test", "test_codes"),
    "bounds-one-byte-late": (
        "ctl/mr.c", "addr - start > mr->len || len > mr->len - (addr - start))",
        "addr - start > mr->len || len > mr->len - (addr - start) + 1)",
        "ctl_stag_test", "test_codes"),
    "larger-pd-accepted": (
        "ctl/mr.c", "if (mr->pd != pd)\n\t\treturn AE_BAD_PD;\n\tif (!mr->region && !mr->type1",
        "if (mr->pd > pd)\n\t\treturn AE_BAD_PD;\n\tif (!mr->region && !mr->type1",
        "ctl_stag_test", "test_codes"),
    "receive-buffer-may-be-read-only": (
        "roce/responder.c", "rs->recv.nfrags, ACC_LOCAL_WRITE, rs->offset,",
        "rs->recv.nfrags, ACC_LOCAL_READ, rs->offset,", "roce_error_test",
        "test_receive_read_only"),
    "page-run-ignores-a-hole": (
        "ctl/mr.c", "page + run / size, region->page_shift,\n\t\t\t      &next) || next != *bus + run)",
        "page + run / size, region->page_shift,\n\t\t\t      &next))",
        "ctl_stag_test", "test_lists"),
    "window-of-every-queue-pair": (
        "ctl/mr.c", "if (!mr->region && !mr->type1 && mr->qp != qp)",
        "if (!mr->region && !mr->type1 && !qp)", "ctl_stag_test", "test_bind_and_use"),
    "region-freed-under-windows": (
        "ctl/mr.c", "if (mr->windows)", "if (0)", "ctl_violations_test", "stag-bound"),
    "bind-beyond-the-parent": (
        "ctl/mw.c", "b->len > mr->len - (b->va - mr->va))", "b->len > mr->len)",
        "ctl_stag_test", "test_bind_codes"),
    "invalidate-keeps-the-key": (
        "ctl/mw.c", "if (mr->region)\n\t\tmr->valid = false;", "if (mr->region)\n\t\tmr->valid = true;",
        "ctl_stag_test", "test_invalidate_codes"),
    "polarity-never-turns": (
        "ctl/cq.c", "cq->polarity ^= 1;", "cq->polarity ^= 0;",
        "ctl_event_test", "test_polarity_over_three_passes"),
    "overflow-one-late": (
        "ctl/cq.c", "unread(cq, &c) + 1 >= cq->size", "unread(cq, &c) >= cq->size",
        "ctl_event_test", "test_overflow_takes_its_queue_pairs"),
    "event-without-arm": (
        "ctl/cq.c", "if (!cq->armed || (cq->ceqe_mask", "if ((cq->ceqe_mask",
        "ctl_event_test", "test_unarmed_is_silent"),
    "arm-lasts": (
        "ctl/cq.c", "cq->armed = false;", "cq->armed = true;",
        "ctl_event_test", "test_one_event_per_arm"),
    "four-arms-are-none": (
        "ctl/cq.c", "if (!ahead && cq->rung < cq->arms + ARM_SEQS)", "if (!ahead)",
        "ctl_event_test", "test_four_arms_are_one"),
    "every-doorbell-arms": (
        "ctl/cq.c", "if (!ahead && cq->rung < cq->arms + ARM_SEQS)",
        "if (!ahead && cq->rung <= cq->arms)", "ctl_event_test", "test_spurious_doorbell"),
    "receive-ring-not-looked-at": (
        "ctl/srq.c", "i += ring->stride)", "i += ring->quanta)",
        "ctl_violations_test", "dirty_receive_ring"),
    "solicited-forgotten": (
        "ctl/cq.c", "if (solicited)\n\t\tcq->last_solicited", "if (!solicited)\n\t\tcq->last_solicited",
        "ctl_event_test", "test_solicited_only"),
    "psn-of-an-empty-message": (
        "roce/requester.c", "return w->len ? (w->len + mtu - 1) / mtu : 1;",
        "return (w->len + mtu - 1) / mtu;", "roce_rc_test", "test_every_size"),
    "psn-one-too-many": (
        "roce/requester.c", "(w->len + mtu - 1) / mtu : 1;", "w->len / mtu + 1 : 1;",
        "roce_rc_test", "test_every_size"),
    "acknowledged-one-early": (
        "roce/requester.c", "else if (acknowledge(q, psn_add(psn, 1)))",
        "else if (acknowledge(q, psn_add(psn, 2)))", "roce_rc_test", "test_storm_bad_wire"),
    "goes-back-too-little": (
        "roce/requester.c", "seek(rq, rq->una);\n\trearm(q);\n\tengine_queue(q);",
        "seek(rq, psn_add(rq->una, rq->una != rq->sent));\n\trearm(q);\n\tengine_queue(q);",
        "roce_rc_test", "test_storm_bad_wire"),
    "retries-for-ever": (
        "roce/requester.c", "if (rq->retries++ >= q->qp->ctx.retry_cnt)",
        "if (rq->retries++ >= q->qp->ctx.retry_cnt + 40u)", "roce_error_test", "test_peer_gone"),
    "receiver-not-ready-for-ever": (
        "roce/requester.c", "if (limit != 7 && rq->rnr_retries >= limit)",
        "if (limit < 7 && rq->rnr_retries > limit)", "roce_error_test", "test_rnr_retries"),
    "reads-beyond-the-depth": (
        "roce/requester.c", "if (reads_in_flight(rq) >= ord)", "if (reads_in_flight(rq) > ord)",
        "roce_rc_test", "test_read_depth_and_fence"),
    "fence-ignored": (
        "roce/requester.c", "(w->read_fence && reads_in_flight(rq))", "(w->read_fence && 0)",
        "roce_rc_test", "test_read_depth_and_fence"),
    "path-mtu-at-any-step": (
        "ctl/qp.c", "ctx->pmtu = old->pmtu;\n", "\n", "ctl_qp_test", "test_path_mtu"),
    "path-mtu-of-the-moment": (
        "roce/requester.c", "u32 mtu = q->mtu, left = rec->n_psns - at;",
        "u32 mtu = q->qp->ctx.pmtu, left = rec->n_psns - at;",
        "roce_rc_test", "test_path_mtu_of_a_live_queue_pair"),
    "repetition-fills-the-ring": (
        "roce/responder.c", "rs->in - rs->fresh < rs->n_replay)",
        "rs->in - rs->out < rs->n_replay)", "roce_error_test",
        "test_late_repetition_and_next_read"),
    "repetition-makes-room": (
        "roce/responder.c", "rs->in - rs->fresh < rs->n_replay)",
        "rs->in - rs->fresh <= rs->n_replay)", "roce_error_test",
        "test_reads_beyond_the_depth"),
    "srq-fails-unseen": (
        "ctl/srq.c", "srq->failed = true;\n\trdma_aeq_post(srq->r, &ae);",
        "(void)ae;\n\tsrq->failed = true;", "ctl_event_test", "test_srq_ring_gone"),
    "srq-fails-again-and-again": (
        "ctl/srq.c", "if (srq->failed)\n\t\treturn false;\n", "", "ctl_event_test",
        "test_srq_shadow_gone"),
    "response-length-believed": (
        "roce/requester.c", "return m->data.len == rec->w.len - rec->n_answered * mtu;",
        "return true;", "roce_error_test", "test_short_read_response"),
    "commands-in-one-turn": (
        "ctl/cqp.c", "#define CMDS_PER_TURN\t8u", "#define CMDS_PER_TURN\t80u", "ctl_cqp_test",
        "test_commands_take_turns"),
    "read-border-moves": (
        "roce/requester.c", "MAX_PSN_SPAN - rec->n_answered % MAX_PSN_SPAN;",
        "MAX_PSN_SPAN - rec->n_answered % 1;", "roce_rc_test", "test_longest_read"),
    "push-dropped-untold": (
        "ctl/cq.c", "PUTF(cqe->push_dropped, CQE_W24_PUSH_DROPPED) |", "", "ctl_event_test",
        "test_entry_after_a_dropped_push"),
    "duplicate-executed-again": (
        "roce/responder.c", "if (ahead < 0)\n\t\tduplicate(q, m, flags);\n\tif (ahead)",
        "if (ahead < 0)\n\t\tduplicate(q, m, flags);\n\tif (ahead > 0)", "roce_error_test", "test_duplicate_atomic"),
    "nak-for-each-packet": (
        "roce/responder.c", "if (rs->nak_sent)\n\t\treturn;\n\trs->nak_sent = true;",
        "rs->nak_sent = true;", "roce_error_test", "test_one_nak_per_gap"),
    "sequence-not-checked": (
        "roce/responder.c", "if (!sequence_right(&q->resp, flags) || !qp_allows",
        "if ((!sequence_right(&q->resp, flags) && !flags) || !qp_allows", "roce_error_test", "test_bad_sequences"),
    "write-length-believed": (
        "roce/responder.c", "((flags & OPF_LAST) && m->data.len != rs->total - rs->offset))",
        "0)", "roce_error_test", "test_write_length_lies"),
    "receive-overrun": (
        "roce/responder.c", "if (rs->offset + m->data.len > rs->recv.len)",
        "if (m->data.len > rs->recv.len)", "roce_error_test", "test_send_too_long"),
    "write-right-not-asked": (
        "roce/responder.c", "ACC_REMOTE_WRITE, rs->va, rs->total, &dst.mr);",
        "ACC_LOCAL_READ, rs->va, rs->total, &dst.mr);", "roce_error_test", "test_write_no_right"),
    "icrc-not-compared": (
        "roce/packet.c", "if (roce_icrc(rf->ip, ip_total) != get32(rf->ip + ip_total - ROCE_ICRC_BYTES))",
        "if (0)", "roce_packet_test", "test_every_flipped_bit"),
    "icrc-covers-the-hop-limit": (
        "roce/packet.c", "p[1] = p[2] = p[3] = p[7] = 0xFF;", "p[1] = p[2] = p[3] = 0xFF;",
        "roce_packet_test", "test_vectors_parse"),
    "qkey-not-compared": (
        "roce/datagram.c", "if (rf->h.qkey != qkey_of(qp))", "if (0)", "roce_ud_test", "test_drops"),
    "inline-room-of-32": (
        "roce/wqe.c", "u32 room = q ? 31 : 8;", "u32 room = q ? 32 : 8;",
        "roce_rc_test", "test_inline"),
    "valid-bits-not-compared": (
        "roce/wqe.c", "if ((word(wqe, 4 * q + 3) & HDR_VALID) != want)", "if (0)",
        "roce_error_test", "test_violation_inline_polarity"),
}


def copy(repo):
    """What the unit tests are built from, into @repo."""
    shutil.copytree(TOP / HERE, repo / HERE, ignore=shutil.ignore_patterns("corpus", "lab", "guest"))


def run(repo, program):
    """Build and run a test program; whether it passed, its output, and whether it built."""
    target = repo / "build" / "unit" / program
    built = subprocess.run(
        ["make", "-s", f"-j{os.cpu_count()}", "-C", repo / SOURCE, f"O={repo / 'build'}", target],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if built.returncode:
        return False, built.stdout, False
    try:
        done = subprocess.run([target], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=LIMIT, check=False,
                              env=os.environ | {"CMOCKA_MESSAGE_OUTPUT": "STDOUT"})
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"").decode(errors="replace")
        return False, f"{said}\n{program} {LATE}", True
    return done.returncode == 0, done.stdout, True


def passes(repo):
    """Whether the programs that are named above pass, and what the first other says."""
    for program in sorted({mutant[3] for mutant in MUTANTS.values()}):
        passed, text, _ = run(repo, program)
        if not passed:
            return False, text
    return True, ""


def noticed(text, test):
    """Whether a test failed, or its program died in it; text: what that said.

    One that has not ended proves nothing by that.
    """
    said = re.findall(r"^\[ +(RUN|OK|FAILED|ERROR) +\] (\S+)$", text, re.M)
    died = said[-1:] == [("RUN", test)] and not text.endswith(LATE)
    return died or ("FAILED", test) in said


def missed(repo, name):
    """Why the test did not notice the fault in @repo; "" if it did."""
    program, test = MUTANTS[name][3:]
    passed, text, built = run(repo, program)
    if not built:
        return f"does not compile: {text[-2000:]}"
    if passed:
        return f"{program} did not notice it"
    return "" if noticed(text, test) else f"{text[-2000:]}\n{program}: not noticed by {test}"
