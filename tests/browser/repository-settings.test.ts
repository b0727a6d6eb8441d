import { expect, it } from "vitest"
import { openPlace } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"

inChromium("the settings of a repository", ({ visit }) => {
  it("say on which port its server is looked at, and how long that may take to answer", async () => {
    await using place = await openPlace()
    await using visitor = await visit(`${place.url}/settings/repositories`)
    const { page } = visitor
    await page.getByRole("button", { name: "Add a repository" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Repository").fill("https://example.org/tool.git")
    await dialog.getByLabel("Start", { exact: true }).fill("npm run dev")
    await dialog.getByLabel("Start limit").fill("90")
    await dialog.getByLabel("Preview of the server").selectOption("On this port")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("The mode manual takes a port.").waitFor()
    await dialog.getByLabel("Preview port").fill("5173")
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByText("start: npm run dev · start within 90 s · server on port 5173").waitFor()
    const { repositories } = await place.ask("GET", "/api/v1/config/repositories")
    expect(repositories).toMatchObject([
      {
        preview: { port_mode: "manual", port: 5173 },
        checks: { start: "npm run dev", limits_seconds: { start: 90 } },
      },
    ])
  })
})
