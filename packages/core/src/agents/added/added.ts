import { type AddedAgent, schemaOf } from "../clis/added-schema.ts"
import { BuiltInCli, CliId, cliOfCompany } from "../clis/clis.ts"

/** Programs that the operator added, by ID. */
export type AddedAgents = ReadonlyMap<string, AddedAgent>

const MAX_AGENTS = 50

/**
 * Parses the operator's programs. Throws an error that names the first wrong setting. The names of built-in agents
 * and their companies are taken.
 */
export function parseAddedAgents(value: unknown): AddedAgents {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error("Agents must be listed by their names, each with its settings.")
  }
  const entries = Object.entries(value)
  if (entries.length > MAX_AGENTS) throw new Error(`More than ${MAX_AGENTS} agents are listed.`)
  return new Map(entries.map(([id, settings]) => [requireFree(id), parseSettings(id, settings)]))
}

function requireFree(id: string): string {
  if (!CliId.safeParse(id).success) {
    throw new Error(
      `${JSON.stringify(id.slice(0, 50))} can't be an agent's name. Use up to 32 small letters, digits and hyphens.`,
    )
  }
  const isTaken = BuiltInCli.safeParse(id).success || cliOfCompany(id) !== undefined || TAKEN.has(id)
  if (isTaken) throw new Error(`The name ${id} is taken. Choose another one.`)
  return id
}

/** Words with a meaning of their own where an agent can be named. */
const TAKEN = new Set(["claude-code", "constructor"])

function parseSettings(id: string, settings: unknown): AddedAgent {
  const { data, error } = schemaOf(settings).safeParse(settings)
  if (data) return data
  const [first] = error.issues
  throw new Error(`${[id, ...(first?.path ?? [])].join(".")}: ${first?.message}`)
}
