import { readFileSync } from "node:fs"
import { ensureArchive } from "@switchyard/core/files/archives/archive"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { openStage, SID, signal } from "./stage.ts"

// Creates an archive in its own process, and prints the peak memory in bytes and the memory before it began.
const stage = openStage(process.argv[2] ?? "")
const session = await openSessionLog(stage, SID, { signal })
const before = process.memoryUsage.rss()
const key = await ensureArchive(stage, session, { signal })
process.stdout.write(JSON.stringify({ peak: peakBytes(), before }))
await stage.blobs.remove(key)
stage.close()

/** Returns the peak memory in bytes. `maxRSS` can't be used, because on Linux it starts at the parent's memory. */
function peakBytes(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? []
  return Number(kilobytes) * 1024
}
