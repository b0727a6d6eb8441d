import { charLimit } from "@switchyard/core/text-limits-schema"
import * as z from "zod"

/** The longest time for which a call waits: programs give up on one a little later. */
export const WAIT_MS = 50_000

/** Something that an agent says. */
export const Content = z
  .string()
  .max(...charLimit("message"))
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "Invalid Unicode")
  .refine((text) => text.trim() !== "", "It says nothing.")
