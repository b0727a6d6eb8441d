import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect } from "vitest"
import { type AgentsPlace, withAgents } from "./agents.ts"
import { openPlace, type Place } from "./place.ts"
import { inChromium, type Suite } from "./suite.ts"

/** Shared state of a suite: a place with agents, and one page. */
export interface AgentsRoom extends Suite {
  readonly place: Place
  readonly agents: AgentsPlace
  readonly page: Page
}

/** Runs tests on one page of a place with agents. Fails if the server has reported an error by the end. */
export function inAgentsRoom(name: string, tests: (room: AgentsRoom) => void): void {
  inChromium(name, (suite) => {
    const opened = new AsyncDisposableStack()
    const room: Partial<AgentsRoom> & Suite = { ...suite }
    beforeAll(async () => {
      const place = opened.use(await openPlace())
      const { page } = opened.use(await suite.visit(place.url))
      Object.assign(room, { place, agents: withAgents(place), page })
    })
    afterAll(async () => {
      await opened.disposeAsync()
      expect(room.place?.server.reported ?? []).toEqual([])
    })
    tests(room as AgentsRoom)
  })
}
