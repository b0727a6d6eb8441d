import { aroundEach } from "vitest"

/**
 * Skips the rest of a suite once a test of it has failed, and says which: for suites in which one fault fails them all, each
 * after a wait of minutes. Vitest's own `bail` ends the whole run, and with it what other files would have said.
 */
export function stopAtFirstFailure(): void {
  let failed: string | undefined
  aroundEach(async (test, { task, skip }) => {
    // A note given to `skip` doesn't get out of this hook.
    if (failed !== undefined) task.meta.skippedBecause = `“${failed}” failed before`
    skip(failed !== undefined)
    await test()
    if (task.result?.state === "fail") failed = task.name
  })
}
