import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { createNewId } from "@switchyard/core/ids"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import { expect } from "vitest"
import { createClient } from "./client.ts"
import type { Cloud } from "./cloud.ts"
import { sidOf } from "./judge.ts"
import type { Scenarios } from "./stage.ts"

/** A launch may be under way for this long. */
const PAST_A_LAUNCH_MS = 31_000
/** Together larger than a zip that is made while the client waits. */
const FILES = ["1.txt", "2.txt", "3.txt"]
const contentOf = (path: string) => Buffer.alloc(9_000_000, path)

export const archives: Scenarios = {
  async "a large zip is made in the background, once, though its launch is lost"({ cloud }) {
    const client = await createClient(cloud)
    expect((await client.post("/workspace/session/large/touch", "large")).status).toBe(200)
    await fill(cloud, "large")
    cloud.lambda.fates.set(sidOf("large"), [{ deliveries: [] }, { deliveries: [0, 0] }])
    const folder = await mkdtemp(join(tmpdir(), "rehearsal-zip-"))
    try {
      const downloading = client.switchyard(["download", "--workspace", "large", "--out", join(folder, "out")])
      await cloud.launched("large", 1)
      await cloud.sweep({ aheadMs: PAST_A_LAUNCH_MS })
      const { code, stdout, stderr } = await downloading
      expect(code, stdout + stderr).toBe(0)
      for (const path of FILES) expect(await readFile(join(folder, "out", path))).toEqual(contentOf(path))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    await cloud.lambda.settled()
    const told = cloud.lines("archive").filter(({ sid }) => sid === sidOf("large"))
    expect(told.map(({ made }) => made).sort()).toEqual([false, true])
  },
}

/** Commits the files directly. Over the api, this would take sixty requests. */
async function fill({ stores }: Cloud, workspace: string): Promise<void> {
  const signal = AbortSignal.timeout(30_000)
  const log = createLog({ ...stores, clock: systemClock })
  const deps = { ...stores, log, clock: systemClock, newId: createNewId(), fold: sessionFold, writer: "rehearsal" }
  const session = await openSessionLog(deps, sidOf(workspace), { signal })
  const changes = FILES.map((path) => ({ op: "write" as const, path: workspacePath(path), bytes: contentOf(path) }))
  await commitChanges(stores, session, changes, { signal })
}
