import { writeFile } from "node:fs/promises"
import type { CheckResult } from "@switchyard/core/work/gate/schema"
import { describeChangedTests, describeCheck } from "@switchyard/core/work/gate/verdict"
import type { Run } from "../api/responses.ts"
import type { Cli } from "../cli.ts"

/** Option for a file to write the verdict to. */
export interface JunitOption {
  junit?: string
}

/**
 * Writes the verdict of a finished run to a file, in a test result format that pipelines can read. Does nothing if no
 * file is given.
 */
export async function writeJunit(cli: Cli, runId: string, file: string | undefined): Promise<void> {
  if (file === undefined) return
  await writeFile(file, junitOf(await cli.api.run(runId, { signal: cli.interrupts.second })))
}

/**
 * Returns a run's verdict as JUnit XML. There is a test case for each command and for the verdict itself, and a failed
 * test case if there is a warning.
 */
export function junitOf({ run_id, verdict, warning, error, duration_ms }: Run): string {
  const checks = verdict?.checks ?? []
  const said = verdict?.reason ?? error?.message ?? "The run doesn't have a verdict."
  const kind = kindOf(verdict, error)
  const changed = verdict && describeChangedTests(verdict)
  const inside = kind ? element(kind, { message: said }) : changed ? element("system-out", {}, [xmlText(changed)]) : ""
  const warned = warning === null ? [] : [testCase("warning", 0, element("failure", { message: warning }))]
  const cases = [...checks.map(caseOf), testCase("verdict", 0, inside), ...warned]
  const failed = checks.filter(({ passed, blocked }) => !passed && !blocked).length + warned.length
  const failures = failed + (kind === "failure" ? 1 : 0)
  const skipped = checks.filter(({ blocked }) => blocked).length + (kind === "skipped" ? 1 : 0)
  const counts = { tests: cases.length, failures, skipped, time: seconds(duration_ms ?? 0) }
  const named = { run: run_id, commit: verdict?.commit, changed_tests: changed || undefined }
  const about = Object.entries(named).filter(([, value]) => value !== undefined)
  const properties = element(
    "properties",
    {},
    about.map(([name, value = ""]) => element("property", { name, value })),
  )
  const suite = element("testsuite", { name: "switchyard", ...counts }, [properties, ...cases])
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", counts, [suite])}\n`
}

/** Returns the name of the element that explains why a verdict didn't pass. Empty if it passed. */
function kindOf(verdict: Run["verdict"], error: Run["error"]): "" | "skipped" | "failure" {
  if (error !== null || !verdict || verdict.status === "failed") return "failure"
  return verdict.status === "not_run" ? "skipped" : ""
}

function caseOf(check: CheckResult): string {
  const text = describeCheck(check)
  const failed = check.blocked ? "skipped" : "failure"
  const inside = check.passed ? element("system-out", {}, [xmlText(text)]) : element(failed, { message: text })
  return testCase(`${check.name}: ${check.command}`, check.duration_ms, inside)
}

function testCase(name: string, durationMs: number, inside: string): string {
  return element("testcase", { classname: "switchyard", name, time: seconds(durationMs) }, inside ? [inside] : [])
}

function element(name: string, attributes: Record<string, string | number>, inside: string[] = []): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${xmlText(String(value))}"`)
  const begin = `<${name}${written.join("")}`
  return inside.length === 0 ? `${begin}/>` : `${begin}>${inside.join("\n")}</${name}>`
}

/** Removes characters that XML doesn't allow, and escapes special characters. */
function xmlText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they aren't allowed in XML
  const plain = text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
  return plain.replace(/[&<>"\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
