import { type TeamTools, TOOL_CATEGORIES } from "../request-schema.ts"
import type { TeamState } from "../state.ts"
import { coordinatorTools } from "./coordinator-tools.ts"
import type { Member } from "./member.ts"
import { describeCoordinatorTools } from "./program-coordinator-tools.ts"
import { workerTools } from "./worker-tools.ts"

interface ToolsOf {
  /** Null if a model coordinates. */
  coordinator: TeamState["coordinator"]
  /** Null if commands may not be run. */
  commands: TeamState["commands"]
  /** Search method of the members' model. Undefined if the model can't search the web. */
  search: "itself" | "by model" | undefined
  /** True if a key for a search service is configured. */
  hasSearchKey: boolean
}

/** Returns the tools of a team's coordinator and model workers, by category. Leaves out tools that neither has. */
export function listTools({ coordinator: program, commands, search, hasSearchKey }: ToolsOf): TeamTools {
  // A dummy member is enough, because tools use their member only when they are called.
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
