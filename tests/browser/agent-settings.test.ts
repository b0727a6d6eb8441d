import { expect, it } from "vitest"
import { makeRepository } from "../functions/agents/repository.ts"
import { openPlace } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the settings for agents", ({ visit }) => {
  it("have the order of accounts, the rules for their limits, and what a mock agent pretends", async () => {
    await using place = await openPlace()
    for (const name of ["first", "second"]) await place.ask("POST", "/api/v1/accounts", { name, provider: "mock" })
    await using visitor = await visit(`${place.url}/settings/accounts`)
    const { page } = visitor
    const config = (name: string) => place.ask("GET", `/api/v1/config/${name}`)

    const add = page.getByLabel("Add an account")
    await add.selectOption("first")
    await until(() => config("provider-fallback-order")).toEqual({ order: ["first"] })
    await add.selectOption("second")
    await until(() => config("provider-fallback-order")).toEqual({ order: ["first", "second"] })
    await page.getByRole("button", { name: "Move second up" }).press("Enter")
    await until(() => config("provider-fallback-order")).toEqual({ order: ["second", "first"] })
    const threshold = page.getByLabel("Switch accounts at")
    await threshold.fill("most")
    await page.getByText("Enter a whole number from 0 to 100.").waitFor()
    await threshold.fill("75")
    await threshold.press("Enter")
    await until(() => config("usage-switch-threshold")).toEqual({ threshold: 75 })

    await page.getByRole("button", { name: "Edit first" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Remaining limit").fill("120")
    await dialog.getByText("Enter a number from 0 to 100, or leave empty.").waitFor()
    await dialog.getByLabel("Remaining limit").fill("12.5")
    await dialog.getByLabel("Seconds per turn").fill("3")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(await config("mock-remaining-usage/first")).toMatchObject({ remaining: 0.125 })
    expect(await config("mock-context-remaining/first")).toMatchObject({ remaining: null })
    expect(await config("mock-run-duration/first")).toMatchObject({ seconds: 3 })

    await page.getByRole("link", { name: "Limits", exact: true }).first().click()
    await page.getByRole("button", { name: "Add rule" }).click()
    await dialog.getByLabel("When").selectOption("Context window")
    await dialog.getByLabel("Then").selectOption("Wait for the limit to reset")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("Waiting doesn't free up context.").waitFor()
    await dialog.getByLabel("Then").selectOption("Notify me")
    await dialog.getByLabel("Threshold").fill("77")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    const row = page.getByRole("listitem").filter({ hasText: "Context window at 77%" })
    await row.getByRole("button", { name: /^Move rule .* up$/ }).click()
    await until(async () => (await config("action-settings")).settings.at(-2)?.event).toBe("context_usage")
    await row.getByRole("button", { name: /^Move rule .* down$/ }).click()
    await page.getByLabel("Quiet hours").check()
    await page.getByLabel("From").fill("21:30")
    await page.getByLabel("Time zone").fill("Mars/Olympus")
    await page.getByLabel("Retries per task").fill("3")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Unknown time zone.").waitFor()
    await page.getByLabel("Time zone").fill("Europe/Berlin")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved.", { exact: true }).waitFor()
    const { settings, ...others } = await config("action-settings")
    expect(others).toEqual({
      max_waits: 3,
      quiet_hours: { from: "21:30", to: "07:00", time_zone: "Europe/Berlin" },
    })
    expect(settings.at(-1)).toEqual({ event: "context_usage", action: "notify", threshold: 77 })
  })

  it("have the rules on what agents may do", async () => {
    await using place = await openPlace()
    await using visitor = await visit(`${place.url}/settings/permissions`)
    const { page } = visitor
    await page.getByRole("button", { name: "Add rule" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Effect").selectOption("Deny")
    await dialog.getByLabel("Tools").selectOption("Writing files")
    await dialog.getByLabel("When").selectOption("For specific files")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("Required.").waitFor()
    await dialog.getByLabel("Files").fill("secret/**")
    await dialog.getByLabel("Repository").fill("/code/tool")
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByText("Files: secret/** · /code/tool").waitFor()
    const rule = { tool: "write", path: "secret/**", effect: "deny" }
    expect(await place.ask("GET", "/api/v1/config/permissions")).toEqual({
      ...{ rules: [], repositories: [{ repository: "/code/tool", rules: [rule] }], version: 1 },
    })
    // A rule that another client adds while this page is open isn't overwritten.
    await place.ask("PUT", "/api/v1/config/permissions", { rules: [{ tool: "bash", effect: "ask" }], repositories: [] })
    await page.getByRole("button", { name: "Edit rule 1" }).click()
    await dialog.getByLabel("Effect").selectOption("Allow")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByRole("alert").waitFor()
    await dialog.getByRole("button", { name: "Save" }).click()
    await until(() => place.ask("GET", "/api/v1/config/permissions")).toMatchObject({
      ...{ rules: [{ tool: "bash" }], repositories: [{ rules: [{ ...rule, effect: "allow" }] }] },
    })
    await page.getByRole("button", { name: "Delete rule 2" }).click()
    await dialog.getByRole("button", { name: "Delete" }).click()
    await until(() => place.ask("GET", "/api/v1/config/permissions")).toMatchObject({ repositories: [] })
  })

  it("begin the next task in the repository of the last one, in another browser, too", async () => {
    await using place = await openPlace()
    const { folder } = makeRepository(`${place.server.folder}/repository`)
    {
      await using visitor = await visit(place.url)
      const { page } = visitor
      await page.getByText("Agent", { exact: true }).click()
      await page.getByRole("combobox", { name: "Agent", exact: true }).selectOption({ label: "Mock" })
      await page.getByLabel("Task").fill("Say hello.")
      await page.getByLabel("Repository").fill(folder)
      await page.getByRole("button", { name: "Start" }).click()
      await page.waitForURL("**/a/main")
      const preferences = () => place.ask("GET", "/api/v1/config/preferences")
      await until(async () => (await preferences()).last_project_path).toBe(folder)
    }
    await place.ask("POST", "/api/v1/accounts", { name: "gardener", provider: "mock" })
    const preferred = { project_path: folder, preferred_coding_agent: "gardener" }
    await place.ask("PUT", "/api/v1/config/project", preferred)
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByText("Agent", { exact: true }).click()
    await until(() => page.getByLabel("Repository").inputValue()).toBe(folder)
    // The project's preferred agent is selected, but the user can choose another one for the task.
    const agent = page.getByRole("combobox", { name: "Agent", exact: true })
    await until(() => agent.inputValue()).toBe("gardener")
    await agent.selectOption({ label: "Mock" })
    expect(await agent.inputValue()).toBe("mock")
  })
})
