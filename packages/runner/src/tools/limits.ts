import { charLimit } from "@switchyard/core/text/text-limits-schema"
import * as z from "zod"

/** Maximum time that a call waits. CLIs time out slightly later. */
export const WAIT_MS = 50_000

/** Text that an agent sends. */
export const Content = z
  .string()
  .max(...charLimit("message"))
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "Invalid Unicode")
  .refine((text) => text.trim() !== "", "The text must not be blank.")
