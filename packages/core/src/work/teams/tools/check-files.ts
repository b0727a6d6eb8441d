import { type WorkspacePath, workspacePath } from "../../../files/workspaces/path.ts"
import type { Finding } from "../../checks/facts/finding.ts"
import { mistake } from "../../harness/durable-tools.ts"
import { currentFiles, publishedIn, type StagedFile } from "../files.ts"
import { nodeOf, orThrow, teamOf } from "../refusals.ts"
import type { Member } from "./member.ts"

type Worker = Member & { nodeId: string }

/** So often files with faults are handed back. Then they are published: the check of all files at the end finds them again. */
const MAX_REFUSALS = 2
const SHOWN_FAULTS = 10
const REFUSAL = "Nothing is published, for these files have faults:"

/** Finds what is certainly wrong with a text that a worker writes. */
export async function faultsIn(member: Worker, path: WorkspacePath, text: string): Promise<Finding[]> {
  const before = await textBefore(member, path)
  // Loaded with the first file: a worker needn't know grammars to start.
  const { checkFile } = await import("../../checks/check-file.ts")
  return checkFile({ path, text, ...(before !== undefined && { before }) })
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
export async function checkFiles(member: Worker, staged: Iterable<StagedFile>): Promise<void> {
  if (refusals(member) >= MAX_REFUSALS) return
  const faults: Finding[] = []
  for (const file of staged) {
    if ("bytes" in file) faults.push(...(await faultsIn(member, file.path, Buffer.from(file.bytes).toString())))
  }
  if (faults.length === 0) return
  throw mistake(`${REFUSAL}\n${faultsText(faults)}\nCorrect them, and call publish again.`)
}

/** The number of times that the worker was refused. Its conversation tells, whichever process goes on with it. */
function refusals({ messages }: Member): number {
  return messages.filter(({ role, content }) => role === "tool" && String(content).includes(REFUSAL)).length
}

/** The text in whose place the worker's will be: what a node on which it builds made of the file, or the project has. */
async function textBefore({ deps, context, nodeId }: Worker, path: WorkspacePath) {
  const files = await currentFiles(deps, context)
  const { dependsOn } = orThrow(nodeOf(orThrow(teamOf(context.state())), nodeId))
  const places = [...dependsOn.map((id) => workspacePath(`${publishedIn(id)}/${path}`)).reverse(), path]
  const place = places.find((one) => files.stat(one)?.type === "file")
  return place && files.readText(place, context).catch(() => undefined)
}
