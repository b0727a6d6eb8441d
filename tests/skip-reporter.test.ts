import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"

const ROOT = join(import.meta.dirname, "..")
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs")

describe("a run of the tests", () => {
  it("passes on a machine with nothing but Node, and says what it skips and why", async () => {
    const args = [VITEST, "run", "tests/core/files/archives/archive.test.ts"]
    const env = { PATH: dirname(process.execPath), NO_COLOR: "1" }
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
    expect(stdout).toContain("Skipped on this machine:")
    for (const program of ["unzip", "python3"]) {
      const line = `1 in tests/core/files/archives/archive.test.ts: there is no ${program}; apt-get install ${program}\n`
      expect(stdout).toContain(line)
    }
  })

  it("skips the tests after a failure in a suite that stops there, and can run just those afterwards", async () => {
    const folder = await mkdtemp(join(tmpdir(), "skipped-"))
    const list = join(folder, "skipped")
    const run = async (...filters: string[]) => {
      const args = [VITEST, "run", "--config", "tests/fixtures/first-failure/vitest.config.ts", ...filters]
      const env = { PATH: dirname(process.execPath), NO_COLOR: "1", SKIPPED_TESTS: list }
      const failure = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env }).catch((error) => error)
      expect(failure.code).toBe(1)
      return failure.stdout
    }
    const first = await run()
    expect(first).toMatch(/Tests +1 failed \| 2 passed \| 2 skipped/)
    expect(first).toContain("2 in tests/fixtures/first-failure/suites.ts: “fails” failed before\n")
    const filters = (await readFile(list, "utf8")).split("\n")
    const second = await run(...filters)
    expect(second).toMatch(/Tests +1 failed \| 1 passed \| 3 skipped/)
    expect(second).not.toContain("Skipped on this machine")
    await rm(folder, { recursive: true })
  })
})
