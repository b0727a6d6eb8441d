import { expect, it } from "vitest"
import { openPlace } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"

inChromium("a git hook", ({ visit }) => {
  it("is added and deleted in the settings, which show its secret once", async () => {
    await using place = await openPlace()
    await using visitor = await visit(`${place.url}/settings/git-hooks`)
    const { page } = visitor
    await page.getByText("No git hooks yet").waitFor()
    await page.getByRole("button", { name: "Add git hook" }).click()
    const form = page.getByRole("dialog", { name: "Add a git hook" })
    const add = form.getByRole("button", { name: "Add" })
    await form.getByLabel("Agent").fill("nobody")
    await form.getByLabel("Repository").fill("https://github.com/ada/x.git")
    await form.getByLabel("Comments starting with").uncheck()
    expect(await add.isDisabled()).toBe(true)
    await form.getByLabel("Issues labeled").fill("agent")
    await add.click()
    await page.getByText("There is no account with this name.").waitFor()
    await form.getByLabel("Agent").fill("mock")
    await form.getByLabel("Allowed commenters").fill("ada, grace")
    await add.click()

    const once = page.getByRole("dialog", { name: "Finish setup on GitHub" })
    const [hook] = (await place.ask("GET", "/api/v1/git-hooks")).git_hooks
    expect(hook).toMatchObject({ users: ["ada", "grace"], rules: [{ on: "issue_labelled", label: "agent" }] })
    await once.getByText(`${place.url}${hook.path}`).waitFor()
    const secret = await once.getByRole("code").last().textContent()
    expect(secret).toMatch(/^\S{20,}$/)
    // A click outside the dialog must not close it: the secret is shown only once.
    await page.mouse.click(5, 400)
    await once.getByRole("button", { name: "Done" }).click()
    await page.reload()
    const row = page.getByRole("listitem").filter({ hasText: "github.com/ada/x.git" })
    await row.getByText("GitHub · mock · label “agent”").waitFor()
    expect(await page.content()).not.toContain(secret)
    // The hook now uses an account with the agent's name. It can't work, because it has the agent's own login.
    const files = {
      "login.json": JSON.stringify({ refresh_token: "person-4f1c9ab27e3d5580", at: "2026-01-01T00:00:00.000Z" }),
    }
    await place.ask("POST", "/api/v1/accounts", { name: "mock", provider: "mock", login: { files, consent: true } })
    await page.reload()
    await row.getByText("Not working: The account mock uses the agent's own login").waitFor()
    await row.getByRole("button", { name: "Delete the git hook for" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("No git hooks yet").waitFor()
  })
})
