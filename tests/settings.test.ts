import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const TESTS = import.meta.dirname

/** Folders of programs that `npm test` doesn't run. */
const OTHERS = ["rehearsal/", "image/", "clis/", "clients/"]

const OWN_LIMITS = [/AbortSignal\.timeout\(/, /\btimeout: \d/, /^\s*\}, \d[\d_]*\)$/m, /setDefaultTimeout\(\d/]

describe("a test", () => {
  it("has no limit of its own, which a busy machine would pass", () => {
    const files = globSync("**/*.ts", { cwd: TESTS }).filter((file) => !OTHERS.some((other) => file.startsWith(other)))
    expect(files.length).toBeGreaterThan(300)
    const found = files.filter((file) => {
      const text = readFileSync(join(TESTS, file), "utf8")
      return file !== "settings.test.ts" && OWN_LIMITS.some((limit) => limit.test(text))
    })
    expect(found).toEqual([])
  })
})
