import { type WorkspacePath, workspacePathIfValid } from "../../../files/workspaces/path.ts"
import type { Finding } from "../../checks/facts/finding.ts"
import { checkFileInThread } from "../../checks/in-thread.ts"
import { mistake } from "../../harness/durable-tools.ts"
import type { Member } from "./member.ts"
import { openWorkerTexts, type Worker, type WorkerTexts } from "./worker-texts.ts"

/** So often files with faults are handed back. Then they are published: the check of all files at the end finds them again. */
const MAX_REFUSALS = 2
const SHOWN_FAULTS = 10
const REFUSAL = "Nothing is published, for these files have faults:"

/** Finds what is certainly wrong with a text that a worker writes. */
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
 * Checks the files that a worker is about to publish, as far as it has written them itself. What is certainly wrong with them is a
 * mistake of the worker's.
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
  throw mistake(`${REFUSAL}\n${faultsText(faults)}\nCorrect them, and call publish again.`)
}

/** Other files were left by commands, which know what they make. */
function pathsWritten({ messages }: Worker): WorkspacePath[] {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
  return calls.flatMap(({ name, args }) => {
    const { path } = (args ?? {}) as { path?: unknown }
    const isWrite = name === "write_file" || name === "edit_file"
    return (isWrite && typeof path === "string" && workspacePathIfValid(path)) || []
  })
}

/** The number of times that the worker was refused. Its conversation tells, whichever process goes on with it. */
function refusals({ messages }: Member): number {
  return messages.filter(({ role, content }) => role === "tool" && String(content).includes(REFUSAL)).length
}
