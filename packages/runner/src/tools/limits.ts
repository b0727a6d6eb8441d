import { charLimit } from "@switchyard/core/text/text-limits-schema"
import * as z from "zod"

/** Longest wait of a call. Programs abandon a call a little later. */
export const WAIT_MS = 50_000

/** Text that an agent sends. */
export const Content = z
  .string()
  .max(...charLimit("message"))
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "Invalid Unicode")
  .refine((text) => text.trim() !== "", "It says nothing.")
