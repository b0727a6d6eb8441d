import { writeFile } from "node:fs/promises"
import { describeChangedTest } from "@switchyard/core/work/gate/verdict"
import type { WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"

/** Option for a file that lists the problems in the work. */
export interface SarifOption {
  sarif?: string
}

/** Writes the evidence to a file in a format for code scanning. Does nothing if no file is given. */
export async function writeSarif(evidence: WorkEvidence, file: string | undefined): Promise<void> {
  if (file !== undefined) await writeFile(file, `${JSON.stringify(sarifOf(evidence), null, 2)}\n`)
}

/**
 * Returns the problems in the work as a SARIF 2.1.0 log: the issues of the newest attempt, the locations that failed
 * commands have printed, and an error if the evidence is no longer valid. Also contains notes about changed tests.
 */
export function sarifOf({ latest, checks, state, reason }: WorkEvidence) {
  const issues = (latest?.issues ?? []).map((text) => resultOf("verification", text))
  const failed = checks.filter(({ passed }) => passed === false)
  const locations = failed.flatMap(({ name, output }) =>
    locationsIn(output).map((location) => resultOf(name, location.text, location)),
  )
  const isVoid = state === "void" ? [resultOf("void", `The evidence is no longer valid. ${reason ?? ""}`.trim())] : []
  const changed = (latest?.verdict.changed_tests ?? []).map((test) => ({
    ...resultOf("changed-test", describeChangedTest(test), { path: test.path, line: 1, text: "" }),
    level: "note" as const,
  }))
  const results = [...isVoid, ...issues, ...locations, ...changed]
  const rules = [...new Set(results.map(({ ruleId }) => ruleId))].map((id) => ({ id }))
  const driver = { name: "Switchyard", rules }
  const properties = latest ? { commit: latest.commit, attempt: latest.attempt_number } : {}
  const run = { tool: { driver }, results, properties, columnKind: "utf16CodeUnits" as const }
  return { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0" as const, runs: [run] }
}

interface SourceLocation {
  path: string
  line: number
  text: string
}

interface Result {
  ruleId: string
  level: "error" | "note"
  message: { text: string }
  locations?: { physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }[]
}

function resultOf(ruleId: string, text: string, location?: SourceLocation): Result {
  const result = { ruleId, level: "error" as const, message: { text } }
  if (!location) return result
  const physicalLocation = { artifactLocation: { uri: encodeURI(location.path) }, region: { startLine: location.line } }
  return { ...result, locations: [{ physicalLocation }] }
}

/** Matches a line that begins with a location in a file, such as `src/a.ts:3:7 …` or `src/a.ts(3,7): …`. */
const SOURCE_LOCATION = /^\s*(?:at\s+)?([\w@.-][\w@./-]*\.[A-Za-z]\w*)(?::(\d+)|\((\d+),\d+\))(?::\d+)?[:\s-]*(.*)$/
const MAX_LOCATIONS = 100

function locationsIn(output: string): SourceLocation[] {
  const found = output.split("\n").flatMap((whole) => {
    const [, path = "", line = "", other = "", text = ""] = SOURCE_LOCATION.exec(whole) ?? []
    const number = Number(line || other)
    if (number === 0 || path.startsWith("..") || path.includes("node_modules/")) return []
    return [{ path: path.replace(/^\.\//, ""), line: number, text: text.trim() || whole.trim() }]
  })
  return found.slice(0, MAX_LOCATIONS)
}
