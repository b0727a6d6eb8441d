import * as z from "zod"

const Days = z.int().min(1).max(36_500)

/** The time for which an owner's untouched sessions are kept, within that of the installation. */
export const Cleanup = z.strictObject({
  cleanup_days: Days.nullable(),
  auto_cleanup: z.boolean(),
})
export type Cleanup = z.infer<typeof Cleanup>

export const defaultCleanup: Cleanup = { cleanup_days: null, auto_cleanup: true }

/** The same as the API shows it, with what it has freed. */
export const CleanupSettings = z
  .object({
    cleanup_days: z
      .number()
      .positive()
      .describe("Days for which an untouched session is kept: at most, and by default, the server's RETENTION_DAYS"),
    auto_cleanup: Cleanup.shape.auto_cleanup.describe("False: the server's RETENTION_DAYS hold"),
    cleaned: z
      .array(z.object({ session_id: z.string(), name: z.string(), deleted_at: z.iso.datetime() }))
      .describe("The sessions that were deleted because nobody had touched them, the newest first, for 30 days"),
  })
  .meta({ id: "CleanupSettings" })

export const CleanupChange = z
  .strictObject({ cleanup_days: Days, auto_cleanup: Cleanup.shape.auto_cleanup })
  .partial()
  .meta({ id: "CleanupChange" })
