import type { AddedAgents } from "../../agents/added/added.ts"
import { cliOf } from "../../agents/added/cli-of.ts"
import { BuiltInCli, type CliId, loginNotice, loginOf, needsKey } from "../../agents/clis/clis.ts"
import type { Provider } from "./schema.ts"

/**
 * Lists the providers that accounts can have, including the programs that the operator added. The mock is for development. `keys` are the keys in the server's
 * environment.
 */
export function listProviders(options: {
  withMock: boolean
  withLogins: boolean
  keys: Partial<Record<CliId, string>>
  added: AddedAgents
}): Provider[] {
  const { withMock, withLogins, keys, added } = options
  const all = [...BuiltInCli.options, ...added.keys()].map((type) => {
    const { title, description, supportsReasoning = false } = cliOf(type)
    const login = withLogins ? loginOf(type) : undefined
    const needs_key = needsKey(type) || added.get(type)?.key !== undefined
    return {
      ...{ type, name: title, description, supports_reasoning: supportsReasoning, needs_key },
      login: login
        ? { files: login.files, command: login.command?.join(" ") ?? null, notice: loginNotice(login) }
        : null,
      server_key: !needs_key || keys[type] !== undefined,
    }
  })
  return all.filter(({ type }) => withMock || type !== "mock")
}
