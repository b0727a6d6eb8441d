import { type WorkspacePath, workspacePathIfValid } from "../../../files/workspaces/path.ts"
import type { Finding } from "../../checks/facts/finding.ts"
import { checkFileInThread } from "../../checks/in-thread.ts"
import { mistake } from "../../harness/durable-tools.ts"
import type { Member } from "./member.ts"
import { openWorkerTexts, type Worker, type WorkerTexts } from "./worker-texts.ts"

/**
 * Maximum number of times that a worker's faulty files are rejected. After that, they are published anyway, because the
 * final check of all files will find the faults too.
 */
const MAX_REFUSALS = 2
const SHOWN_FAULTS = 10
const REFUSAL = "Nothing is published, because these files have faults:"

/** Finds definite errors in a text written by a worker. */
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

/**
 * Checks the files written by a worker before they are published. Throws an error for the model if any of them contains
 * a definite error.
 */
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
  throw mistake(`${REFUSAL}\n${faultsText(faults)}\nFix them, and call publish again.`)
}

/** Returns the files written by the worker's tools. Files written by commands are trusted, so they aren't checked. */
function pathsWritten({ messages }: Worker): WorkspacePath[] {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
  return calls.flatMap(({ name, args }) => {
    const { path } = (args ?? {}) as { path?: unknown }
    const isWrite = name === "write_file" || name === "edit_file"
    return (isWrite && typeof path === "string" && workspacePathIfValid(path)) || []
  })
}

/** Counts the rejections in the worker's conversation, which survives a change of executors. */
function refusals({ messages }: Member): number {
  return messages.filter(({ role, content }) => role === "tool" && String(content).includes(REFUSAL)).length
}
