import assert from "node:assert/strict"
import { ended } from "../hostile/agent.ts"
import { openDepot } from "../runner/runner-process.ts"
import { type Container, makeRepository, startIn } from "./container.ts"

const PAGE = "<!doctype html><title>Page</title><h1>Hello</h1>"

/**
 * Makes the mock agent change a page. With a browser in the image, the work is verified with a screenshot; without one,
 * the verdict is `not_possible`.
 */
export async function tryPage(container: Container, { hasBrowser }: { hasBrowser: boolean }): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  const { path } = makeRepository(depot, { "index.html": PAGE })
  const runner = startIn(container, depot)
  const verification = { allow_test_changes: false, max_attempts: 1 }
  const files = { "index.html": PAGE.replace("Hello", "Hello again") }
  runner.run(await depot.create({ files }, path, { verification, consent: true }))
  await ended(depot, 0)
  const events = await depot.events()
  runner.child.stdin?.end()
  await runner.exited
  const opened = events.findLast((event) => event.type === "page_opened")
  const attempt = events.findLast((event) => event.type === "verification_attempt")
  const text = JSON.stringify({ opened, attempt })
  assert.equal(Boolean(opened?.picture), hasBrowser, text)
  assert.equal(attempt?.result, hasBrowser ? "passed" : "not_possible", text)
  console.log(`  a page: ${attempt?.result}`)
}
