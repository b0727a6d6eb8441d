import { isAppError } from "@switchyard/core/errors"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { type Change, manifestText } from "@switchyard/core/files/workspaces/manifest"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { compareVersions } from "@switchyard/core/sessions/versions/compare-versions"
import { listVersions, requireVersion } from "@switchyard/core/sessions/versions/read-versions"
import { restoreVersion } from "@switchyard/core/sessions/versions/restore-version"
import { createRun } from "@switchyard/core/work/runs/admission"
import { appendAsExecutor, claimRun, endRun } from "@switchyard/core/work/runs/rules"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { newStage, put, signal, whenPut } from "../../files/workspaces/stage.ts"
import { created } from "../../kernel/folded.ts"

const options = { signal }
type Stage = Awaited<ReturnType<typeof newStage>>

async function everything(stage: Stage) {
  const { manifest } = await openWorkspace(stage, stage.session, options)
  return manifestText(manifest)
}

const commit = (stage: Stage, changes: Change[], guard?: Parameters<typeof commitChanges>[3]["guard"]) =>
  commitChanges(stage, stage.session, changes, { ...(guard && { guard }), signal })

async function startRun({ session }: Stage, runId: string) {
  await session.decide(createRun(created(runId)), options)
  await session.decide(claimRun(runId, "exe", 0), options)
}

/** Returns blobs with which another tab saves a file just before the first manifest is stored. */
async function savingMeanwhile(stage: Stage) {
  const other = await stage.join()
  let saved = false
  const blobs = whenPut(stage.blobs, async (key) => {
    if (!key.includes("/manifests/") || saved) return
    saved = true
    await commitChanges(stage, other, [put("other", "by another tab")], options)
  })
  return { ...stage, blobs }
}

describe("restoring a version", () => {
  const path = fc.constantFrom("a.txt", "b/c.txt", "b/d/e.txt", "b", "f")
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.tuple(path, fc.string(), fc.constantFrom(0o644, 0o755)).map(([at, text, mode]) => put(at, text, { mode })),
    fc.tuple(path, fc.uint8Array()).map(([at, bytes]) => put(at, bytes)),
    path.map((at): Change => ({ op: "delete", path: workspacePath(at), recursive: true })),
    path.map((at): Change => ({ op: "make_folder", path: workspacePath(at) })),
    fc.tuple(path, path).map(
      ([from, to]): Change => ({
        op: "rename",
        fromPath: workspacePath(from),
        path: workspacePath(to),
        overwrite: true,
      }),
    ),
  )

  it("gives exactly its files after any edits, and undoing it gives exactly those before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 12 }), fc.nat(), async (changes, pick) => {
        await using stage = await newStage()
        const kept = [await everything(stage)]
        for (const each of changes) {
          await commit(stage, [each]).catch(refusal)
          if (stage.session.state.workspace.version === kept.length) kept.push(await everything(stage))
        }
        const target = pick % kept.length
        const latest = stage.session.state.workspace.version
        const restored = await restoreVersion(stage, stage.session, { version: target, signal })
        expect(await everything(stage)).toBe(kept[target])
        expect(restored).toMatchObject({ restored: target, previous: latest })
        expect(restored.changed).toBe(kept[target] !== kept[latest])
        const again = await restoreVersion(stage, stage.session, { version: target, signal })
        expect(again).toMatchObject({ changed: false, version: restored.version })
        await restoreVersion(stage, stage.session, { version: restored.previous, signal })
        expect(await everything(stage)).toBe(kept[latest])
      }),
      { numRuns: 25 },
    )
  })

  it("is refused while a run may change the files, and possible once it has ended", async () => {
    await using stage = await newStage()
    await commit(stage, [put("a", "1")])
    await commit(stage, [put("a", "2")])
    await startRun(stage, "run_1")
    const refused = restoreVersion(stage, stage.session, { version: 1, signal })
    await expect(refused).rejects.toMatchObject({ code: "run_active", details: { run_id: "run_1" } })
    await stage.session.decide(endRun("run_1", 1, 0, { type: "run_completed" }), options)
    expect(await restoreVersion(stage, stage.session, { version: 1, signal })).toMatchObject({ version: 3 })
  })

  it("is refused if a run begins while it is prepared, so that no run's write is lost", async () => {
    await using stage = await newStage()
    await commit(stage, [put("a", "1")])
    await commit(stage, [put("a", "2")])
    const other = await stage.join()
    const blobs = whenPut(stage.blobs, async (key) => {
      if (!key.includes("/manifests/") || other.state.runs.byId.run_1) return
      await other.decide(createRun(created()), options)
      await other.decide(claimRun("run_1", "exe", 0), options)
      const guard: Parameters<typeof commit>[2] = (events) => appendAsExecutor("run_1", 1, events)
      await commitChanges(stage, other, [put("b", "by the run")], { guard, step: "b", signal })
    })
    const refused = restoreVersion({ ...stage, blobs }, stage.session, { version: 1, signal })
    await expect(refused).rejects.toMatchObject({ code: "run_active" })
    const texts = await (await openWorkspace(stage, stage.session, options)).readAllTexts(options)
    expect(texts.files).toEqual([
      { path: "a", text: "2" },
      { path: "b", text: "by the run" },
    ])
  })

  it("gives exactly the wanted files even if another tab saves meanwhile, whose version stays restorable", async () => {
    await using stage = await newStage()
    await commit(stage, [put("a", "1")])
    const wanted = await everything(stage)
    await commit(stage, [put("a", "2")])
    const restored = await restoreVersion(await savingMeanwhile(stage), stage.session, { version: 1, signal })
    expect(restored).toMatchObject({ previous: 3, version: 4 })
    expect(await everything(stage)).toBe(wanted)
    await restoreVersion(stage, stage.session, { version: 3, signal })
    expect(await everything(stage)).toContain('"other"')
  })

  it("is refused if the files have changed since the version that the caller has seen", async () => {
    await using stage = await newStage()
    await commit(stage, [put("a", "1")])
    await commit(stage, [put("a", "2")])
    const ifVersion = 2
    const restored = restoreVersion(await savingMeanwhile(stage), stage.session, { version: 1, ifVersion, signal })
    await expect(restored).rejects.toMatchObject({ code: "workspace_conflict" })
    expect(stage.session.state.workspace.version).toBe(3)
    expect(await everything(stage)).toContain('"other"')
  })

  it("restores one file and leaves the others, also after it was deleted", async () => {
    await using stage = await newStage()
    await commit(stage, [put("a", "1"), put("b", "1")])
    await commit(stage, [put("b", "2"), { op: "delete", path: workspacePath("a") }])
    const path = workspacePath("a")
    await restoreVersion(stage, stage.session, { version: 1, path, signal })
    const texts = await (await openWorkspace(stage, stage.session, options)).readAllTexts(options)
    expect(texts.files).toEqual([
      { path: "a", text: "1" },
      { path: "b", text: "2" },
    ])
    await commit(stage, [put("a", "1", { mode: 0o755 })])
    expect(await restoreVersion(stage, stage.session, { version: 1, path, signal })).toMatchObject({ changed: true })
    const missing = restoreVersion(stage, stage.session, { version: 2, path, signal })
    await expect(missing).rejects.toMatchObject({ code: "workspace_not_found" })
    const unknown = restoreVersion(stage, stage.session, { version: 9, signal })
    await expect(unknown).rejects.toMatchObject({ code: "not_found", details: { newest_version: 5 } })
  })
})

describe("the list of versions", () => {
  it("has one entry for a run's commits, for each save and for each restore", async () => {
    await using stage = await newStage()
    await commit(stage, [put("mine", "1")])
    await startRun(stage, "run_1")
    const guard: Parameters<typeof commit>[2] = (events) => appendAsExecutor("run_1", 1, events)
    await commit(stage, [put("a", "1")], guard)
    await commit(stage, [put("b", "1"), put("mine", "2")], guard)
    await stage.session.decide(endRun("run_1", 1, 0, { type: "run_failed", ...FAILURE }), options)
    await commit(stage, [{ op: "rename", fromPath: workspacePath("a"), path: workspacePath("c") }])
    await restoreVersion(stage, stage.session, { version: 1, signal })
    const { versions, current, next } = await listVersions(stage, stage.session, { limit: 10, signal })
    expect({ current, next }).toEqual({ current: 5, next: null })
    expect(versions).toMatchObject([
      { version: 5, previous: 4, author: "restore", restores: { version: 1 }, files_changed: 1, files_deleted: 2 },
      { version: 4, previous: 3, author: "person", files_added: 0, files_changed: 1, run: null },
      {
        ...{ version: 3, previous: 1, author: "run", files_added: 2, files_changed: 1, files_deleted: 0 },
        run: { run_id: "run_1", status: "failed", request: created().title },
      },
      { version: 1, previous: 0, author: "person", files_added: 1 },
    ])
    const page = await listVersions(stage, stage.session, { limit: 2, signal })
    expect(page).toMatchObject({ next: 4, versions: [{ version: 5 }, { version: 4 }] })
    const rest = await listVersions(stage, stage.session, { limit: 2, before: 4, signal })
    expect(rest).toMatchObject({ next: null, versions: [{ version: 3 }, { version: 1 }] })
  })

  it("follows one file through renames of it and of its folder, and says when it was deleted", async () => {
    await using stage = await newStage()
    const rename = (from: string, to: string): Change => ({
      ...{ op: "rename", fromPath: workspacePath(from), path: workspacePath(to) },
    })
    await commit(stage, [put("a/x", "1"), put("other", "1")])
    await commit(stage, [put("other", "2")])
    await commit(stage, [rename("a", "b")])
    await commit(stage, [rename("b/x", "c")])
    await commit(stage, [{ op: "delete", path: workspacePath("c") }])
    const { versions } = await listVersions(stage, stage.session, { limit: 10, path: "c", signal })
    expect(versions.map(({ version, file }) => [version, file?.path, file?.size_bytes])).toEqual([
      [5, "c", null],
      [4, "c", 1],
      [3, "b/x", 1],
      [1, "a/x", 1],
    ])
  })
})

describe("the comparison of two versions", () => {
  it("has the lines of texts, and says what is binary, renamed or too large", async () => {
    await using stage = await newStage()
    await commit(stage, [
      ...[put("a", "one\ntwo\n"), put("gone", "1\n"), put("moved", "same\n"), put("pixels", Uint8Array.of(0, 1))],
      ...[put("large", "x\n".repeat(200_000)), put("run.sh", "go\n", { mode: 0o644 })],
    ])
    await commit(stage, [
      ...[put("a", "one\n2\n"), put("new", "hello"), put("pixels", Uint8Array.of(0, 2))],
      { op: "delete", path: workspacePath("gone") },
      { op: "rename", fromPath: workspacePath("moved"), path: workspacePath("there") },
      ...[put("large", "y\n".repeat(200_000)), put("run.sh", "go\n", { mode: 0o755 })],
    ])
    const [from, to] = [
      await requireVersion(stage, stage.session, 1, options),
      await requireVersion(stage, stage.session, 2, options),
    ]
    const found = await compareVersions(stage, stage.session, { from, to }, options)
    expect(found).toMatchObject({ from: 1, to: 2, files_changed: 7, insertions: 2, deletions: 2, complete: true })
    expect(found.files).toMatchObject([
      { new_path: "a", additions: 1, deletions: 1, hunks: [{ old_start: 1, old_count: 2 }] },
      { new_path: "gone", is_deleted: true, deletions: 1 },
      { new_path: "large", marks: ["too_large"], hunks: [] },
      { new_path: "new", is_new: true, additions: 1 },
      { new_path: "pixels", is_binary: true, additions: null },
      { new_path: "run.sh", old_mode: "100644", new_mode: "100755", hunks: [] },
      { old_path: "moved", new_path: "there", is_renamed: true, hunks: [] },
    ])
    const alone = await compareVersions(stage, stage.session, { from, to }, { path: "large", signal })
    expect(alone.files).toMatchObject([{ new_path: "large", marks: [], additions: 200_000 }])
  })
})

const FAILURE = { error_type: "workflow_error" as const, message: "It failed.", hint: "Try again.", retryable: false }

function refusal(error: unknown): void {
  if (!isAppError(error, "workspace_conflict") && !isAppError(error, "workspace_not_found")) throw error
}
