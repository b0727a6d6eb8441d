import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openDepot } from "./runner-process.ts"

/** Starts a program that outlives this shell and endlessly creates files in the folder `theirs`. */
const STARTER = `
  mkdir "$0"/theirs && cd "$0"/theirs
  (i=0; while :; do mkdir -p objects/$i; : > objects/$i/file; i=$((i+1)); done) <&- >&- 2>&- &
  wait`

it("leaves nothing of a depot, though a program of its killed runner still writes there", async () => {
  const depot = await openDepot()
  depot.start({}, { command: ["/bin/sh", "-c", STARTER, depot.folder] })
  await expect.poll(() => existsSync(join(depot.folder, "theirs/objects/1/file")), { interval: 1 }).toBe(true)
  await depot[Symbol.asyncDispose]()
  expect(existsSync(depot.folder)).toBe(false)
})
