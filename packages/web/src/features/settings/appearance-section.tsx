import type { Preferences } from "@switchyard/core/people/settings/schema"
import { usePreferences } from "../../session/preferences/use-preferences.ts"
import { Choice, Switch } from "../../ui/controls.tsx"
import { fieldsOf, numbersWith, SelectField } from "../../ui/field.tsx"

const themes = { system: "System", light: "Light", dark: "Dark" } satisfies Record<Preferences["theme"], string>
const densities = { comfortable: "Comfortable", compact: "Compact" } satisfies Record<Preferences["density"], string>
const motions = { system: "System", reduced: "Reduced" } satisfies Record<Preferences["motion"], string>

const interfaces = { react: "Studio", cli: "Terminal chat" }
const SIZES = [10, 11, 12, 13, 14, 16, 18, 20, 24, 32]

export function AppearanceSection() {
  const { preferences, change } = usePreferences()
  const of = fieldsOf(preferences, change)
  return (
    <div className="flex flex-col">
      <Choice legend="Theme" options={themes} {...of("theme")} />
      <Choice legend="Density" options={densities} {...of("density")} />
      <Choice legend="Motion" options={motions} {...of("motion")} />
      <Switch
        label="Enter sends"
        hint="Press Shift+Enter for a new line. If off, press Ctrl+Enter (⌘ Enter) to send."
        {...of("enter_sends")}
      />
      <Switch
        label="Single-key shortcuts"
        hint="For example, press ? for help. Turn this off if you use voice input."
        {...of("single_letter_keys")}
      />
      <Switch label="Show log details" hint="Shows the events of each step in the log." {...of("log_details")} />
      <Switch label="Wrap long lines in the editor" {...of("editor_wraps")} />
      <Switch
        label="Read terminals aloud"
        hint="Announces terminal output to screen readers."
        {...of("screen_reader_terminal")}
      />
      <div className="border-t border-line py-4">
        <SelectField
          label="Terminal font size"
          className="grid items-center gap-x-6 sm:grid-cols-[minmax(0,1fr)_9rem] [&_label]:m-0 [&_label]:text-base"
          value={String(preferences.terminal_font_px)}
          options={numbersWith(SIZES, preferences.terminal_font_px).map((size) => [size, `${size} pixels`])}
          onChange={(size) => change({ terminal_font_px: Number(size) })}
        />
      </div>
      <Choice
        legend="Interface for npx switchyard open"
        options={interfaces}
        value={preferences.ui_mode === "cli" ? "cli" : "react"}
        onChange={(ui_mode) => change({ ui_mode })}
      />
      <p className="border-t border-line pt-4 text-sm text-ink-3">
        The server saves these settings for all your browsers.
      </p>
    </div>
  )
}
