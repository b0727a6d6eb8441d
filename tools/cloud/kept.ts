/**
 * Days to keep a nightly copy: here until the copy in the other account exists, which the next night's copy waits for,
 * and there.
 */
export const COPY_KEPT_DAYS = { here: 2, there: 35 }

/**
 * Number of images to keep of each kind. Tasks from before a deployment use its image; the others are for comparisons.
 */
export const IMAGES_KEPT = 3

/** Agents that can have their own image. opencode's lockfile has no arm64 packages. */
export const OWN_IMAGES = ["claude", "codex", "gemini", "qwen"] as const
