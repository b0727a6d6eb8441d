import { defaultPreferences } from "@switchyard/core/people/settings/default-preferences"
import { Preferences } from "@switchyard/core/people/settings/schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { mergePreferences, preferencesDiff } from "../../../../packages/web/src/session/preferences/preferences-diff.ts"

const preferences: fc.Arbitrary<Preferences> = fc.record({
  theme: fc.constantFrom("system", "light", "dark"),
  density: fc.constantFrom("comfortable", "compact"),
  motion: fc.constantFrom("system", "reduced"),
  single_letter_keys: fc.boolean(),
  enter_sends: fc.boolean(),
  log_details: fc.boolean(),
  editor_wraps: fc.boolean(),
  terminal_font_px: fc.integer({ min: 8, max: 32 }),
  screen_reader_terminal: fc.boolean(),
  system_extra: fc.string(),
  last_project_path: fc.option(fc.string()),
  ui_mode: fc.constantFrom("react", "gradio", "cli"),
})

describe("preferences that are changed here and kept there", () => {
  it("sends what is different, and nothing else", () => {
    const now: Preferences = { ...defaultPreferences, theme: "dark", editor_wraps: true }
    expect(preferencesDiff(defaultPreferences, now)).toEqual({ theme: "dark", editor_wraps: true })
  })

  it("sends no version along, for another browser may have changed something else", () => {
    const kept = { ...defaultPreferences, version: 7 }
    expect(preferencesDiff(kept, { ...defaultPreferences, theme: "dark" })).toEqual({ theme: "dark" })
  })

  it("keeps a click that was made while the server answered", () => {
    const before = defaultPreferences
    const now: Preferences = { ...before, theme: "dark" }
    const kept: Preferences = { ...before, theme: "light", density: "compact" }
    expect(mergePreferences(kept, before, now)).toEqual({ ...kept, theme: "dark" })
  })

  it("takes what the server keeps where nothing was changed here", () => {
    fc.assert(
      fc.property(preferences, preferences, (kept, before) => {
        expect(mergePreferences(kept, before, before)).toEqual(kept)
      }),
    )
  })

  it("says with a preferencesDiff all that there is to say", () => {
    fc.assert(
      fc.property(preferences, preferences, (from, to) => {
        expect({ ...from, ...preferencesDiff(from, to) }).toEqual(to)
        expect(Preferences.partial().safeParse(preferencesDiff(from, to)).success).toBe(true)
      }),
    )
  })
})
