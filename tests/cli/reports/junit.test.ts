import { Run } from "switchyard/api/responses"
import { junitOf } from "switchyard/reports/junit"
import { describe, expect, it } from "vitest"

const check = { name: "test", command: "npm test", exit_code: 0, duration_ms: 1234, passed: true }

function run(verdict: object | null, others: object = {}): Run {
  const about = { run_id: "run_1", workspace_id: "w", status: "completed", model: "mock/default" }
  const at = { created_at: "2026-01-01T00:00:00.000Z", ended_at: null, cancel_requested: false, duration_ms: 5000 }
  const links = { stream: "", events: "", download: "" }
  return Run.parse({ ...about, ...at, workspace_version: 1, verdict, error: null, links, ...others })
}

const verdictOf = (status: string, checks: object[], reason?: string) => ({
  ...{ status, workspace_version: null, commit: "c0ffee", checks, reason },
})

describe("the XML of a verdict", () => {
  it("has a case for each command, and one for the verdict, at its commit", () => {
    const xml = junitOf(run(verdictOf("passed", [{ ...check, tests: { passed: 3, failed: 0, skipped: 0 } }])))
    expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="0" skipped="0" time="5.000"><testsuite name="switchyard" tests="2" failures="0" skipped="0" time="5.000"><properties><property name="run" value="run_1"/>
<property name="commit" value="c0ffee"/></properties>
<testcase classname="switchyard" name="test: npm test" time="1.234"><system-out>npm test: 3 tests passed</system-out></testcase>
<testcase classname="switchyard" name="verdict" time="0.000"/></testsuite></testsuites>
`)
  })

  it("says what failed, in text that XML can hold", () => {
    const failed = { ...check, passed: false, exit_code: 1, command: 'run "a" && <b>\u0007' }
    const xml = junitOf(run(verdictOf("failed", [failed], "One\nreason & more.")))
    expect(xml).toContain('tests="2" failures="2"')
    expect(xml).toContain('<failure message="run &#34;a&#34; &#38;&#38; &#60;b&#62;: failed with exit code 1"/>')
    expect(xml).toContain('name="verdict" time="0.000"><failure message="One&#10;reason &#38; more."/>')
  })

  it("names the tests that the work changed, with the reasons", () => {
    const changed_tests = [{ path: "a.test.js", reason: "It was wrong.", kind: "changed" }]
    const xml = junitOf(run({ ...verdictOf("passed", [check]), changed_tests }))
    expect(xml).toContain('<property name="changed_tests" value="Changed tests: a.test.js (changed: It was wrong)"/>')
    expect(xml).toContain("<system-out>Changed tests: a.test.js (changed: It was wrong)</system-out>")
    expect(xml).toContain('failures="0"')
  })

  it("has a failed case for a warning, though everything passed", () => {
    const xml = junitOf(run(verdictOf("passed", [check]), { warning: 'No file contains "Order now".' }))
    expect(xml).toContain('tests="3" failures="1"')
    expect(xml).toContain('name="warning" time="0.000"><failure message="No file contains &#34;Order now&#34;."/>')
  })

  it("takes nothing that wasn't run for a success", () => {
    expect(junitOf(run(verdictOf("not_run", [], "Nothing to run.")))).toContain('<skipped message="Nothing to run."/>')
    const blocked = { ...check, passed: false, blocked: true, exit_code: 1, reason: "It needs the network." }
    const partly = junitOf(run(verdictOf("not_run", [blocked], "It couldn't be run.")))
    expect(partly).toContain('tests="2" failures="0" skipped="2"')
    expect(partly).toContain('<skipped message="npm test: couldn\'t be run. It needs the network."/>')
    const error = { error_type: "not_verified", message: "It could not be run.", hint: "" }
    const unverified = run(verdictOf("not_run", []), { status: "failed", error })
    expect(junitOf(unverified)).toContain('<failure message="It could not be run."/>')
    expect(junitOf(run(null, { status: "failed", error }))).toContain('<failure message="It could not be run."/>')
  })
})
