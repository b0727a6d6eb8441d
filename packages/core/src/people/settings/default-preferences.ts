import type { Preferences } from "./schema.ts"

/**
 * Default preferences for the studio. They are separate from the schema, so that the first screen doesn't have to load
 * the schema.
 */
export const defaultPreferences: Preferences = {
  theme: "system",
  density: "comfortable",
  motion: "system",
  single_letter_keys: true,
  enter_sends: true,
  log_details: false,
  editor_wraps: false,
  terminal_font_px: 13,
  screen_reader_terminal: false,
  system_extra: "",
  last_project_path: null,
  ui_mode: "react",
}
