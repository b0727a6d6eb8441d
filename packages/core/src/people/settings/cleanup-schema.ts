import * as z from "zod"

const Days = z.int().min(1).max(36_500)

/** Retention period of an owner's untouched sessions. The installation's own setting is the maximum. */
export const Cleanup = z.strictObject({
  cleanup_days: Days.nullable(),
  auto_cleanup: z.boolean(),
})
export type Cleanup = z.infer<typeof Cleanup>

export const defaultCleanup: Cleanup = { cleanup_days: null, auto_cleanup: true }

/** Retention settings as returned by the API, with the sessions that were deleted because of the change. */
export const CleanupSettings = z
  .object({
    cleanup_days: z
      .number()
      .positive()
      .describe("How many days an untouched session is kept. The default and maximum is the server's RETENTION_DAYS"),
    auto_cleanup: Cleanup.shape.auto_cleanup.describe("If false, the server's RETENTION_DAYS applies"),
    cleaned: z
      .array(z.object({ session_id: z.string(), name: z.string(), deleted_at: z.iso.datetime() }))
      .describe("Sessions deleted in the last 30 days because they were untouched, newest first"),
  })
  .meta({ id: "CleanupSettings" })

export const CleanupChange = z
  .strictObject({ cleanup_days: Days, auto_cleanup: Cleanup.shape.auto_cleanup })
  .partial()
  .meta({ id: "CleanupChange" })
