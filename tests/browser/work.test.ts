import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import type { TestRepository } from "../functions/agents/repository.ts"
import { inAgentsRoom } from "./harness/agents-room.ts"
import { until } from "./harness/until.ts"

/** Writes a Git hook that prints a message and fails. Returns its path. */
function refuse(hooks: string, name: string, words: string): string {
  const hook = join(hooks, name)
  mkdirSync(dirname(hook), { recursive: true })
  writeFileSync(hook, `#!/bin/sh\necho '${words}' >&2\nexit 1\n`)
  chmodSync(hook, 0o755)
  return hook
}

inAgentsRoom("what is left to do about an agent's work", (room) => {
  const button = (name: string) => room.page.getByRole("button", { name, exact: true })
  const dialog = () => room.page.getByRole("dialog")
  const state = () => room.page.getByRole("region", { name: "Worktree status" })

  /** Requests a merge of all the work and the deletion of the worktree afterwards. */
  async function merge({ hooks = false } = {}): Promise<void> {
    await button("Merge…").click()
    await dialog().getByRole("checkbox", { name: "Delete worktree after merging" }).check()
    if (hooks) await dialog().getByRole("checkbox", { name: "Run Git hooks" }).check()
    await dialog().getByRole("button", { name: "Merge into main" }).click()
    await until(() => dialog().count()).toBe(0)
  }

  /** Creates an agent's work that conflicts with a commit made to the repository in the meantime. */
  async function atOdds(): Promise<{ id: string; repository: TestRepository }> {
    const repository = room.agents.repository({ "price.ts": "1\n" })
    const id = await room.agents.begin({ files: { "price.ts": "2\n" } }, { repository: repository.folder, done: true })
    repository.write({ "price.ts": "3\n" })
    repository.git("commit", "-qam", "meanwhile")
    await room.page.goto(`/s/${id}/changes`)
    return { id, repository }
  }

  async function useTheirs(): Promise<void> {
    await button("Use this branch for all files").click()
    await dialog().getByRole("button", { name: "Use this branch" }).click()
    await room.page.getByText("all conflicts in 1 file are resolved").waitFor()
  }

  it("shows deletions that wait for somebody, after a reload too, and lets the files go once it is confirmed", async () => {
    const id = await room.place.session()
    for (const path of ["a.txt", "b.txt", "src/c.txt", "d.txt"]) {
      await room.place.ask("PUT", "/workspace/file", { path, content: `${path}\n`, workspace_id: id })
    }
    const seq = (await room.place.ask("GET", `/api/v1/sessions/${id}`)).latest_seq
    const knobs = { deletes: ["a.txt", "b.txt", "src"], files: { "e.txt": "e\n" } }
    await room.agents.begin(knobs, { sessionId: id, done: true })
    await room.page.goto(`/s/${id}/changes`)
    await state().getByText("The agent deleted 3 of the session's 4 files.").waitFor()
    const listed = () => state().getByRole("list", { name: "Deleted files" }).getByRole("listitem").allInnerTexts()
    expect(await listed()).toEqual(["a.txt", "b.txt", "src/c.txt"])

    // At an earlier moment no files are deleted; at the live moment they are.
    await room.page.goto(`/s/${id}/changes?seq=${seq}`)
    await room.page.getByText("You're viewing an earlier point in this session.").waitFor()
    await until(() => state().innerText()).not.toContain("deleted")
    await button("Live").click()
    await until(listed).toHaveLength(3)
    await room.page.waitForURL((url) => !url.searchParams.has("seq"))
    await room.page.reload()
    await until(listed).toHaveLength(3)

    await button("Delete 3 files…").focus()
    await room.page.keyboard.press("Enter")
    await until(() => dialog().locator(":focus").innerText()).toBe("Cancel")
    await room.page.keyboard.press("Enter")
    await until(() => dialog().count()).toBe(0)
    await button("Delete 3 files…").click()
    await dialog().getByRole("button", { name: "Delete 3 files" }).click()
    await until(() => state().innerText()).not.toContain("deleted")
    await until(() => room.page.evaluate(() => document.activeElement?.ariaLabel)).toBe("Worktree status")
    const { files } = await room.place.ask("GET", `/workspace/files?workspace_id=${id}`)
    expect(Object.keys(files).sort()).toEqual(["d.txt", "e.txt"])
    await room.page.reload()
    await button("Merge…").waitFor()
    expect(await state().innerText()).toBe("")
  })

  it("offers to push a merge that only the session's clone has, after a reload and a refusal too", async () => {
    const source = room.agents.repository()
    const remote = `${source.folder}.git`
    execFileSync("git", ["clone", "--bare", "--quiet", source.folder, remote])
    const { id } = await room.place.ask("POST", "/api/v1/sessions", { repository: `file://${remote}` })
    await room.agents.begin({ files: { "a.txt": "a\n" } }, { sessionId: id, done: true })
    await room.page.goto(`/s/${id}/changes`)
    await merge()
    await room.page.getByText("No worktree yet").waitFor()
    await button("Push to origin/main").waitFor()
    await room.page.reload()
    const hook = refuse(join(remote, "hooks"), "pre-receive", "Not on a Sunday.")
    await button("Push to origin/main").click()
    await state().getByText("The remote rejected the branch.").waitFor()
    await room.page.reload()
    await state().getByText("The remote rejected the branch.").waitFor()

    rmSync(hook)
    await button("Push to origin/main").click()
    await state().getByText("Pushed to origin/main.").waitFor()
    await until(() => room.page.evaluate(() => document.activeElement?.ariaLabel)).toBe("Worktree status")
    expect(execFileSync("git", ["show", "main:a.txt"], { cwd: remote, encoding: "utf8" })).toBe("a\n")
    await room.page.reload()
    await state().getByText("Pushed to origin/main.").waitFor()
    expect(await button("Push to origin/main").count()).toBe(0)
  })

  it("says why the worktree is still there that was to go with its merge", async () => {
    const { id, repository } = await atOdds()
    await merge()
    await room.agents.begin({ files: { "late.txt": "late\n" } }, { sessionId: id, done: true })
    await useTheirs()
    await button("Complete merge").click()
    const why = "The worktree was kept: it has commits made after the merge began."
    await state().getByText(why).waitFor()
    await state().getByText("Merge again to include those changes").waitFor()
    await room.page.reload()
    await state().getByText(why).waitFor()
    expect(repository.git("ls-tree", "--name-only", "main")).toBe("price.ts\n")
  })

  it("completes a merge with the repository's hooks or without, and shows what a hook said that refused", async () => {
    const { repository } = await atOdds()
    refuse(join(repository.folder, ".git/hooks"), "pre-commit", "price.ts is too dear.")
    const hooks = room.page.getByRole("checkbox", { name: "Run Git hooks" })
    await merge()
    await useTheirs()
    expect(await hooks.isChecked()).toBe(false)
    await hooks.check()
    await button("Complete merge").click()
    await room.page.getByText("The repository's pre-commit hook refused the commit.").first().waitFor()
    await room.page.getByText("price.ts is too dear.").waitFor()
    await room.page.getByText("The merge stays paused, and your resolutions are saved.").waitFor()
    expect(repository.git("log", "-1", "--format=%s")).toBe("meanwhile\n")

    await hooks.uncheck()
    await button("Complete merge").click()
    await state().getByText("The repository's pre-commit hook wasn't run.").waitFor()
    expect(repository.git("show", "main:price.ts")).toBe("2\n")
  })

  it("completes a merge as it was asked for: with the repository's hooks", async () => {
    const { repository } = await atOdds()
    await merge({ hooks: true })
    await useTheirs()
    await room.page.reload()
    const hooks = room.page.getByRole("checkbox", { name: "Run Git hooks" })
    await until(() => hooks.isChecked()).toBe(true)
    await button("Complete merge").click()
    await state()
      .getByText(/^Merged into main as [0-9a-f]{7}\.$/)
      .waitFor()
    expect(repository.git("show", "main:price.ts")).toBe("2\n")
  })
})
