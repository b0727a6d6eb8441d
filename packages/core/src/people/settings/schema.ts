import * as z from "zod"

/** A person's preferences in the studio. What isn't set has its default. */
export const Preferences = z
  .strictObject({
    theme: z.enum(["system", "light", "dark"]),
    density: z.enum(["comfortable", "compact"]),
    motion: z.enum(["system", "reduced"]).describe("`reduced`: nothing moves by itself"),
    single_letter_keys: z.boolean().describe("Whether letters alone are shortcuts"),
    enter_sends: z.boolean().describe("Whether Enter sends; else Ctrl+Enter does"),
    log_details: z.boolean().describe("Whether the log shows what is only for the curious"),
    editor_wraps: z.boolean(),
    terminal_font_px: z.int().min(8).max(32),
    screen_reader_terminal: z.boolean().describe("Whether terminals are read aloud"),
    system_extra: z.string().max(8000).describe("What a chat's model is told beside the product's own instructions"),
    last_project_path: z
      .string()
      .max(4096)
      .nullable()
      .describe(
        "The repository that somebody worked in last, a folder or an address; the studio begins the next task there. A folder that is gone is null",
      ),
    ui_mode: z
      .enum(["react", "gradio", "cli"])
      .describe("What `switchyard open` opens: `cli` a chat in the terminal, the others the studio"),
  })
  .meta({ id: "Preferences" })
export type Preferences = z.infer<typeof Preferences>

/** Preferences as they are kept, with the number of times that they were changed. */
export const StoredPreferences = Preferences.extend({ version: z.int().nonnegative() }).meta({
  id: "StoredPreferences",
})
export type StoredPreferences = z.infer<typeof StoredPreferences>

const dark_mode = z.boolean().nullable().describe("The theme as other servers have it; null where the system decides")

/** The same as the API shows them. */
export const PreferencesView = StoredPreferences.extend({ dark_mode }).meta({ id: "PreferencesView" })

/** Changes to preferences; the rest stays. With a version, only if it is still that one. A `theme` counts more than `dark_mode`. */
export const PreferencesChange = StoredPreferences.extend({ dark_mode }).partial().meta({ id: "PreferencesChange" })
export type PreferencesChange = z.infer<typeof PreferencesChange>
