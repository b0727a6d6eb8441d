import * as z from "zod"
import { claude } from "./claude.ts"
import type { CliLogin } from "./cli.ts"
import { codex } from "./codex.ts"
import { gemini } from "./gemini.ts"
import { mock } from "./mock.ts"
import { opencode } from "./opencode.ts"
import { qwen } from "./qwen.ts"
import { vibe } from "./vibe.ts"

/** All agent programs, by ID. */
export const clis = { claude, codex, gemini, qwen, opencode, vibe, mock }

export const CliId = z.enum(Object.keys(clis) as (keyof typeof clis)[])
export type CliId = z.infer<typeof CliId>

export function needsKey(cli: CliId): boolean {
  return clis[cli].keyVariables.length > 0
}

/** Returns a company's agent. Undefined if the company has none. */
export function cliOfCompany(company: string): CliId | undefined {
  return CliId.options.find((id) => clis[id].company === company)
}

/** Returns the description of a CLI's own login. Undefined if its accounts can't have one. */
export function loginOf(cli: CliId): CliLogin | undefined {
  const { login } = clis[cli]
  return "refused" in login ? undefined : login
}

/** Returns the notice that a person must accept before adding this login to an account. */
export function loginNotice({ terms }: CliLogin): string {
  return [
    "Unlike a key, which agents never see, a login is handed to the agent itself. The agent, every program it runs and anyone steering it can read the login.",
    "Only one task at a time can use it. If a copy is also used elsewhere, one of the two stops working, so create a login for this account only.",
    terms,
  ].join(" ")
}
