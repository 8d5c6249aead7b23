// SPDX-License-Identifier: GPL-2.0
/*
 * A driver with planted mistakes, to see that a guest kernel reports them.
 * "insmod plant.ko mistake=NAME"
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/string.h>

static char *mistake = "none";
module_param(mistake, charp, 0444);

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static void *volatile kept;

static void use_after_free(void)
{
	u8 *p = kmalloc(64, GFP_KERNEL);

	kept = p;
	kfree(p);
	if (p)
		pr_info("plant: %u\n", READ_ONCE(p[8]));
}

/* What was freed is checked when it is handed out again. */
static void write_after_free(void)
{
	u8 *p = kmalloc(64, GFP_KERNEL);

	kept = p;
	kfree(p);
	if (p)
		WRITE_ONCE(p[8], 1);
	for (int i = 0; i < 256; i++)
		kfree(kmalloc(64, GFP_KERNEL));
}

static void lock_inversion(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void leak(void)
{
	for (int i = 0; i < 16; i++)
		kept = kmalloc(256, GFP_KERNEL);
	kept = NULL;
}

static void shift(void)
{
	unsigned int bits = strlen(mistake) * 8;

	pr_info("plant: %d\n", 1 << bits);
}

/* What was never mapped is unmapped. */
static void unmap(void)
{
	struct platform_device *pdev;

	pdev = platform_device_register_simple("plant", PLATFORM_DEVID_NONE,
					       NULL, 0);
	if (IS_ERR(pdev))
		return;
	dma_unmap_single(&pdev->dev, 0x1000, 64, DMA_TO_DEVICE);
	platform_device_unregister(pdev);
}

static int __init plant_init(void)
{
	if (!strcmp(mistake, "use-after-free"))
		use_after_free();
	else if (!strcmp(mistake, "write-after-free"))
		write_after_free();
	else if (!strcmp(mistake, "lock-inversion"))
		lock_inversion();
	else if (!strcmp(mistake, "leak"))
		leak();
	else if (!strcmp(mistake, "shift"))
		shift();
	else if (!strcmp(mistake, "unmap"))
		unmap();
	else if (strcmp(mistake, "none"))
		return -EINVAL;
	return 0;
}
module_init(plant_init);

static void __exit plant_exit(void)
{
}
module_exit(plant_exit);

MODULE_DESCRIPTION("Planted mistakes, to prove that they are reported");
MODULE_LICENSE("GPL");
