import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import type { TestRepository } from "../functions/agents/repository.ts"
import { inAgentsRoom } from "./harness/agents-room.ts"
import { until } from "./harness/until.ts"

const LINES = Array.from({ length: 40 }, (_, line) => `const line${line} = ${line}`)
const FILES = { "README.md": "# Shop\n", "src/price.ts": `${LINES.join("\n")}\n`, "src/cart.ts": "const cart = []\n" }

/** Returns the long file with some lines replaced. */
function priced(changes: Record<number, string>): string {
  return `${LINES.map((line, at) => changes[at] ?? line).join("\n")}\n`
}

inAgentsRoom("the room of an agent's changes", (room) => {
  const button = (name: string | RegExp) => room.page.getByRole("button", { name, exact: typeof name === "string" })
  const dialog = () => room.page.getByRole("dialog")
  const files = async () => {
    const rows = await room.page.getByRole("list", { name: "Changed files" }).getByRole("listitem").allInnerTexts()
    return rows.map((row) => row.split("\n")[0])
  }
  const lines = (path: string) => room.page.getByRole("region", { name: `Diff of ${path}` })
  const inCheckout = ({ folder }: TestRepository, path: string) => readFileSync(join(folder, path), "utf8")

  /** Creates an agent's work that conflicts in two files with commits made to the repository in the meantime. */
  async function atOdds(): Promise<{ id: string; repository: TestRepository }> {
    const repository = room.agents.repository(FILES)
    const work = { 3: "const line3 = 'agent'", 30: "const line30 = 'agent'" }
    const knobs = {
      files: { "src/price.ts": priced(work), "src/cart.ts": "const cart = ['agent']\n", "NEW.md": "new\n" },
    }
    const id = await room.agents.begin(knobs, { repository: repository.folder, done: true })
    const mine = { "src/price.ts": priced({ 3: "const line3 = 'main'", 30: "const line30 = 'main'" }) }
    repository.write({ ...mine, "src/cart.ts": "const cart = ['main']\n" })
    repository.git("commit", "-qam", "meanwhile")
    await room.page.goto(`/s/${id}/changes`)
    await button("Merge…").click()
    await dialog().getByRole("textbox", { name: "Commit message" }).fill("Merged by hand")
    await dialog().getByRole("button", { name: "Merge into main" }).click()
    await room.page.getByText("2 of 2 files still have conflicts").waitFor()
    return { id, repository }
  }

  it("shows a task's changes line by line, those of the next one with them, and merges all of it", async () => {
    const repository = room.agents.repository(FILES)
    const first = { files: { "src/price.ts": priced({ 20: "const line20 = 99" }), "NEW.md": "# New\n" } }
    const id = await room.agents.begin(first, { repository: repository.folder, done: true })
    await room.page.goto(`/s/${id}/changes`)
    await until(files).toEqual(["NEW.md", "price.ts"])
    await room.page.getByTitle("src/price.ts", { exact: true }).first().click()
    await until(() => lines("src/price.ts").innerText()).toMatch(/−\s*const line20 = 20[\s\S]*\+\s*const line20 = 99/)
    expect(await lines("src/price.ts").locator("mark").allInnerTexts()).toEqual(["20", "99"])
    await lines("src/price.ts").locator(".text-info", { hasText: "const" }).first().waitFor()

    // A file marked as viewed stays so until it changes.
    await room.page.keyboard.press("v")
    await room.page.getByText("1 of 2 viewed").waitFor()
    // The address names the file, so a link or a reload opens the same file.
    expect(new URL(room.page.url()).pathname).toBe(`/s/${id}/changes/src/price.ts`)
    await room.page.reload()
    await until(() => lines("src/price.ts").innerText()).toContain("const line20 = 99")
    await room.page.getByRole("link", { name: "Terminal" }).click()
    const second = JSON.stringify({
      files: { "src/price.ts": priced({ 21: "const line21 = 99" }), "src/new.ts": "1\n" },
    })
    await room.page.getByRole("textbox", { name: "Next task" }).fill(`And this. mock: ${second}`)
    await button("Send").click()
    await room.page.getByRole("link", { name: "Changes" }).click()
    await until(files).toEqual(["NEW.md", "new.ts", "price.ts"])
    await room.page.getByText("0 of 3 viewed").waitFor()
    await room.place.over(id)

    await button("Merge…").click()
    await until(() => room.page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA")
    await room.page.keyboard.type("Price it anew")
    await dialog().getByRole("button", { name: "Merge into main" }).click()
    await room.page.getByText("Everything is merged").waitFor()
    expect(repository.git("log", "-1", "--format=%s")).toBe("Price it anew\n")
    expect(inCheckout(repository, "src/new.ts")).toBe("1\n")
  })

  it("shows beside the diff what checks found out, until the work is another", async () => {
    const test = `import assert from "node:assert"
import { test } from "node:test"
import { add } from "./sum.js"

test("adds", () => assert.equal(add(1, 2), 3, "sum.js is wrong"))
`
    const manifest = JSON.stringify({ type: "module", scripts: { test: "node --test" } })
    const sum = (sign: string) => `export const add = (a, b) => a ${sign} b\n`
    const project = { "package.json": manifest, "sum.js": sum("-"), "sum.test.js": test }
    const knobs = { files: { "new.js": "" }, later: [{ "sum.js": sum("+") }] }
    const { folder, git } = room.agents.repository(project)
    const id = await room.agents.begin(knobs, { repository: folder, verify: true, done: true })
    await room.page.goto(`/s/${id}/changes`)
    const verdict = room.page.getByRole("region", { name: "Verdict" })
    await until(() => verdict.innerText()).toMatch(/^Verified\s[\s\S]*npm test: 1 test passed/)
    await button("Show checks").click()
    const evidence = room.page.getByRole("complementary", { name: "Checks" })
    await until(() => evidence.innerText()).toMatch(/Attempt\s2 of 5[\s\S]*Attempt 1[\s\S]*npm test: 1 test failed/)
    await evidence.getByText("Output").click()
    await evidence.getByText(/pass 1/).waitFor()
    // The diff is still shown beside the evidence.
    expect(await files()).toEqual(["new.js", "sum.js"])

    await room.agents.begin({ files: { "sum.js": sum("*") } }, { sessionId: id, done: true })
    await until(() => verdict.innerText()).toMatch(/^Checks outdated\s[\s\S]*The branch has since moved to/)
    await evidence.getByText("Current commit").waitFor()

    await button("Merge…").click()
    await until(() => dialog().innerText()).toMatch(/Checks outdated\. The branch has since moved to/)
    await dialog().getByRole("button", { name: "Cancel" }).click()

    await button("Verify…").click()
    await dialog().getByLabel("Verify future tasks").selectOption("Yes")
    await dialog().getByRole("button", { name: "Save" }).click()
    await room.page.getByText("Future tasks in this session will be verified.").waitFor()
    await room.agents.begin({ files: { "sum.js": sum("+") } }, { sessionId: id, done: true })
    await until(() => verdict.innerText()).toMatch(/^Verified/)

    // Merged work shows no verdict until its merge is undone.
    await button("Merge…").click()
    await dialog().getByRole("button", { name: "Merge into main" }).click()
    await room.page.getByText("Everything is merged").waitFor()
    await until(() => verdict.count()).toBe(0)
    await button("Undo merge").click()
    await room.page.getByText("The merge into main was undone.").waitFor()
    await until(files).toEqual(["new.js", "sum.js"])
    await verdict.waitFor()
    expect(git("log", "-1", "--format=%s")).toBe("begin\n")
  })

  it("runs the repository's hooks if asked to, shows why one refuses, and else says that they weren't run", async () => {
    const repository = room.agents.repository(FILES)
    const hook = join(repository.folder, ".git/hooks/pre-commit")
    mkdirSync(dirname(hook), { recursive: true })
    writeFileSync(hook, "#!/bin/sh\necho 'NEW.md has no title.'\nexit 1\n", { mode: 0o755 })
    const id = await room.agents.begin({ files: { "NEW.md": "new\n" } }, { repository: repository.folder, done: true })
    await room.page.goto(`/s/${id}/changes`)
    await button("Merge…").click()
    const hooks = dialog().getByRole("checkbox", { name: "Run Git hooks" })
    const hint = await hooks.evaluate((box) => {
      return document.getElementById(box.getAttribute("aria-describedby") ?? "")?.textContent
    })
    expect(hint).toContain("A failing hook stops the merge")
    await hooks.check()
    await dialog().getByRole("button", { name: "Merge into main" }).click()
    await dialog().getByText("The repository's pre-commit hook refused the commit.").waitFor()
    await dialog().getByText("NEW.md has no title.").waitFor()
    expect(repository.git("log", "-1", "--format=%s")).toBe("begin\n")

    await hooks.uncheck()
    await dialog().getByRole("button", { name: "Merge into main" }).click()
    await room.page.getByText("The repository's pre-commit hook wasn't run.").first().waitFor()
    expect(inCheckout(repository, "NEW.md")).toBe("new\n")
  })

  it("resolves a merge region by region, file by file and by side, and makes it", async () => {
    const { repository } = await atOdds()
    expect(inCheckout(repository, "src/cart.ts")).toBe("const cart = ['main']\n")
    const conflict = room.page.getByRole("list", { name: "Files with conflicts" })
    await conflict.getByRole("button", { name: /price\.ts/ }).click()
    const region = (at: number) => room.page.getByRole("region", { name: `Conflict ${at} of 2` })
    await region(1).getByRole("button", { name: "Use main" }).click()
    await button(/Resolve file \(1 of 2 conflicts\)/).waitFor()
    await region(2).getByRole("button", { name: "Both" }).click()
    await button("Resolve file").click()
    // The next file with a conflict opens automatically.
    const cart = room.page.getByRole("region", { name: "Conflict in src/cart.ts" })
    await cart.getByRole("group", { name: "Whole file" }).getByRole("button", { name: "Use this branch" }).click()
    await room.page.getByText("all conflicts in 2 files are resolved").waitFor()
    await button("Complete merge").click()
    await room.page.getByText("Everything is merged").waitFor()
    expect(inCheckout(repository, "src/cart.ts")).toBe("const cart = ['agent']\n")
    const both = "const line30 = 'main'\nconst line30 = 'agent'"
    expect(inCheckout(repository, "src/price.ts")).toBe(priced({ 3: "const line3 = 'main'", 30: both }))
    expect(repository.git("log", "-1", "--format=%s")).toBe("Merged by hand\n")
    expect(repository.git("status", "--porcelain")).toBe("")
  })

  it("aborts a merge, resets the work and deletes it, each once it was meant", async () => {
    const { repository } = await atOdds()
    const confirm = async (opener: string, answer: string) => {
      await button(opener).click()
      // The dialog focuses the harmless answer first.
      await until(() => dialog().locator(":focus").innerText()).toMatch(/Go back|Cancel/)
      await dialog().getByRole("button", { name: answer, exact: true }).click()
      await until(() => dialog().count()).toBe(0)
    }
    await confirm("Abort merge", "Abort")
    await until(files).toEqual(["NEW.md", "cart.ts", "price.ts"])
    expect(repository.git("log", "-1", "--format=%s")).toBe("meanwhile\n")

    await confirm("Reset…", "Reset")
    await room.page.getByText("No changes").waitFor()
    await confirm("Delete…", "Delete")
    await room.page.getByText("No worktree yet").waitFor()
    expect(repository.git("branch", "--list")).toBe("* main\n")
  })

  it("says what it waits for, what can't be read, and that nobody can be reached", async () => {
    const repository = room.agents.repository(FILES)
    const knobs = { files: { "NEW.md": "# New\n" } }
    const id = await room.agents.begin(knobs, { repository: repository.folder, done: true })
    const asked = Promise.withResolvers<void>()
    await room.page.route("**/worktree", async (route) => {
      await asked.promise
      await route.fulfill({
        status: 500,
        json: { error: { code: "git_error", message: "Git is unwell.", details: {} } },
      })
    })
    await room.page.route("**/worktree/diff/full", (route) => route.fulfill({ status: 500, json: {} }))
    await room.page.goto(`/s/${id}/changes`)
    await room.page.locator("main .bg-line").first().waitFor()
    asked.resolve()
    await room.page.getByText("Git is unwell.").waitFor()
    await room.page.unroute("**/worktree")
    await button("Try again").click()
    // Only this file's lines fail to load; the list of files is shown.
    await until(files).toEqual(["NEW.md"])
    await room.page.getByText("Couldn't load the changes in this file.").waitFor()
    await room.page.unroute("**/worktree/diff/full")
    await button("Try again").click()
    await until(() => lines("NEW.md").innerText()).toContain("# New")

    room.place.wire.cut()
    await room.page.getByText("Showing the last known state.").first().waitFor()
    for (const name of ["Merge…", "Push…", "Reset…", "Delete…"]) expect(await button(name).isDisabled()).toBe(true)
    room.place.wire.mend()
    await until(() => button("Merge…").isEnabled()).toBe(true)
  })

  it("goes on to the next file with V, and says after the merge what became of it all", async () => {
    const repository = room.agents.repository(FILES)
    const knobs = { files: { "A.md": "a\n", "B.md": "b\n", "C.md": "c\n" } }
    const id = await room.agents.begin(knobs, { repository: repository.folder, done: true })
    await room.page.goto(`/s/${id}/changes`)
    await until(files).toEqual(["A.md", "B.md", "C.md"])
    expect(await room.page.getByRole("heading", { name: /^Branch/ }).innerText()).toMatch(/switchyard\/do-mock-files/)
    for (const count of [1, 2, 3, 3]) {
      await room.page.keyboard.press("v")
      await room.page.getByText(`${count} of 3 viewed`).waitFor()
    }
    await button("Merge…").click()
    await dialog().getByRole("checkbox", { name: "Delete worktree after merging" }).uncheck()
    await dialog().getByRole("button", { name: "Merge into main" }).click()
    await room.page.getByText("Everything is merged").waitFor()
    const commit = repository.git("rev-parse", "main").trim().slice(0, 7)
    await room.page
      .getByRole("region", { name: "Worktree status" })
      .getByText(`Merged into main as ${commit}.`)
      .waitFor()
  })

  it("names what an agent left unresolved, and then what is kept of it, with a command that checks it out", async () => {
    const repository = room.agents.repository(FILES)
    const about = { repository: repository.folder, done: true }
    const id = await room.agents.begin({ files: { "README.md": "# Agent\n" } }, about)
    repository.write({ "README.md": "# Main\n" })
    repository.git("commit", "-qam", "meanwhile")
    const merges = "git -c user.name=A -c user.email=a@example.org merge main || true"
    await room.agents.begin({ commands: [merges] }, { ...about, sessionId: id })
    await room.page.goto(`/s/${id}/changes`)
    await room.page.getByText("A merge in the worktree isn't finished: 1 file with conflicts.").waitFor()
    const inConflict = room.page.getByRole("list", { name: "Files with conflicts" })
    expect(await inConflict.getByRole("listitem").allInnerTexts()).toEqual(["README.md"])
    for (const name of ["Merge…", "Push…", "Update"]) expect(await button(name).isDisabled()).toBe(true)
    expect(await room.page.getByText("A merge in the worktree isn't finished").count()).toBe(1)

    await room.page
      .getByRole("navigation")
      .getByRole("link", { name: /^Do it/ })
      .first()
      .focus()
    await room.page.keyboard.press("Delete")
    const kept = `The changes will be kept in ${repository.folder} under refs/switchyard/kept until the session's retention period ends.`
    await dialog().getByText(`The session's worktree has unmerged changes. ${kept}`).waitFor()
    await dialog().getByRole("button", { name: "Cancel" }).click()
    await button("Delete…").click()
    await dialog()
      .getByText(/^You can recover unmerged changes/)
      .waitFor()
    await dialog().getByRole("button", { name: "Delete" }).click()
    const status = room.page.getByRole("region", { name: "Worktree status" })
    await status.getByText(/^Unmerged work is kept under refs\/switchyard\/kept\//).waitFor()
    await room.page.getByText("No worktree yet").waitFor()
    execFileSync("sh", ["-c", await status.locator("pre").innerText()], { cwd: "/", stdio: "ignore" })
    const [folder = ""] = readdirSync(dirname(repository.folder)).filter((name) => name.startsWith("kept-"))
    expect(readFileSync(join(dirname(repository.folder), folder, "files/README.md"), "utf8")).toContain("<<<<<<<")
  })
})
