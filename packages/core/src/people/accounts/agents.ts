import { createHash } from "node:crypto"
import type { AddedAgents } from "../../agents/added/added.ts"
import type { AddedAgent } from "../../agents/clis/added-schema.ts"
import type { AgentAccount } from "../../agents/clis/cli.ts"
import { BuiltInCli, type CliId, cliOfCompany, clis, isBuiltIn, needsKey } from "../../agents/clis/clis.ts"
import type { MockSettings } from "../../agents/clis/mock-settings.ts"
import { cliTitle } from "../../agents/clis/titles.ts"
import type { ChosenAgent } from "../../agents/tasks/new-task.ts"
import { AppError } from "../../errors.ts"
import type { Accounts } from "./accounts.ts"
import { knownPrograms } from "./own-credentials.ts"

/** Credentials and home directory for an agent's program. */
export interface AgentCredentials {
  apiKey: string | null
  baseUrl: string | null
  /** Name of the account if it uses the agent's own login, otherwise null. */
  login: string | null
  /** Models of Amazon Bedrock that the agent uses with the runner's own credentials, instead of a key. */
  bedrock?: AgentAccount["bedrock"]
  /** Unique name for the account's home directory. */
  home: string
  mock?: MockSettings | undefined
  /** Settings of a program that the operator added. */
  added?: AddedAgent | undefined
}

/** Agents by the names that people use for them. */
export type AgentAccounts = ReturnType<typeof createAgentAccounts>

export function createAgentAccounts(deps: {
  accounts: Accounts
  /** Keys in the server's environment. */
  keys: Partial<Record<CliId, string>>
  /** Bedrock models that agents may use without an account. Their requests are signed by a runner in AWS. */
  bedrock?: { models: readonly string[]; region: string; baseUrl: string | null } | undefined
  withMock: boolean
  /** Programs that the operator added. */
  added?: AddedAgents
}) {
  const { accounts, keys, bedrock, withMock, added = new Map() } = deps

  /** Returns the credentials of a program without an account. */
  function ownCredentials(cli: CliId): Pick<AgentCredentials, "apiKey" | "baseUrl" | "bedrock"> {
    const apiKey = keys[cli] ?? null
    const models = (isBuiltIn(cli) && clis[cli].bedrockModels?.(bedrock?.models ?? [])) || []
    if (apiKey !== null || !bedrock || models.length === 0) return { apiKey, baseUrl: null }
    return { apiKey, baseUrl: bedrock.baseUrl, bedrock: { models, region: bedrock.region } }
  }

  return {
    /**
     * Returns the owner's account with this name. If there is none, returns the program that has the name as its ID,
     * with the key from the server's environment. Throws `task_invalid` if neither exists.
     */
    async choose(owner: string, name: string, options: { signal?: AbortSignal }): Promise<ChosenAgent> {
      const account = await accounts.credentials(owner, name, options)
      if (account) {
        const { provider: cli, model, reasoning, hasLogin } = account
        return { cli, account: name, model, reasoning, hasLogin }
      }
      const cli = added.has(name) ? name : (BuiltInCli.safeParse(name).data ?? cliOfCompany(name))
      if (!cli || (cli === "mock" && !withMock)) {
        throw unknownAgent(name, `There is no account with this name. ${knownPrograms(added)}`)
      }
      const own = ownCredentials(cli)
      if ((needsKey(cli) || added.get(cli)?.key) && own.apiKey === null && !own.bedrock) {
        throw unknownAgent(name, `No API key for ${cliTitle(cli)}. Add an account, or set the key on the server.`)
      }
      return { cli, account: null, model: null, reasoning: null, hasLogin: false }
    },
    /**
     * Returns the agent's credentials. If the account was removed, the key is null, and the agent will report a missing
     * key.
     */
    async open(
      owner: string,
      { cli, account }: Pick<ChosenAgent, "cli" | "account">,
      options: { signal?: AbortSignal },
    ): Promise<AgentCredentials> {
      if (account === null) {
        return { ...ownCredentials(cli), login: null, home: `own-${cli}-${digest(owner)}`, added: added.get(cli) }
      }
      const found = await accounts.credentials(owner, account, options)
      if (!found) return { apiKey: null, baseUrl: null, login: null, home: `removed-${digest(owner, account)}` }
      const { id: home, apiKey, baseUrl, hasLogin, mock, provider } = found
      return { apiKey, baseUrl, login: hasLogin ? account : null, home, mock, added: added.get(provider) }
    },
  }
}

/**
 * Returns a part of a folder name. It is unique for each owner, and safe whatever characters the owner's name contains.
 */
function digest(...names: string[]): string {
  return createHash("sha256").update(JSON.stringify(names)).digest("hex").slice(0, 32)
}

function unknownAgent(name: string, message: string): AppError {
  return new AppError("task_invalid", message, { coding_agent: name.slice(0, 100) })
}
