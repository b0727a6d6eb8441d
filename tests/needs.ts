import type { TestOptions } from "vitest"

declare module "vitest" {
  interface TaskMeta {
    /** Reason for skipping: a missing tool, or an earlier failed test. */
    skippedBecause?: string
  }
}

/**
 * Returns options that skip a test or suite if `missing` is set. The report at the end of the run lists `missing`,
 * which names the missing tool and how to get it.
 */
export function needs(missing: string | undefined): TestOptions {
  return missing === undefined ? {} : { skip: true, meta: { skippedBecause: missing } }
}

/** Reason for skipping the tests of full disks. */
export const NO_DISK = "a small disk is mounted for it, which takes root"
