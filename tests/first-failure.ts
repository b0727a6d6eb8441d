import { aroundEach } from "vitest"

/**
 * Skips the rest of a suite after its first failed test, and names that test as the reason. Use it for suites in which
 * one fault fails every test after minutes of waiting. Vitest's `bail` would end the whole run, other files included.
 */
export function stopAtFirstFailure(): void {
  let failed: string | undefined
  aroundEach(async (test, { task, skip }) => {
    // Vitest drops a note passed to `skip` in this hook.
    if (failed !== undefined) task.meta.skippedBecause = `“${failed}” failed before`
    skip(failed !== undefined)
    await test()
    if (task.result?.state === "fail") failed = task.name
  })
}
