import { readFileSync } from "node:fs"
import { ensureArchive } from "@switchyard/core/files/archives/archive"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { openStage, SID, signal } from "./stage.ts"

// A process of its own that makes an archive, and says how many bytes it had at most, and before.
const stage = openStage(process.argv[2] ?? "")
const session = await openSessionLog(stage, SID, { signal })
const before = process.memoryUsage.rss()
const key = await ensureArchive(stage, session, { signal })
process.stdout.write(JSON.stringify({ peak: peakBytes(), before }))
await stage.blobs.remove(key)
stage.close()

/** Not `maxRSS`: on Linux that begins at what the parent had when it started us, however little we take. */
function peakBytes(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? []
  return Number(kilobytes) * 1024
}
