import { existsSync, readFileSync } from "node:fs"
import { ensureArchive } from "@switchyard/core/files/archives/archive"
import { openStage, signal } from "../workspaces/stage.ts"

// A process of its own that makes the archive of a stage, and says how much memory that took.
const stage = openStage(process.argv[2] ?? "")
const session = await stage.join()
await ensureArchive(stage, session, { signal })
stage.close()
process.stdout.write(JSON.stringify({ peakBytes: peakBytes() }))

/** On Linux `maxRSS` begins at what the parent had, which would hide what we take ourselves. */
function peakBytes(): number {
  const status = "/proc/self/status"
  if (!existsSync(status)) return process.resourceUsage().maxRSS * 1024
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8")) ?? []
  return Number(kilobytes) * 1024
}
