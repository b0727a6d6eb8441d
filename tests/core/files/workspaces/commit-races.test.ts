import { fork } from "node:child_process"
import { once } from "node:events"
import { isAppError } from "@switchyard/core/errors"
import { applyChanges, replayChange } from "@switchyard/core/files/workspaces/changes"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { manifestText } from "@switchyard/core/files/workspaces/manifest"
import type { CommittedChange } from "@switchyard/core/files/workspaces/schema"
import { emptyManifest } from "@switchyard/core/files/workspaces/tree-model"
import { describe, expect, it } from "vitest"
import { eventsOf, newStage, put, signal } from "./stage.ts"

describe("several writers of one workspace", () => {
  it("lose no file of each other", async () => {
    await using stage = await newStage()
    const writers = await Promise.all(Array.from({ length: 6 }, () => stage.join()))
    await Promise.all(
      writers.map(async (session, writer) => {
        for (let round = 0; round < 6; round++) {
          await commitChanges(stage, session, [put(`shared/${writer}-${round}`, `${writer}/${round}`)], { signal })
        }
      }),
    )
    await stage.session.catchUp({ signal })
    const { files } = await (await openWorkspace(stage, stage.session, { signal })).readAllTexts({ signal })
    expect(Object.fromEntries(files.map(({ path, text }) => [path, text]))).toEqual(
      Object.fromEntries(
        writers.flatMap((_, writer) =>
          Array.from({ length: 6 }, (_, round) => [`shared/${writer}-${round}`, `${writer}/${round}`]),
        ),
      ),
    )
    await expectOneHistory(stage, 36)
  })

  it("who want the same file from the same base are one winner and conflicts", async () => {
    await using stage = await newStage()
    for (let round = 0; round < 5; round++) {
      const base = stage.session.state.workspace
      const writers = await Promise.all(Array.from({ length: 5 }, () => stage.join()))
      const results = await Promise.allSettled(
        writers.map((session, writer) =>
          commitChanges(stage, session, [put("a", `${round}:${writer}`)], { base, signal }),
        ),
      )
      const lost = results.filter((result) => result.status === "rejected")
      expect(lost).toHaveLength(4)
      expect(lost.every(({ reason }) => isAppError(reason, "workspace_conflict"))).toBe(true)
      await stage.session.catchUp({ signal })
      expect(stage.session.state.workspace.version).toBe(round + 1)
    }
  })

  it("in processes of their own lose nothing either, and expected bytes are a lock", async () => {
    await using stage = await newStage()
    const children = [0, 1, 2].map(() => fork(new URL("committer.ts", import.meta.url), [stage.directory, "15"]))
    try {
      await Promise.all(children.map((child) => once(child, "message")))
      const exits = children.map((child) => once(child, "exit"))
      for (const child of children) child.send("go")
      expect((await Promise.all(exits)).map(([code]) => code)).toEqual([0, 0, 0])
    } finally {
      for (const child of children) child.kill("SIGKILL")
    }
    await stage.session.catchUp({ signal })
    const workspace = await openWorkspace(stage, stage.session, { signal })
    const { files } = await workspace.readAllTexts({ signal })
    expect(files.find(({ path }) => path === "counter")?.text).toBe("45")
    expect(files.filter(({ path }) => path.startsWith("files/"))).toHaveLength(45)
    await expectOneHistory(stage, 45)
  })
})

/** Checks that versions have no gaps and that the changes in the log add up to the newest manifest. */
async function expectOneHistory(stage: Awaited<ReturnType<typeof newStage>>, versions: number) {
  const commits = await eventsOf(stage, "workspace_committed")
  expect(commits.map((event) => "version" in event && event.version)).toEqual(
    Array.from({ length: versions }, (_, index) => index + 1),
  )
  const told = commits.flatMap((event) => ("changes" in event ? (event.changes as CommittedChange[]) : []))
  const { manifest } = await openWorkspace(stage, stage.session, { signal })
  expect(manifestText(applyChanges(emptyManifest, told.map(replayChange)).manifest)).toBe(manifestText(manifest))
}
