import type { WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"
import { sarifOf } from "switchyard/reports/sarif"
import { describe, expect, it } from "vitest"

const output = `
src/sum.ts:3:7 lint/style Use const.
./lib/a.py:12: error: Name "x" is not defined
src/b.ts(4,9): error TS2304: Cannot find name.
node_modules/left/index.js:1:1 not ours
at 10:15 nothing
`
const verdict = { status: "failed" as const, workspace_version: null, checks: [] }
const evidence: WorkEvidence = {
  ...{ worktree: "main", state: "valid", reason: null, run_id: "run_1", base_commit: "b", worktree_commit: "c" },
  ...{ reviewing: null, max_attempts: 5, attempts: [] },
  latest: {
    ...{ attempt_number: 2, commit: "c", ts: "2026-01-01T00:00:00.000Z", passed: false, result: "failed" },
    ...{ summary: "The work isn't verified.", issues: ["npm run lint: failed with exit code 1."], verdict },
  },
  checks: [
    { name: "build", command: "npm run build", passed: true, output: "src/x.ts:1:1 a warning", original_tests: false },
    { name: "lint", command: "npm run lint", passed: false, exit_code: 1, output, original_tests: false },
  ],
}

describe("evidence as SARIF", () => {
  it("has a result for each issue, and for each place in a file that a failed command named", () => {
    const { version, runs } = sarifOf(evidence)
    const [run] = runs
    expect([version, run?.tool.driver.rules]).toEqual(["2.1.0", [{ id: "verification" }, { id: "lint" }]])
    const places = run?.results.map(({ locations = [] }) =>
      locations.map(({ physicalLocation: at }) => [at.artifactLocation.uri, at.region.startLine]),
    )
    expect(places).toEqual([[], [["src/sum.ts", 3]], [["lib/a.py", 12]], [["src/b.ts", 4]]])
    expect(run?.results[1]?.message.text).toBe("lint/style Use const.")
    expect(run?.properties).toEqual({ commit: "c", attempt: 2 })
  })

  it("notes the tests that the work changed", () => {
    const changed_tests = [{ path: "a.test.js", reason: null, kind: "deleted" as const }]
    const latest = evidence.latest && { ...evidence.latest, issues: [], verdict: { ...verdict, changed_tests } }
    const [found] = sarifOf({ ...evidence, latest, checks: [] }).runs[0]?.results ?? []
    expect(found).toMatchObject({ ruleId: "changed-test", level: "note", message: { text: "a.test.js (deleted)" } })
  })

  it("has no result for checks that passed, and one for evidence that is void", () => {
    const passed = { ...evidence, latest: null, checks: evidence.checks.slice(0, 1) }
    expect(sarifOf(passed).runs[0]?.results).toEqual([])
    const { results } = sarifOf({ ...passed, state: "void", reason: "Files have changed since then." }).runs[0] ?? {}
    expect(results?.map(({ message }) => message.text)).toEqual([
      "The evidence is no longer valid. Files have changed since then.",
    ])
  })
})
