import { afterAll, describe, expect, it } from "vitest"
import { type Played, play } from "./play.ts"
import {
  architectCases,
  type Case,
  coderCases,
  formCases,
  materialCases,
  plannerCases,
  projectCases,
  reviewCases,
} from "./scenarios.ts"

const rows: string[] = []
afterAll(() => {
  console.log(["What became of imperfect answers:", ...rows].join("\n"))
})

describe.each<[string, Case[]]>([
  ["a planner", plannerCases],
  ["an architect", architectCases],
  ["a coder", coderCases],
  ["a model that has the whole project", projectCases],
  ["a reviewer that", reviewCases],
  ["a model that", materialCases],
  ["a model of today", formCases],
])("%s", (role, cases) => {
  it.each(cases)("$does", async ({ does, requests, fails, also, ...scenario }) => {
    const played = await play(scenario)
    rows.push(rowOf(role, does, played))
    if (fails === undefined) {
      expect([played.status, played.message]).toEqual(["completed", ""])
      expect(played.requests).toHaveLength(requests ?? 0)
    } else {
      expect(played.status).toBe("failed")
      expect(played.message).toMatch(fails)
    }
    also?.(played)
  })
})

function rowOf(role: string, does: string, { status, requests, tokens }: Played): string {
  return `${status.padEnd(9)} ${String(requests.length).padStart(3)} requests ${String(tokens).padStart(7)} tokens  ${role} ${does}`
}
