/**
 * Days to keep a nightly backup. `here`: in this account, until the next night's backup; the copy in the other account
 * exists by then. `there`: in the other account.
 */
export const COPY_KEPT_DAYS = { here: 2, there: 35 }

/**
 * Number of images of each kind to keep. Tasks started before a deployment still use the previous image, and a rollback
 * uses an older one.
 */
export const IMAGES_KEPT = 3

/** Agents that can have their own image. opencode is missing, because its lockfile has no arm64 packages. */
export const OWN_IMAGES = ["claude", "codex", "gemini", "qwen"] as const

/** Debian packages that the browser image has in addition to those of the usual image. Debian has them for arm64, too. */
export const BROWSER_PACKAGES = ["chromium-headless-shell"]
