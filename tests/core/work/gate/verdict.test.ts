import { describeWork } from "@switchyard/core/sessions/forges/pull-request-text"
import type { ChangedTest } from "@switchyard/core/work/gate/schema"
import { describeVerdict, verdictOf } from "@switchyard/core/work/gate/verdict"
import { describe, expect, it } from "vitest"

const check = { name: "test" as const, command: "npm test", passed: true, exit_code: 0, duration_ms: 1 }
const changed: ChangedTest[] = [
  { path: "a.test.js", reason: "It was wrong.", kind: "changed" },
  { path: "b.test.js", reason: null, kind: "deleted" },
]

describe("a verdict in words", () => {
  it("names the tests that the work changed, with the reasons", () => {
    const verdict = { ...verdictOf({ workspace_version: 1 }, [check]), changed_tests: changed }
    const tests = "Changed tests: a.test.js (changed: It was wrong); b.test.js (deleted)"
    expect(describeVerdict(verdict)).toBe(`Checked: npm test: passed. ${tests}`)
    const evidence = { task: "Add.", result: null, commit: "c0ffee", verdict, issues: [] }
    expect(describeWork(evidence)).toContain("a.test.js (changed: It was wrong)")
    expect(describeWork({ ...evidence, issues: ["It is wrong."] })).toContain("a.test.js (changed: It was wrong)")
  })

  it("names no more than ten of them", () => {
    const many = Array.from(
      { length: 12 },
      (_, at): ChangedTest => ({ path: `${at}.js`, reason: null, kind: "extended" }),
    )
    const verdict = { ...verdictOf({ workspace_version: 1 }, [check]), changed_tests: many }
    expect(describeVerdict(verdict)).toMatch(/9\.js \(extended\); 2 more$/)
  })

  it("gives the reason for a failure in which every command passed", () => {
    const verdict = { ...verdictOf({ workspace_version: 1 }, [check]), status: "failed" as const, reason: "It skips." }
    expect(describeVerdict(verdict)).toBe("The check failed: It skips.")
  })
})
