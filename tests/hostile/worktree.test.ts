import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createWorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { openSession } from "@switchyard/core/kernel/rules"
import { readAll } from "@switchyard/core/storage/blobs"
import { describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import type { Depot } from "../runner/runner-process.ts"
import { never as signal, someOf } from "../settings.ts"
import { ended, env, isRoot, openPassable, scripted, tried, uidIn, worktreeOf } from "./agent.ts"

// Attempts by an agent's program on the runner, with files that the program leaves behind.

/** Creates a folder that only root may enter, with a file that must not change. */
function rootOnly(depot: Depot): { folder: string; isUntouched: () => boolean } {
  const folder = join(depot.folder, "root-only")
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(join(folder, "kept"), "not for agents")
  return {
    folder,
    isUntouched: () =>
      readdirSync(folder).join() === "kept" && readFileSync(join(folder, "kept"), "utf8") === "not for agents",
  }
}

async function write(depot: Depot, path: string, text: string): Promise<void> {
  const { head } = await depot.session.catchUp({ signal })
  if (head === 0) await depot.session.decide(openSession("s", {}), { signal })
  const change = { op: "write" as const, path: workspacePath(path), bytes: new TextEncoder().encode(text) }
  await commitChanges(depot.deps, depot.session, [change], { signal })
}

async function filesOf(depot: Depot): Promise<Record<string, string>> {
  const { workspace, session } = await depot.session.catchUp({ signal })
  const store = createWorkspaceStore(depot.deps.blobs, { sid: depot.sid, incarnation: session.incarnation })
  const { files } = await store.readManifest(workspace.manifest, { signal })
  const texts = files.map(async ({ path, sha256 }) => [path, `${await readAll(await store.read(sha256, { signal }))}`])
  return Object.fromEntries(await Promise.all(texts))
}

describe("an agent that leaves traps in its files", needs(isRoot ? undefined : "this user isn't root"), () => {
  it("can't have root follow the plan of an update that it made up", async () => {
    await using depot = await openPassable()
    const { folder, isUntouched } = rootOnly(depot)
    const plan = {
      process: { pid: 1, started: "x" },
      ...{ checkout: "/", gitDir: "$COMMON", branch: "nope", from: "x", to: "y", isApart: false, token: "t" },
    }
    const planted = folder.slice(1)
    const said = await tried(
      depot,
      `COMMON=$(git rev-parse --path-format=absolute --git-common-dir)
      ID=${randomUUID()}; JOURNAL=$COMMON/switchyard/$ID; mkdir -p $JOURNAL/stage/kept/${planted}
      echo planted >$JOURNAL/stage/kept/${planted}/planted
      cat >$JOURNAL/plan.json <<X\n${JSON.stringify({ ...plan, stage: "$JOURNAL/stage" })}\nX
      echo '[{"path":"${planted}/planted","before":"file","after":"nothing","put":null}]' >$JOURNAL/prepared.json
      ID=${randomUUID()}; mkdir -p $COMMON/switchyard/$ID
      cat >$COMMON/switchyard/$ID/plan.json <<X\n${JSON.stringify({ ...plan, checkout: "/nonexistent", stage: folder })}\nX
      ls ${depot.folder}/repositories ${depot.folder}/runner/*; echo x >${depot.folder}/repositories/x`,
    )
    expect(said.match(/Permission denied/g)?.length).toBeGreaterThanOrEqual(2)
    await tried(depot, "true")
    expect(isUntouched()).toBe(true)
  })

  it("can't have root make folders or files through its links, nor keep a session from going on", async () => {
    await using depot = await openPassable()
    const { folder, isUntouched } = rootOnly(depot)
    await tried(depot, `ln -s ${folder} link; ln -s ${folder}/kept file; mkdir -p deep; ln -s ${folder} deep/link`)
    await write(depot, "link/new/deep.txt", "ours\n")
    await write(depot, "file", "ours\n")
    await write(depot, "deep/link/kept", "ours\n")
    await tried(depot, "cat link/new/deep.txt file deep/link/kept >all.txt")
    expect(isUntouched()).toBe(true)
    expect(await filesOf(depot)).toMatchObject({ "all.txt": "ours\nours\nours\n", "link/new/deep.txt": "ours\n" })
  })

  it("can't have root remove a file through a link, though it has the very bytes of one that was deleted", async () => {
    await using depot = await openPassable()
    const { folder, isUntouched } = rootOnly(depot)
    await write(depot, "folder/kept", "not for agents")
    await tried(depot, "true")
    await tried(depot, `mv folder moved; ln -s ${folder} folder; git rm -q --cached folder/kept`)
    await depot.session.catchUp({ signal })
    const removal = { op: "delete" as const, path: workspacePath("folder"), recursive: true }
    await commitChanges(depot.deps, depot.session, [removal], { signal }).catch(() => undefined)
    await tried(depot, "true")
    expect(isUntouched()).toBe(true)
  })

  it.each(
    someOf(
      [
        ["the index", "rm $GITDIR/index; mkfifo $GITDIR/index"],
        ["a merge's state", "rm -f $GITDIR/MERGE_HEAD; mkfifo $GITDIR/MERGE_HEAD"],
        ["the worktree's link to git", "rm .git; mkfifo .git"],
        ["a file", "mkfifo tracked.txt"],
        ["a lock", "mkfifo $GITDIR/index.lock"],
        ["the head", "rm $GITDIR/HEAD; mkfifo $GITDIR/HEAD"],
      ],
      1,
    ),
  )("can't have the runner wait for good at a pipe in the place of %s", async (_, script) => {
    await using depot = await openPassable()
    const runner = depot.start(
      {
        git_within_ms: 2000,
        programs: [scripted(depot, `GITDIR=$(git rev-parse --path-format=absolute --git-dir); ${script}`)],
      },
      { env },
    )
    runner.run(await depot.create({}, null, { cli: "codex" }))
    const { seq } = await ended(depot, 0)
    runner.run(await depot.create({ files: { "after.txt": "after\n" } }))
    expect((await ended(depot, seq)).type).toBe("run_completed")
    expect(await filesOf(depot)).toMatchObject({ "after.txt": "after\n" })
  })

  it("finds everything of its session made as its own user", async () => {
    await using depot = await openPassable()
    await write(depot, "src/a.txt", "a\n")
    await tried(depot, "echo b >src/b.txt")
    const tree = await worktreeOf(depot)
    const foreign = execFileSync("find", [
      join(depot.folder, "projects", depot.sid),
      "-mindepth",
      "1",
      "!",
      "-uid",
      `${uidIn(depot)}`,
    ])
    expect(foreign.toString()).toBe("")
    expect(statSync(join(tree, "src/a.txt")).uid).toBe(uidIn(depot))
    expect(existsSync(join(tree, "src/b.txt"))).toBe(true)
  })
})
