import { execFile } from "node:child_process"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"

const ROOT = join(import.meta.dirname, "..")
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs")

describe("a run of the tests", () => {
  it("passes on a machine with nothing but Node, and says what it skips and why", async () => {
    const args = [VITEST, "run", "tests/core/workspaces/archive.test.ts"]
    const env = { PATH: dirname(process.execPath), NO_COLOR: "1" }
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
    expect(stdout).toContain("Skipped on this machine:")
    for (const program of ["unzip", "python3"]) {
      const line = `1 in tests/core/workspaces/archive.test.ts: there is no ${program}; apt-get install ${program}\n`
      expect(stdout).toContain(line)
    }
  })
})
