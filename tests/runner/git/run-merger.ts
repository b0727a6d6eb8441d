import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

const MERGER = join(import.meta.dirname, "merger.ts")

/**
 * Merges a session's work in a separate process, or undoes its merge. The process dies before step `dieAt`. With 0, it
 * survives and prints its number of steps.
 */
export async function runMerger(at: { repo: string; folder: string }, dieAt: number, task: "merge" | "undo" = "merge") {
  const args = [MERGER, at.repo, join(at.folder, "data/s1"), "s1", `${dieAt}`, task]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(child, "exit")
  let output = ""
  for await (const chunk of child.stdout) output += chunk
  const [, killedBy] = await ended
  return { output, killedBy }
}
