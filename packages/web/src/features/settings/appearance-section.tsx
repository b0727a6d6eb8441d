import type { Preferences } from "@switchyard/core/people/settings/schema"
import { usePreferences } from "../../session/preferences/use-preferences.ts"
import { Choice, Switch } from "./controls.tsx"

const themes = { system: "As the system", light: "Light", dark: "Dark" } satisfies Record<Preferences["theme"], string>
const densities = { comfortable: "Comfortable", compact: "Compact" } satisfies Record<Preferences["density"], string>
const motions = { system: "As the system", reduced: "Nothing moves by itself" } satisfies Record<
  Preferences["motion"],
  string
>

export function AppearanceSection() {
  const { preferences, change } = usePreferences()
  return (
    <div className="flex flex-col">
      <Choice legend="Theme" options={themes} chosen={preferences.theme} onChoose={(theme) => change({ theme })} />
      <Choice
        legend="Rows"
        options={densities}
        chosen={preferences.density}
        onChoose={(density) => change({ density })}
      />
      <Choice legend="Motion" options={motions} chosen={preferences.motion} onChoose={(motion) => change({ motion })} />
      <Switch
        label="Enter sends"
        hint="Enter alone runs the prompt and Shift+Enter makes a new line. Otherwise Ctrl+Enter, or ⌘ Enter, runs it."
        on={preferences.enter_sends}
        onChange={(enter_sends) => change({ enter_sends })}
      />
      <Switch
        label="Single keys are shortcuts"
        hint="Such as ? for help or G then H for home. Switch them off if you speak to your computer, or press keys by accident."
        on={preferences.single_letter_keys}
        onChange={(single_letter_keys) => change({ single_letter_keys })}
      />
      <Switch
        label="The log tells details"
        hint="What happened inside of each step, for the curious."
        on={preferences.log_details}
        onChange={(log_details) => change({ log_details })}
      />
      <Switch
        label="The editor wraps long lines"
        on={preferences.editor_wraps}
        onChange={(editor_wraps) => change({ editor_wraps })}
      />
      <p className="border-t border-line pt-4 text-sm text-ink-3">
        Kept by the server, so it is the same in each browser of yours.
      </p>
    </div>
  )
}
