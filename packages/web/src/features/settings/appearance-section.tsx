import type { Preferences } from "@switchyard/core/people/settings/schema"
import { usePreferences } from "../../session/preferences/use-preferences.ts"
import { Choice, Switch } from "../../ui/controls.tsx"
import { fieldsOf, numbersWith, SelectField } from "../../ui/field.tsx"

const themes = { system: "System", light: "Light", dark: "Dark" } satisfies Record<Preferences["theme"], string>
const densities = { comfortable: "Comfortable", compact: "Compact" } satisfies Record<Preferences["density"], string>
const motions = { system: "System", reduced: "Reduced" } satisfies Record<Preferences["motion"], string>

const interfaces = { react: "Studio", cli: "Chat in the terminal" }
const SIZES = [10, 11, 12, 13, 14, 16, 18, 20, 24, 32]

export function AppearanceSection() {
  const { preferences, change } = usePreferences()
  const of = fieldsOf(preferences, change)
  return (
    <div className="flex flex-col">
      <Choice legend="Theme" options={themes} {...of("theme")} />
      <Choice legend="Rows" options={densities} {...of("density")} />
      <Choice legend="Motion" options={motions} {...of("motion")} />
      <Switch
        label="Enter sends"
        hint="Enter alone runs the prompt and Shift+Enter makes a new line. Otherwise Ctrl+Enter, or ⌘ Enter, runs it."
        {...of("enter_sends")}
      />
      <Switch
        label="Single-key shortcuts"
        hint="Such as ? for help, or G then H for home. Turn them off if you use speech input or press keys by accident."
        {...of("single_letter_keys")}
      />
      <Switch label="Show log details" hint="Every event inside each step." {...of("log_details")} />
      <Switch label="Wrap long lines in the editor" {...of("editor_wraps")} />
      <Switch
        label="Read terminals aloud"
        hint="For screen readers: what a terminal prints is announced."
        {...of("screen_reader_terminal")}
      />
      <div className="border-t border-line py-4">
        <SelectField
          label="Text of terminals"
          className="max-w-60"
          value={String(preferences.terminal_font_px)}
          options={numbersWith(SIZES, preferences.terminal_font_px).map((size) => [size, `${size} pixels`])}
          onChange={(size) => change({ terminal_font_px: Number(size) })}
        />
      </div>
      <Choice
        legend="npx switchyard open"
        options={interfaces}
        value={preferences.ui_mode === "cli" ? "cli" : "react"}
        onChange={(ui_mode) => change({ ui_mode })}
      />
      <p className="border-t border-line pt-4 text-sm text-ink-3">
        Saved on the server and shared by all your browsers.
      </p>
    </div>
  )
}
