import * as z from "zod"

/** A person's preferences for the studio. Fields that aren't set have their defaults. */
export const Preferences = z
  .strictObject({
    theme: z.enum(["system", "light", "dark"]),
    density: z.enum(["comfortable", "compact"]),
    motion: z.enum(["system", "reduced"]).describe("`reduced` turns off animations"),
    single_letter_keys: z.boolean().describe("Use single letters as keyboard shortcuts"),
    enter_sends: z.boolean().describe("Send with Enter. If false, only Ctrl+Enter sends"),
    log_details: z.boolean().describe("Show technical details in the log"),
    editor_wraps: z.boolean(),
    terminal_font_px: z.int().min(8).max(32),
    screen_reader_terminal: z.boolean().describe("Make terminals work with screen readers"),
    system_extra: z.string().max(8000).describe("Additional instructions for a chat's model"),
    last_project_path: z
      .string()
      .max(4096)
      .nullable()
      .describe(
        "Last used repository (folder or URL), preselected for the next task in the studio. Null if the folder is gone",
      ),
    ui_mode: z
      .enum(["react", "gradio", "cli"])
      .describe(
        "Interface started by `switchyard open`: `cli` is a chat in the terminal, the others are views of the studio",
      ),
  })
  .meta({ id: "Preferences" })
export type Preferences = z.infer<typeof Preferences>

/** Stored preferences, with a version that increases with every change. */
export const StoredPreferences = Preferences.extend({ version: z.int().nonnegative() }).meta({
  id: "StoredPreferences",
})
export type StoredPreferences = z.infer<typeof StoredPreferences>

const dark_mode = z
  .boolean()
  .nullable()
  .describe("Theme in the format used by other servers; null if the system decides")

/** Preferences as returned by the API. */
export const PreferencesView = StoredPreferences.extend({ dark_mode }).meta({ id: "PreferencesView" })

/**
 * Changes to preferences. Omitted fields keep their value. If a version is given, it must be the stored version.
 * `theme` takes precedence over `dark_mode`.
 */
export const PreferencesChange = StoredPreferences.extend({ dark_mode }).partial().meta({ id: "PreferencesChange" })
export type PreferencesChange = z.infer<typeof PreferencesChange>
