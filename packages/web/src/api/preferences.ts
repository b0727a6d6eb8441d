import type { StoredPreferences } from "@switchyard/core/people/settings/schema"
import { type Decoder, flag, number, object, oneOf, orNull, text } from "./decode.ts"

/** Decodes preferences as stored by the server. Every page requests them, so this doesn't use the schema library. */
export const PreferencesDecoder: Decoder<StoredPreferences> = object({
  theme: oneOf("system", "light", "dark"),
  density: oneOf("comfortable", "compact"),
  motion: oneOf("system", "reduced"),
  single_letter_keys: flag,
  enter_sends: flag,
  log_details: flag,
  editor_wraps: flag,
  terminal_font_px: number,
  screen_reader_terminal: flag,
  system_extra: text,
  last_project_path: orNull(text),
  ui_mode: oneOf("react", "gradio", "cli"),
  version: number,
})
