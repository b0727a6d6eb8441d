import * as z from "zod"

/** A person's preferences in the studio. Unset fields have their default. */
export const Preferences = z
  .strictObject({
    theme: z.enum(["system", "light", "dark"]),
    density: z.enum(["comfortable", "compact"]),
    motion: z.enum(["system", "reduced"]).describe("`reduced` turns off animations"),
    single_letter_keys: z.boolean().describe("Single letters act as shortcuts"),
    enter_sends: z.boolean().describe("Enter sends; otherwise Ctrl+Enter does"),
    log_details: z.boolean().describe("The log shows technical details"),
    editor_wraps: z.boolean(),
    terminal_font_px: z.int().min(8).max(32),
    screen_reader_terminal: z.boolean().describe("Terminals support screen readers"),
    system_extra: z.string().max(8000).describe("Additional instructions for a chat's model"),
    last_project_path: z
      .string()
      .max(4096)
      .nullable()
      .describe(
        "Last used repository, a folder or URL; the studio starts the next task there. Null if the folder is gone",
      ),
    ui_mode: z
      .enum(["react", "gradio", "cli"])
      .describe("Interface that `switchyard open` opens: `cli` is a chat in the terminal, the others are the studio"),
  })
  .meta({ id: "Preferences" })
export type Preferences = z.infer<typeof Preferences>

/** Stored preferences with their version, which counts changes. */
export const StoredPreferences = Preferences.extend({ version: z.int().nonnegative() }).meta({
  id: "StoredPreferences",
})
export type StoredPreferences = z.infer<typeof StoredPreferences>

const dark_mode = z.boolean().nullable().describe("Theme in the format of other servers; null if the system decides")

/** Preferences as the API shows them. */
export const PreferencesView = StoredPreferences.extend({ dark_mode }).meta({ id: "PreferencesView" })

/**
 * Changes to preferences. Omitted fields keep their value. With a version, only if the stored version matches. `theme`
 * takes precedence over `dark_mode`.
 */
export const PreferencesChange = StoredPreferences.extend({ dark_mode }).partial().meta({ id: "PreferencesChange" })
export type PreferencesChange = z.infer<typeof PreferencesChange>
