/** For so long a night's copy is kept here, until the one in the other account is made, which the next night's waits for; and there. */
export const COPY_KEPT_DAYS = { here: 2, there: 35 }

/**
 * The images that are kept of each kind. A task that was begun before a deployment has its image; the others are for whoever looks
 * for the difference.
 */
export const IMAGES_KEPT = 3

/** The agents that can have an image of their own. opencode's lockfile has nothing for arm64. */
export const OWN_IMAGES = ["claude", "codex", "gemini", "qwen"] as const
