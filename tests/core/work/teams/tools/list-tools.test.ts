import { listTools } from "@switchyard/core/work/teams/tools/list-tools"
import { expect, it } from "vitest"

it.each([
  ["itself", true, false],
  ["itself", false, false],
  ["by model", false, true],
  [undefined, true, true],
  [undefined, false, false],
] as const)("lists web_search only where members have it (%s, key: %s)", (search, hasSearchKey, isListed) => {
  const web = listTools({ coordinator: null, commands: null, search, hasSearchKey }).find(
    ({ category }) => category === "web",
  )
  expect(web?.tools.map(({ name }) => name)).toEqual(isListed ? ["web_search", "web_fetch"] : ["web_fetch"])
})

it("lists of a program that coordinates what it gets over MCP", () => {
  const coordinator = { agentId: "agt_1", model: "mock/default", workerTypes: [], calls: [], failure: null }
  const listed = listTools({ coordinator, commands: null, search: undefined, hasSearchKey: true }).flatMap(
    ({ tools }) => tools,
  )
  const of = (name: string) => listed.find((tool) => tool.name === name)
  expect(of("finish")).toMatchObject({ coordinator: true, worker: false })
  expect(of("web_search")).toMatchObject({ coordinator: false, worker: true })
})

it.each([
  ["bypass", true],
  ["ask", true],
  ["plan", false],
  [undefined, false],
] as const)("lists bash only where workers may run commands (%s)", (mode, isListed) => {
  const commands = mode ? { mode, checks: {}, max_attempts: 5 } : null
  const listed = listTools({ coordinator: null, commands, search: undefined, hasSearchKey: false })
  const bash = listed.flatMap(({ tools }) => tools).find(({ name }) => name === "bash")
  expect(bash).toEqual(isListed ? expect.objectContaining({ coordinator: false, worker: true }) : undefined)
})
