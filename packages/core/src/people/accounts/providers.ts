import { CliId, clis, loginNotice, loginOf, needsKey } from "../../agents/clis/clis.ts"
import type { Provider } from "./schema.ts"

/**
 * Lists the providers that accounts can have. The mock is for development. `keys` are the keys in the server's
 * environment.
 */
export function listProviders(options: {
  withMock: boolean
  withLogins: boolean
  keys: Partial<Record<CliId, string>>
}): Provider[] {
  const { withMock, withLogins, keys } = options
  const all = CliId.options.map((type) => {
    const { title, description, supportsReasoning = false } = clis[type]
    const login = withLogins ? loginOf(type) : undefined
    const needs_key = needsKey(type)
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
