import { buffer } from "node:stream/consumers"
import { expect, it } from "vitest"
import { openPlace } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the settings", ({ visit }) => {
  it("say how tasks are verified and how long sessions are kept, and are taken along as a file", async () => {
    await using place = await openPlace()
    await place.ask("POST", "/api/v1/accounts", { name: "play", provider: "mock" })
    await using visitor = await visit(`${place.url}/settings/verification`)
    const { page } = visitor
    const config = (name: string) => place.ask("GET", `/api/v1/config/${name}`)
    const verify = page.getByRole("switch", { name: "Verify tasks" })
    await verify.press("Enter")
    await until(() => verify.getAttribute("aria-checked")).toBe("true")
    await page.getByRole("combobox", { name: "Attempts" }).selectOption("3")
    await page.getByRole("combobox", { name: "Reviewer", exact: true }).selectOption("play")
    const model = page.getByRole("combobox", { name: "Reviewer's model" })
    await model.fill("large")
    await model.press("Enter")
    await until(() => config("preferred-verification-model")).toEqual({ model: "large" })
    expect(await config("verification")).toEqual({ enabled: true, auto_run: true })
    expect(await config("verification-agent")).toEqual({ account_name: "play" })
    expect(await config("max-verification-attempts")).toEqual({ attempts: 3 })

    await page.getByRole("link", { name: "Appearance" }).click()
    await page.getByRole("switch", { name: "Read terminals aloud" }).press("Enter")
    await page.getByLabel("Terminal font size").selectOption("18 pixels")
    await page.getByRole("radio", { name: "Terminal chat" }).check({ force: true })
    const preferred = { screen_reader_terminal: true, terminal_font_px: 18, ui_mode: "cli" }
    await until(() => config("preferences")).toMatchObject(preferred)
    await page.getByRole("link", { name: "Models" }).click()
    await page.getByRole("textbox", { name: "Chat instructions" }).fill("Answer in German.")
    await page.getByRole("link", { name: "Data" }).click()
    await until(() => config("preferences")).toMatchObject({ system_extra: "Answer in German." })
    const days = page.getByRole("textbox", { name: "Days to keep unused sessions" })
    await days.fill("soon")
    await page.getByText("Enter a whole number of days.").waitFor()
    await days.fill("7")
    await days.press("Enter")
    await page.getByText("Unused sessions are kept for 7 days.").waitFor()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export" }).click(),
    ])
    const exported = await buffer(await download.createReadStream())
    expect(JSON.parse(exported.toString())).toMatchObject({
      cleanup: { cleanup_days: 7 },
      verification: { attempts: 3 },
    })

    const file = page.getByLabel("Settings to import")
    const json = { name: "settings.json", mimeType: "application/json" }
    await file.setInputFiles({ ...json, buffer: Buffer.from("[]") })
    await page.getByText("This isn't a Switchyard settings file.").waitFor()
    await place.ask("PUT", "/api/v1/config/cleanup", { cleanup_days: 9 })
    await place.ask("PUT", "/api/v1/config/verification", { auto_run: false })
    await file.setInputFiles({ ...json, buffer: exported })
    await page.getByRole("dialog", { name: "Replace your settings?" }).getByRole("button", { name: "Replace" }).click()
    await page.getByText("The settings were imported.").waitFor()
    await until(() => days.inputValue()).toBe("7")
    expect(await config("verification")).toEqual({ enabled: true, auto_run: true })
  })
})
