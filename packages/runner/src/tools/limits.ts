import { charLimit } from "@switchyard/core/text/text-limits-schema"
import * as z from "zod"

/** Longest time that a call waits. CLIs give up on a call slightly later. */
export const WAIT_MS = 50_000

/** Text sent by an agent. */
export const Content = z
  .string()
  .max(...charLimit("message"))
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "Invalid Unicode")
  .refine((text) => text.trim() !== "", "The text must not be blank.")
