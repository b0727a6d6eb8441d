import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { TestRepository } from "../functions/agents/repository.ts"
import { type AgentsPlace, withAgents } from "./harness/agents.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"
import type { Visit } from "./harness/visit.ts"

/** A repository's hook that refuses, in words. */
function refuse(hooks: string, name: string, words: string): string {
  const hook = join(hooks, name)
  mkdirSync(dirname(hook), { recursive: true })
  writeFileSync(hook, `#!/bin/sh\necho '${words}' >&2\nexit 1\n`)
  chmodSync(hook, 0o755)
  return hook
}

inChromium("what is left to do about an agent's work", ({ visit }) => {
  let place: Place
  let agents: AgentsPlace
  let visitor: Visit
  let page: Page
  beforeAll(async () => {
    place = await openPlace()
    agents = withAgents(place)
    visitor = await visit(place.url)
    page = visitor.page
  })
  afterAll(async () => {
    await visitor?.[Symbol.asyncDispose]()
    await place?.[Symbol.asyncDispose]()
    expect(place?.server.reported ?? []).toEqual([])
  })

  const button = (name: string) => page.getByRole("button", { name, exact: true })
  const dialog = () => page.getByRole("dialog")
  const state = () => page.getByRole("region", { name: "State of the work" })

  /** Asks for a merge of all of it, and then for the worktree to be deleted. */
  async function merge({ hooks = false } = {}): Promise<void> {
    await button("Merge…").click()
    await dialog().getByRole("checkbox", { name: "Delete the worktree after" }).check()
    if (hooks) await dialog().getByRole("checkbox", { name: "Run the repository's hooks" }).check()
    await dialog().getByRole("button", { name: "Merge into main" }).click()
    await until(() => dialog().count()).toBe(0)
  }

  /** An agent's work that is in conflict with what somebody committed meanwhile. */
  async function atOdds(): Promise<{ id: string; repository: TestRepository }> {
    const repository = agents.repository({ "price.ts": "1\n" })
    const id = await agents.begin({ files: { "price.ts": "2\n" } }, { repository: repository.folder, done: true })
    repository.write({ "price.ts": "3\n" })
    repository.git("commit", "-qam", "meanwhile")
    await page.goto(`/s/${id}/changes`)
    return { id, repository }
  }

  async function useTheirs(): Promise<void> {
    await button("Use this branch for all").click()
    await dialog().getByRole("button", { name: "Use this branch" }).click()
    await page.getByText("1 file in conflict, all resolved").waitFor()
  }

  it("shows deletions that wait for somebody, after a reload too, and lets the files go once it is confirmed", async () => {
    const id = await place.session()
    for (const path of ["a.txt", "b.txt", "src/c.txt", "d.txt"]) {
      await place.ask("PUT", "/workspace/file", { path, content: `${path}\n`, workspace_id: id })
    }
    const seq = (await place.ask("GET", `/api/v1/sessions/${id}`)).latest_seq
    const knobs = { deletes: ["a.txt", "b.txt", "src"], files: { "e.txt": "e\n" } }
    await agents.begin(knobs, { sessionId: id, done: true })
    await page.goto(`/s/${id}/changes`)
    await state().getByText("The work deleted 3 of the session's 4 files.").waitFor()
    const listed = () => state().getByRole("list", { name: "Deleted files" }).getByRole("listitem").allInnerTexts()
    expect(await listed()).toEqual(["a.txt", "b.txt", "src/c.txt"])

    // At an earlier moment there are none, and now there are.
    await page.goto(`/s/${id}/changes?seq=${seq}`)
    await page.getByText("This is an earlier moment.").waitFor()
    await until(() => state().innerText()).not.toContain("deleted")
    await button("Live").click()
    await until(listed).toHaveLength(3)
    await page.waitForURL((url) => !url.searchParams.has("seq"))
    await page.reload()
    await until(listed).toHaveLength(3)

    await button("Delete 3 files…").focus()
    await page.keyboard.press("Enter")
    await until(() => dialog().locator(":focus").innerText()).toBe("Keep it")
    await page.keyboard.press("Enter")
    await until(() => dialog().count()).toBe(0)
    await button("Delete 3 files…").click()
    await dialog().getByRole("button", { name: "Delete 3 files" }).click()
    await until(() => state().innerText()).not.toContain("deleted")
    await until(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe("State of the work")
    const { files } = await place.ask("GET", `/workspace/files?workspace_id=${id}`)
    expect(Object.keys(files).sort()).toEqual(["d.txt", "e.txt"])
    await page.reload()
    await button("Merge…").waitFor()
    expect(await state().innerText()).toBe("")
  })

  it("offers to push a merge that only the session's clone has, after a reload and a refusal too", async () => {
    const source = agents.repository()
    const remote = `${source.folder}.git`
    execFileSync("git", ["clone", "--bare", "--quiet", source.folder, remote])
    const { id } = await place.ask("POST", "/api/v1/sessions", { repository: `file://${remote}` })
    await agents.begin({ files: { "a.txt": "a\n" } }, { sessionId: id, done: true })
    await page.goto(`/s/${id}/changes`)
    await merge()
    await page.getByText("No worktree yet").waitFor()
    await button("Push to origin/main").waitFor()
    await page.reload()
    const hook = refuse(join(remote, "hooks"), "pre-receive", "Not on a Sunday.")
    await button("Push to origin/main").click()
    await state().getByText("The remote did not take the branch.").waitFor()
    await page.reload()
    await state().getByText("The remote did not take the branch.").waitFor()

    rmSync(hook)
    await button("Push to origin/main").click()
    await state().getByText("Pushed to origin/main.").waitFor()
    await until(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe("State of the work")
    expect(execFileSync("git", ["show", "main:a.txt"], { cwd: remote, encoding: "utf8" })).toBe("a\n")
    await page.reload()
    await state().getByText("Pushed to origin/main.").waitFor()
    expect(await button("Push to origin/main").count()).toBe(0)
  })

  it("says why the worktree is still there that was to go with its merge", async () => {
    const { id, repository } = await atOdds()
    await merge()
    await agents.begin({ files: { "late.txt": "late\n" } }, { sessionId: id, done: true })
    await useTheirs()
    await button("Complete the merge").click()
    const why = "The worktree stays: it has commits that came after the merge began."
    await state().getByText(why).waitFor()
    await state().getByText("Merge once more to bring that in, too").waitFor()
    await page.reload()
    await state().getByText(why).waitFor()
    expect(repository.git("ls-tree", "--name-only", "main")).toBe("price.ts\n")
  })

  it("completes a merge with the repository's hooks or without, and shows what a hook said that refused", async () => {
    const { repository } = await atOdds()
    refuse(join(repository.folder, ".git/hooks"), "pre-commit", "price.ts is too dear.")
    const hooks = page.getByRole("checkbox", { name: "Run the repository's hooks" })
    await merge()
    await useTheirs()
    expect(await hooks.isChecked()).toBe(false)
    await hooks.check()
    await button("Complete the merge").click()
    await page.getByText("The repository's pre-commit hook refused the commit.").first().waitFor()
    await page.getByText("price.ts is too dear.").waitFor()
    await page.getByText("The merge waits, with what was resolved.").waitFor()
    expect(repository.git("log", "-1", "--format=%s")).toBe("meanwhile\n")

    await hooks.uncheck()
    await button("Complete the merge").click()
    await state().getByText("The repository's pre-commit hook wasn't run.").waitFor()
    expect(repository.git("show", "main:price.ts")).toBe("2\n")
  })

  it("completes a merge as it was asked for: with the repository's hooks", async () => {
    const { repository } = await atOdds()
    await merge({ hooks: true })
    await useTheirs()
    await page.reload()
    const hooks = page.getByRole("checkbox", { name: "Run the repository's hooks" })
    await until(() => hooks.isChecked()).toBe(true)
    await button("Complete the merge").click()
    await state()
      .getByText(/^Merged into main\. The commit is [0-9a-f]{7}\.$/)
      .waitFor()
    expect(repository.git("show", "main:price.ts")).toBe("2\n")
  })
})
