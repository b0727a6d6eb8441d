import { createStartConsents } from "@switchyard/core/agents/conversations/start-consents"
import type { NewEvent } from "@switchyard/core/events"
import { systemClock } from "@switchyard/core/time"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { expect, it } from "vitest"
import { opened, stateAfter } from "../core/kernel/folded.ts"
import { makeRepository } from "../functions/agents/repository.ts"
import { never as signal } from "../settings.ts"
import { openPlace } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"

inChromium("the settings of a repository", ({ visit }) => {
  it("are found in its files, and say who works there and what agents read first", async () => {
    await using place = await openPlace()
    const scripts = { test: "vitest run", start: "node main.js" }
    const { folder } = makeRepository(`${place.server.folder}/repository`, {
      ...{ "package.json": JSON.stringify({ scripts }), "package-lock.json": "{}", "tsconfig.json": "{}" },
    })
    await using visitor = await visit(`${place.url}/settings/repositories`)
    const { page } = visitor
    await page.getByRole("button", { name: "Add repository" }).click()
    const dialog = page.getByRole("dialog")
    const find = dialog.getByRole("button", { name: "Detect settings" })
    await dialog.getByLabel("Repository").fill("https://example.org/tool.git")
    await find.click()
    await dialog.getByText("Only a folder on the server's machine can be examined.").waitFor()
    await dialog.getByLabel("Repository").fill(folder)
    await find.click()
    await dialog.getByText("detected from package.json, tsconfig.json").waitFor()
    expect(await dialog.getByLabel("Test", { exact: true }).getAttribute("placeholder")).toBe("npm test")
    await dialog.getByLabel("Default agent").selectOption("Mock")
    await dialog.getByLabel("Files to read first").fill("../secret.md")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("It must be a relative path inside the repository.").waitFor()
    await dialog.getByLabel("Files to read first").fill("docs/GARDEN.md")
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByText("TypeScript · default agent mock · reads docs/GARDEN.md first · setup: npm ci").waitFor()
    const { repositories } = await place.ask("GET", "/api/v1/config/repositories")
    expect(repositories).toMatchObject([
      { repository: folder, setup: "npm ci", checks: { project_type: "typescript" }, preferred_coding_agent: "mock" },
    ])
  })

  it("lists consents by the files that they are for, and withdraws them", async () => {
    await using place = await openPlace()
    const { records } = place.server.stores
    const index = createRunIndex(records)
    const startConsents = createStartConsents({ records, index, clock: systemClock })
    const ref = { run_id: "run_1", owner: "local", sid: "sid", session_id: "s", created_at: 0 }
    await index.add(ref, { signal })
    const files = [".mcp.json", "opencode.json"]
    const allowed: NewEvent = { type: "start_files_allowed", run_id: "run_1", digest: "0123456789abcdef", files }
    const state = stateAfter([{ ...opened(), ...{ repository: "/home/ada/tool" } }, allowed])
    await startConsents.update({ state }, "run_1", { signal })
    await using visitor = await visit(`${place.url}/settings/repositories`)
    const consents = visitor.page.getByRole("region", { name: "Consents" })
    await consents.getByText("/home/ada/tool", { exact: true }).waitFor()
    await consents.getByText("Agents start programs listed in .mcp.json, opencode.json (0123456789ab)").waitFor()
    await consents.getByRole("button", { name: /^Withdraw the consent for \/home\/ada\/tool/ }).click()
    await visitor.page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click()
    await consents.getByText("No consents yet.").waitFor()
    expect(await place.ask("GET", "/api/v1/consents")).toEqual({ consents: [] })
  })

  it("say on which port its server is looked at, and how long that may take to answer", async () => {
    await using place = await openPlace()
    await using visitor = await visit(`${place.url}/settings/repositories`)
    const { page } = visitor
    await page.getByRole("button", { name: "Add repository" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Repository").fill("https://example.org/tool.git")
    await dialog.getByLabel("Start", { exact: true }).fill("npm run dev")
    await dialog.getByLabel("Start time limit in seconds").fill("90")
    await dialog.getByLabel("Preview", { exact: true }).selectOption("Fixed port")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("Enter a port from 1024 to 65535.").waitFor()
    await dialog.getByLabel("Preview port").fill("5173")
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByText("start: npm run dev · start time limit 90 s · preview on port 5173").waitFor()
    const { repositories } = await place.ask("GET", "/api/v1/config/repositories")
    expect(repositories).toMatchObject([
      {
        preview: { port_mode: "manual", port: 5173 },
        checks: { start: "npm run dev", limits_seconds: { start: 90 } },
      },
    ])
  })
})
