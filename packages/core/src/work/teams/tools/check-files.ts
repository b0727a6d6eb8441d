import { type WorkspacePath, workspacePathIfValid } from "../../../files/workspaces/path.ts"
import type { Finding } from "../../checks/facts/finding.ts"
import { checkFileInThread } from "../../checks/in-thread.ts"
import { mistake } from "../../harness/durable-tools.ts"
import type { Member } from "./member.ts"
import { openWorkerTexts, type Worker, type WorkerTexts } from "./worker-texts.ts"

/**
 * Files with faults are returned this many times. Then they are published, and the final check of all files finds the
 * faults again.
 */
const MAX_REFUSALS = 2
const SHOWN_FAULTS = 10
const REFUSAL = "Nothing is published, for these files have faults:"

/** Finds definite faults in a text that a worker writes. */
export async function faultsIn(texts: WorkerTexts, path: WorkspacePath, text: string): Promise<Finding[]> {
  const before = await texts.before(path)
  return checkFileInThread({ path, text, ...(before !== undefined && { before }) })
}

export function faultsText(faults: Finding[]): string {
  return faults
    .slice(0, SHOWN_FAULTS)
    .map(({ path, message }) => `- ${path}: ${message}`)
    .join("\n")
}

/** Checks the files that a worker wrote itself before it publishes them. Definite faults are the worker's mistake. */
export async function checkFiles(member: Worker, paths: Iterable<WorkspacePath>): Promise<void> {
  if (refusals(member) >= MAX_REFUSALS) return
  const faults: Finding[] = []
  const texts = await openWorkerTexts(member)
  const written = new Set(pathsWritten(member))
  for (const path of paths) {
    const text = written.has(path) ? await texts.own(path).catch(() => undefined) : undefined
    if (text !== undefined) faults.push(...(await faultsIn(texts, path, text)))
  }
  if (faults.length === 0) return
  throw mistake(`${REFUSAL}\n${faultsText(faults)}\nCorrect them, and call publish again.`)
}

/** Commands left the other files, and are trusted to write them correctly. */
function pathsWritten({ messages }: Worker): WorkspacePath[] {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
  return calls.flatMap(({ name, args }) => {
    const { path } = (args ?? {}) as { path?: unknown }
    const isWrite = name === "write_file" || name === "edit_file"
    return (isWrite && typeof path === "string" && workspacePathIfValid(path)) || []
  })
}

/** Counts the worker's refusals in its conversation, which outlives its executor. */
function refusals({ messages }: Member): number {
  return messages.filter(({ role, content }) => role === "tool" && String(content).includes(REFUSAL)).length
}
