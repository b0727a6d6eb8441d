import { execFileSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { ended } from "../ended.ts"
import { serveForge } from "../fixtures/forge-server.ts"
import { serveGit } from "../fixtures/git-server.ts"
import { makeRepository } from "../functions/agents/repository.ts"
import { removeFolder } from "../remove-folder.ts"
import { openPlace } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"

const TOKEN = "ghp_9fJmZ0p9QdXwT4yKcR7u"

inChromium("a token for a git host", ({ visit }) => {
  it("is added and deleted in the settings, and never comes back", async () => {
    await using place = await openPlace()
    await using visitor = await visit(`${place.url}/settings/git-hosts`)
    const { page } = visitor
    const heard: string[] = []
    page.on("response", async (answer) => {
      if (answer.url().includes("/api/v1/")) heard.push(await answer.text().catch(() => ""))
    })
    await page.getByText("No tokens yet").waitFor()
    await page.getByRole("button", { name: "Add token" }).click()
    const form = page.getByRole("dialog")
    const save = form.getByRole("button", { name: "Save" })
    await form.getByLabel("Service").selectOption({ label: "GitLab" })
    expect(await form.getByLabel("Host").inputValue()).toBe("gitlab.com")
    await form.getByLabel("Service").selectOption({ label: "GitHub" })
    await form.getByLabel("Host").fill("not a host")
    await form.getByLabel("Token").fill(TOKEN)
    await save.click()
    await page.getByText("It must be a host name, such as github.com.").waitFor()
    await form.getByLabel("Host").fill("GitHub.com")
    await save.click()
    const row = page.getByRole("listitem").filter({ hasText: "github.com" })
    await row.getByText("GitHub", { exact: true }).waitFor()
    await row.getByRole("button", { name: "Replace the token for github.com" }).click()
    expect(await form.getByLabel("Token").inputValue()).toBe("")
    await form.getByLabel("Token").fill(`${TOKEN}2`)
    await save.click()
    await form.waitFor({ state: "detached" })
    await row.getByRole("button", { name: "Delete the token for github.com" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("No tokens yet").waitFor()
    // The deleted row's button is gone, so the list's heading gets the focus.
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Tokens")
    expect(heard.join()).not.toContain(TOKEN)
  })

  it("makes a pull request of what is in Changes", async () => {
    const around = mkdtempSync(join(tmpdir(), "switchyard-forge-"))
    const bare = join(around, "served/ada/x.git")
    execFileSync("git", ["clone", "--bare", "--quiet", makeRepository(join(around, "source")).folder, bare])
    await using git = await serveGit(join(around, "served"), { username: "x-access-token", password: TOKEN })
    await using forge = await serveForge("github", { token: TOKEN, repository: bare })
    await using place = await openPlace()
    const host = { token: TOKEN, kind: "github", scheme: "http", api_url: `${forge.url}/api/v3` }
    await place.ask("PUT", `/api/v1/git-hosts/${encodeURIComponent(git.host)}`, host)
    const { id } = await place.ask("POST", "/api/v1/sessions", { repository: `http://${git.host}/ada/x.git` })
    const task = { coding_agent: "mock", task_description: 'Add a greeting. mock: {"files":{"a.txt":"Hello\\n"}}' }
    const { task_id } = await place.ask("POST", `/api/v1/sessions/${id}/tasks`, task)
    await ended((path) => place.ask("GET", path), task_id)

    await using visitor = await visit(`${place.url}/s/${id}/changes`)
    const { page } = visitor
    await page.getByRole("button", { name: "Pull request…" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Title").fill("Add a greeting")
    await dialog.getByRole("button", { name: "Open", exact: true }).click()
    await page.getByText("Opened pull request 1").waitFor()
    const link = page.getByRole("link", { name: "Add a greeting", exact: true })
    expect(await link.getAttribute("href")).toBe("https://forge.example/ada/x/pulls/1")
    expect(forge.pulls).toMatchObject([{ title: "Add a greeting", open: true }])
    await removeFolder(around, { kill: false })
  })
})
