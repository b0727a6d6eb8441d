import * as z from "zod"
import { claude } from "./claude.ts"
import type { CliLogin } from "./cli.ts"
import { codex } from "./codex.ts"
import { gemini } from "./gemini.ts"
import { mock } from "./mock.ts"
import { opencode } from "./opencode.ts"
import { qwen } from "./qwen.ts"
import { vibe } from "./vibe.ts"

/** All built-in agent programs, by ID. */
export const clis = { claude, codex, gemini, qwen, opencode, vibe, mock }

export const BuiltInCli = z.enum(Object.keys(clis) as (keyof typeof clis)[])
export type BuiltInCli = z.infer<typeof BuiltInCli>

/** ID of an agent's program: a built-in one, or one that the operator added and may have removed since. */
export const CliId = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/)
  .describe(`${Object.keys(clis).join(", ")}, or a program that the operator added`)
export type CliId = z.infer<typeof CliId>

export function isBuiltIn(cli: CliId): cli is BuiltInCli {
  return Object.hasOwn(clis, cli)
}

/** True if the built-in agent can't work without a key. False for added programs. */
export function needsKey(cli: CliId): boolean {
  return isBuiltIn(cli) && clis[cli].keyVariables.length > 0
}

/** Returns a company's agent. Undefined if the company has none. */
export function cliOfCompany(company: string): BuiltInCli | undefined {
  return BuiltInCli.options.find((id) => clis[id].company === company)
}

/** Returns the description of a CLI's own login. Undefined if its accounts can't have one. */
export function loginOf(cli: CliId): CliLogin | undefined {
  if (!isBuiltIn(cli)) return undefined
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
