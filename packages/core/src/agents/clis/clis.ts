import * as z from "zod"
import { claude } from "./claude.ts"
import type { CliLogin } from "./cli.ts"
import { codex } from "./codex.ts"
import { gemini } from "./gemini.ts"
import { mock } from "./mock.ts"
import { opencode } from "./opencode.ts"
import { qwen } from "./qwen.ts"
import { vibe } from "./vibe.ts"

/** All agent programs, by id. */
export const clis = { claude, codex, gemini, qwen, opencode, vibe, mock }

export const CliId = z.enum(Object.keys(clis) as (keyof typeof clis)[])
export type CliId = z.infer<typeof CliId>

export function needsKey(cli: CliId): boolean {
  return clis[cli].keyVariables.length > 0
}

/** Returns a company's agent; undefined if it has none. */
export function cliOfCompany(company: string): CliId | undefined {
  return CliId.options.find((id) => clis[id].company === company)
}

/** Returns a CLI's login; undefined if its accounts can't have one. */
export function loginOf(cli: CliId): CliLogin | undefined {
  const { login } = clis[cli]
  return "refused" in login ? undefined : login
}

/** Returns the notice that a person must accept before adding such a login to an account. */
export function loginNotice({ terms }: CliLogin): string {
  return [
    "Unlike a key, which no agent sees, a log-in is given to the agent itself: it can read it, and so can every program that it runs and whoever steers it.",
    "One task at a time works with it. A copy of it that is used elsewhere, too, ends one of the two, so make one for this account alone.",
    terms,
  ].join(" ")
}
