import { execFile } from "node:child_process"
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

  it("leaves out what comes after a failure in a suite that stops there, and says so", async () => {
    const args = [VITEST, "run", "--config", "tests/fixtures/first-failure/vitest.config.ts"]
    const env = { PATH: dirname(process.execPath), NO_COLOR: "1" }
    const { code, stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env }).catch(
      (error) => error,
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/Tests +1 failed \| 2 passed \| 2 skipped/)
    expect(stdout).toContain("2 in tests/fixtures/first-failure/suites.ts: “fails” failed before\n")
  })
})
