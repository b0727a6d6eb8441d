import * as z from "zod"

/** Token counts as the provider reported them; null where it did not. */
export const UsageCounts = z.object({
  input: z.number().nullable(),
  cache_read: z.number().nullable(),
  cache_write: z.number().nullable(),
  output: z.number().nullable(),
})
