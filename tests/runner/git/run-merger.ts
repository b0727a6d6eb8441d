import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

const MERGER = join(import.meta.dirname, "merger.ts")

/**
 * Merges a session's work in a process of its own, or undoes its merge. It dies before the step `dieAt`; for 0 it lives, and
 * prints how many steps there were.
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
