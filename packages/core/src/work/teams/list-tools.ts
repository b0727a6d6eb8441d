import { coordinatorTools } from "./coordinator-tools.ts"
import type { Member } from "./member.ts"
import { type TeamTools, TOOL_CATEGORIES } from "./request-schema.ts"
import { workerTools } from "./worker-tools.ts"

/** The tools of a team's coordinator and of its workers, by what they are for. */
export function listTools(): TeamTools {
  // A tool knows its member when it is called, and none is called here.
  const harness = { provider: {} }
  const deps = { searchWeb: async () => [] }
  const nobody = { deps, context: {}, harness, id: "", messages: [] } as unknown as Member
  const coordinator = coordinatorTools(nobody)
  const worker = workerTools({ ...nobody, nodeId: "" })
  const tools = new Map([...worker, ...coordinator].map(({ name, description }) => [name, description]))
  const has = (those: readonly { name: string }[], name: string) => those.some((tool) => tool.name === name)
  return Object.entries(TOOL_CATEGORIES).map(([category, names]) => ({
    category: category as keyof typeof TOOL_CATEGORIES,
    tools: names.map((name) => ({
      name,
      description: tools.get(name) ?? "",
      coordinator: has(coordinator, name),
      worker: has(worker, name),
    })),
  }))
}
