import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect } from "vitest"
import { type AgentsPlace, withAgents } from "./agents.ts"
import { openPlace, type Place } from "./place.ts"
import { inChromium, type Suite } from "./suite.ts"

/** The shared state of a suite: a place with agents, and a page of it. */
export interface AgentsRoom extends Suite {
  readonly place: Place
  readonly agents: AgentsPlace
  readonly page: Page
}

/** Tests on one page of a place with agents, whose server has nothing to report in the end. */
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
