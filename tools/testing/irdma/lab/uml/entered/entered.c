// SPDX-License-Identifier: GPL-2.0
/*
 * Which functions of a module compiled with -finstrument-functions were entered.
 *
 * The debugfs file "entered" names them, one a line; a write to it forgets them.
 * A function that the compiler put into its callers counts as well.
 */
#include <linux/debugfs.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#define SLOT_BITS	13
#define SLOT_CNT	BIT(SLOT_BITS)
#define NAME_CNT	4096
#define NAME_BYTES	64

static DEFINE_RAW_SPINLOCK(lock); /* guards: all below; any context */
static void *slots[SLOT_CNT];
static char names[NAME_CNT][NAME_BYTES];
static unsigned int name_cnt;
static char symbol[KSYM_SYMBOL_LEN];

void __cyg_profile_func_enter(void *fn, void *site);
void __cyg_profile_func_exit(void *fn, void *site);

static bool is_new(void *fn)
{
	unsigned int slot = hash_ptr(fn, SLOT_BITS);

	while (slots[slot] && slots[slot] != fn)
		slot = (slot + 1) % SLOT_CNT;
	if (slots[slot] || name_cnt == NAME_CNT)
		return false;
	slots[slot] = fn;
	return true;
}

void __cyg_profile_func_enter(void *fn, void *site)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	if (is_new(fn)) {
		sprint_symbol_no_offset(symbol, (unsigned long)fn);
		strscpy(names[name_cnt++], symbol, NAME_BYTES);
	}
	raw_spin_unlock_irqrestore(&lock, flags);
}
EXPORT_SYMBOL_GPL(__cyg_profile_func_enter);

void __cyg_profile_func_exit(void *fn, void *site)
{
}
EXPORT_SYMBOL_GPL(__cyg_profile_func_exit);

static int entered_show(struct seq_file *file, void *data)
{
	for (unsigned int i = 0; i < name_cnt; i++)
		seq_printf(file, "%s\n", names[i]);
	return 0;
}

static int entered_open(struct inode *inode, struct file *file)
{
	return single_open(file, entered_show, NULL);
}

static ssize_t entered_write(struct file *file, const char __user *data, size_t bytes, loff_t *pos)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	memset(slots, 0, sizeof(slots));
	name_cnt = 0;
	raw_spin_unlock_irqrestore(&lock, flags);
	return bytes;
}

static const struct file_operations entered_fops = {
	.owner = THIS_MODULE,
	.open = entered_open,
	.read = seq_read,
	.write = entered_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* Another module may be loaded where one was: its functions are others. */
static int entered_module(struct notifier_block *block, unsigned long state, void *module)
{
	unsigned long flags;

	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	raw_spin_lock_irqsave(&lock, flags);
	memset(slots, 0, sizeof(slots));
	raw_spin_unlock_irqrestore(&lock, flags);
	return NOTIFY_OK;
}

static struct notifier_block entered_block = { .notifier_call = entered_module };

/* There is no exit: the module outlives the one that it watches. */
static int __init entered_init(void)
{
	debugfs_create_file("entered", 0600, NULL, NULL, &entered_fops);
	return register_module_notifier(&entered_block);
}

module_init(entered_init);
MODULE_DESCRIPTION("Functions of an instrumented module that were entered");
MODULE_LICENSE("GPL");
