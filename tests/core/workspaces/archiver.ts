import { ensureArchive } from "@switchyard/core/workspaces/archive"
import { openStage, signal } from "./stage.ts"

// A process of its own that makes the archive of a stage, and says how much memory that took.
const stage = openStage(process.argv[2] ?? "")
const session = await stage.join()
await ensureArchive(stage, session, { signal })
stage.close()
process.stdout.write(JSON.stringify({ maxRssBytes: process.resourceUsage().maxRSS * 1024 }))
