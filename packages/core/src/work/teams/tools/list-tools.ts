import { type TeamTools, TOOL_CATEGORIES } from "../request-schema.ts"
import type { TeamState } from "../state.ts"
import { coordinatorTools } from "./coordinator-tools.ts"
import type { Member } from "./member.ts"
import { describeCoordinatorTools } from "./program-coordinator-tools.ts"
import { workerTools } from "./worker-tools.ts"

interface ToolsOf {
  /** Null for a program that coordinates. */
  coordinator: TeamState["coordinator"]
  /** Null where nothing can be run. */
  commands: TeamState["commands"]
  /** The way in which the model of its members searches the web; undefined where that doesn't. */
  search: "itself" | "by model" | undefined
  /** Whether the installation has a key for a search. */
  hasSearchKey: boolean
}

/** The tools of a team's coordinator and of its workers that are models, by what they are for; those that nobody has are left out. */
export function listTools({ coordinator: program, commands, search, hasSearchKey }: ToolsOf): TeamTools {
  // A tool knows its member when it is called, and none is called here.
  const nothing = async () => []
  const searchWeb = hasSearchKey ? nothing : undefined
  const provider = { searchesWeb: () => search === "itself", ...(search === "by model" && { search: nothing }) }
  const harness = { provider }
  const nobody = { deps: { searchWeb }, context: {}, harness, id: "", messages: [] } as unknown as Member
  const coordinator = program ? describeCoordinatorTools(program.workerTypes) : coordinatorTools(nobody)
  const worker = workerTools({ ...nobody, nodeId: "" }, { commands })
  const tools = new Map([...worker, ...coordinator].map(({ name, description }) => [name, description]))
  const has = (those: readonly { name: string }[], name: string) => those.some((tool) => tool.name === name)
  return Object.entries(TOOL_CATEGORIES).map(([category, names]) => ({
    category: category as keyof typeof TOOL_CATEGORIES,
    tools: names
      .filter((name) => tools.has(name))
      .map((name) => ({
        name,
        description: tools.get(name) ?? "",
        coordinator: has(coordinator, name),
        worker: has(worker, name),
      })),
  }))
}
