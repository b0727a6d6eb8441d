import { createHash } from "node:crypto"
import { CliId, needsKey } from "../../agents/clis/clis.ts"
import type { MockSettings } from "../../agents/clis/mock-settings.ts"
import type { ChosenAgent } from "../../agents/tasks/new-task.ts"
import { AppError } from "../../errors.ts"
import type { Accounts } from "./accounts.ts"

/** Credentials and home of an agent's program. */
export interface AgentCredentials {
  apiKey: string | null
  baseUrl: string | null
  /** Name of the account if it uses its agent's own login, otherwise null. */
  login: string | null
  /** Unique name of the account's home. */
  home: string
  mock?: MockSettings | undefined
}

/** Agents by the names that people use for them. */
export interface AgentAccounts {
  /**
   * Returns the agent with this name: the owner's account, or else the program with this id and a key in the server's
   * environment. Throws `task_invalid` if there is neither.
   */
  choose(owner: string, name: string, options: { signal?: AbortSignal }): Promise<ChosenAgent>
  /** Returns the agent's credentials. If the account was removed, there is no key, which the agent will report. */
  open(
    owner: string,
    agent: Pick<ChosenAgent, "cli" | "account">,
    options: { signal?: AbortSignal },
  ): Promise<AgentCredentials>
}

export function createAgentAccounts(deps: {
  accounts: Accounts
  /** Keys of the server's environment. */
  keys: Partial<Record<CliId, string>>
  withMock: boolean
}): AgentAccounts {
  const { accounts, keys, withMock } = deps
  return {
    async choose(owner, name, options) {
      const account = await accounts.credentials(owner, name, options)
      if (account) {
        const { provider: cli, model, reasoning, hasLogin } = account
        return { cli, account: name, model, reasoning, hasLogin }
      }
      const cli = CliId.safeParse(name).data
      if (!cli || (cli === "mock" && !withMock)) throw unknownAgent(name, "There is no account with this name.")
      if (needsKey(cli) && keys[cli] === undefined) {
        throw unknownAgent(name, "There is no account with this name, and the server has no key for it.")
      }
      return { cli, account: null, model: null, reasoning: null, hasLogin: false }
    },
    async open(owner, { cli, account }, options) {
      if (account === null) {
        return { apiKey: keys[cli] ?? null, baseUrl: null, login: null, home: `own-${cli}-${digest(owner)}` }
      }
      const found = await accounts.credentials(owner, account, options)
      if (!found) return { apiKey: null, baseUrl: null, login: null, home: `removed-${digest(owner, account)}` }
      const { id: home, apiKey, baseUrl, hasLogin, mock } = found
      return { apiKey, baseUrl, login: hasLogin ? account : null, home, mock }
    },
  }
}

/** Returns a part of a folder name that is unique for each owner, whatever their name. */
function digest(...names: string[]): string {
  return createHash("sha256").update(JSON.stringify(names)).digest("hex").slice(0, 32)
}

function unknownAgent(name: string, message: string): AppError {
  return new AppError("task_invalid", message, { coding_agent: name.slice(0, 100) })
}
