import { defaultPreferences } from "@switchyard/core/people/settings/default-preferences"
import { Preferences } from "@switchyard/core/people/settings/schema"
import { createSettings, type Settings } from "@switchyard/core/people/settings/settings"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"

const options = { signal: new AbortController().signal }

let store: Awaited<ReturnType<typeof openStores>>
let settings: Settings
beforeEach(async () => {
  store = await openStores()
  settings = createSettings(store)
})
afterEach(() => store.close())

describe("preferences", () => {
  it("are as they come until they are changed, and each owner's own", async () => {
    expect(await settings.preferences.read("ada", options)).toEqual({ ...defaultPreferences, version: 0 })
    const changed = await settings.preferences.change("ada", { theme: "dark" }, options)
    expect(changed).toEqual({ ...defaultPreferences, theme: "dark", version: 1 })
    expect(await settings.preferences.read("ada", options)).toEqual(changed)
    expect(await settings.preferences.read("bob", options)).toMatchObject({ theme: "system", version: 0 })
  })

  it("keep what a change doesn't name, also when several come at once", async () => {
    await Promise.all([
      settings.preferences.change("ada", { theme: "light" }, options),
      settings.preferences.change("ada", { density: "compact" }, options),
      settings.preferences.change("ada", { enter_sends: true }, options),
    ])
    const all = { theme: "light", density: "compact", enter_sends: true, version: 3 }
    expect(await settings.preferences.read("ada", options)).toMatchObject(all)
  })

  it("are not changed for who saw another version", async () => {
    await settings.preferences.change("ada", { theme: "light" }, options)
    const late = settings.preferences.change("ada", { theme: "dark", version: 0 }, options)
    await expect(late).rejects.toMatchObject({ code: "storage_conflict" })
    expect(await settings.preferences.change("ada", { theme: "dark", version: 1 }, options)).toMatchObject({
      version: 2,
    })
  })

  it("of another release count as far as they are known", async () => {
    const value = { theme: "sepia", density: "compact", gone: 1 }
    await store.records.put({ partition: "settings/ada", sort: "preferences" }, { value })
    const read = await settings.preferences.read("ada", options)
    expect(read).toEqual({ ...defaultPreferences, density: "compact", version: 1 })

    // Changing another setting keeps the other release's values.
    const changed = await settings.preferences.change("ada", { density: "comfortable" }, options)
    expect(changed).toEqual({ ...defaultPreferences, density: "comfortable", version: 2 })
    const stored = await store.records.get({ partition: "settings/ada", sort: "preferences" }, options)
    expect(stored?.value).toEqual({ ...defaultPreferences, ...value, density: "comfortable" })
  })

  it("have a default for each", () => {
    expect(Preferences.parse(defaultPreferences)).toEqual(defaultPreferences)
  })
})
