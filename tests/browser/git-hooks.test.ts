import { expect, it } from "vitest"
import { openPlace } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"

inChromium("a git hook", ({ visit }) => {
  it("is added and deleted in the settings, which show its secret once", async () => {
    await using place = await openPlace()
    await using visitor = await visit(`${place.url}/settings/git-hooks`)
    const { page } = visitor
    await page.getByText("No git hooks yet").waitFor()
    const form = page.getByRole("form", { name: "Add a git hook" })
    const add = form.getByRole("button", { name: "Add git hook" })
    await form.getByLabel("Agent").fill("nobody")
    await form.getByLabel("Repository").fill("https://github.com/ada/x.git")
    await form.getByLabel("For comments that begin").uncheck()
    expect(await add.isDisabled()).toBe(true)
    await form.getByLabel("For issues with the label").fill("agent")
    await add.click()
    await page.getByText("There is no account with this name.").waitFor()
    await form.getByLabel("Agent").fill("mock")
    await form.getByLabel("Whose comments count").fill("ada, grace")
    await add.click()

    const once = page.getByRole("region", { name: "Finish it on GitHub" })
    const [hook] = (await place.ask("GET", "/api/v1/git-hooks")).git_hooks
    expect(hook).toMatchObject({ users: ["ada", "grace"], rules: [{ on: "issue_labelled", label: "agent" }] })
    await once.getByText(`${place.url}${hook.path}`).waitFor()
    const secret = await once.getByRole("code").last().textContent()
    expect(secret).toMatch(/^\S{20,}$/)
    await once.getByRole("button", { name: "Done" }).click()
    await page.reload()
    const row = page.getByRole("listitem").filter({ hasText: "github.com/ada/x.git" })
    await row.getByText("GitHub · mock · label “agent”").waitFor()
    expect(await page.content()).not.toContain(secret)
    // An account of the agent's name, with the agent's own log-in, now takes its place.
    const files = {
      "login.json": JSON.stringify({ refresh_token: "person-4f1c9ab27e3d5580", at: "2026-01-01T00:00:00.000Z" }),
    }
    await place.ask("POST", "/api/v1/accounts", { name: "mock", provider: "mock", login: { files, consent: true } })
    await page.reload()
    await row.getByText("Starts nothing: The account mock uses the agent's own login").waitFor()
    await row.getByRole("button", { name: "Delete the git hook of" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("No git hooks yet").waitFor()
  })
})
