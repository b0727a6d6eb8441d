import type { TestOptions } from "vitest"

declare module "vitest" {
  interface TaskMeta {
    /** What is missing on this machine, or failed before. */
    skippedBecause?: string
  }
}

/**
 * For a test, or a suite, that takes more than every machine has: skips it where something is missing, and says so at the
 * end of the run. The reason names what is missing and how to get it.
 */
export function needs(missing: string | undefined): TestOptions {
  return missing === undefined ? {} : { skip: true, meta: { skippedBecause: missing } }
}

/** Why no full disk is tried. */
export const NO_DISK = "a small disk is mounted for it, which takes root"
