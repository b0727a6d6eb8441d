import { createHash } from "node:crypto"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { openSession } from "@switchyard/core/kernel/rules"
import { createGit } from "@switchyard/runner/git/plumbing/create-git"
import { createNotices } from "@switchyard/runner/project/notices"
import { locateWorktree } from "@switchyard/runner/project/worktree-location"
import { expect, it } from "vitest"
import { never as signal } from "../../settings.ts"
import { openDepot } from "../runner-process.ts"

it("keeps a worktree's name in a data folder that moves, and after an upgrade in the same folder", async () => {
  await using depot = await openDepot()
  const { session, deps, sid } = depot
  const git = createGit({ env: {} })
  await session.decide(openSession("s", {}), { signal })
  const locate = (data: string) => {
    const project = { ...deps, git, folder: join(data, "projects"), notes: join(data, "runner", sid), worktree: "main" }
    const about = { sid, repository: null, state: session.state }
    return locateWorktree({ ...project, notices: createNotices() } as never, about).where.folder
  }
  const [here, moved] = [join(depot.folder, "here"), join(depot.folder, "moved")]
  const home = `projects/${sid}/${session.state.session.incarnation}`
  const name = locate(here).slice(here.length)
  mkdirSync(join(here, name), { recursive: true })
  cpSync(here, moved, { recursive: true })
  expect(locate(moved)).toBe(join(moved, name))

  // The first versions named a worktree after the full path of its repository.
  const former = createHash("sha256")
    .update(join(here, home, "workspace"))
    .digest("hex")
    .slice(0, 12)
  mkdirSync(join(here, home, "work", former))
  expect(locate(here)).toBe(join(here, home, "work", former))
})
