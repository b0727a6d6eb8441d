import { existsSync, readFileSync } from "node:fs"
import { ensureArchive } from "@switchyard/core/files/archives/archive"
import { openStage, signal } from "../workspaces/stage.ts"

// Makes the archive of a stage in its own process, and prints the peak memory.
const stage = openStage(process.argv[2] ?? "")
const session = await stage.join()
await ensureArchive(stage, session, { signal })
stage.close()
process.stdout.write(JSON.stringify({ peakBytes: peakBytes() }))

/** On Linux, `maxRSS` starts at the parent's value, which would hide this process's own use. */
function peakBytes(): number {
  const status = "/proc/self/status"
  if (!existsSync(status)) return process.resourceUsage().maxRSS * 1024
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8")) ?? []
  return Number(kilobytes) * 1024
}
