import { setTimeout as delay } from "node:timers/promises"
import type { Locator, Page } from "playwright-core"
import { readFrames } from "../../functions/agents/frames.ts"
import { makeRepository, type TestRepository } from "../../functions/agents/repository.ts"
import type { Place } from "./place.ts"
import { until } from "./until.ts"

export interface AgentsPlace {
  place: Place
  /**
   * Gives the mock agent a task, in a new session by default. Resolves to the session's id once the agent is working,
   * or once its run has ended if `done` is set.
   */
  begin(
    knobs: object,
    options?: { repository?: string; sessionId?: string; done?: boolean; verify?: boolean },
  ): Promise<string>
  /** Resolves to the session's first event of this type after `since`. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sent
  heard(sessionId: string, type: string, since?: number): Promise<any>
  repository(files?: Record<string, string>): TestRepository
}

/** Runs agents in a place, on repositories in a folder beside its data. */
export function withAgents(place: Place): AgentsPlace {
  let repositories = 0
  const path = (id: string) => `/api/v1/sessions/${id}`

  async function heard(id: string, type: string, since = 0) {
    const url = place.server.server.url
    const stream = readFrames({ url }, `${path(id)}/stream?include_terminal=false&since_seq=${since}`)
    for await (const { data } of stream) if (data.type === type) return data
    throw new Error(`The stream ended without ${type}.`)
  }

  return {
    place,
    heard,
    begin: async (knobs, { repository, sessionId, done = false, verify = false } = {}) => {
      const id = sessionId ?? (await place.session())
      const { latest_seq } = await place.ask("GET", path(id))
      const screen = { terminal_rows: 32, terminal_cols: 110 }
      const asked = {
        coding_agent: "mock",
        project_path: repository,
        ...screen,
        ...(verify && { verify, consent: true }),
      }
      const task_description = `Do it. mock: ${JSON.stringify(knobs)}`
      await place.ask("POST", `${path(id)}/tasks`, { ...asked, task_description })
      if (done) await place.over(id)
      else await heard(id, "agent_session_opened", latest_seq)
      return id
    },
    repository: (files) => makeRepository(`${place.server.folder}/repository-${++repositories}`, files),
  }
}

/** Finds the page's terminal. The rows of its text have no trailing blanks. */
export function onTerminal(page: Page) {
  const screen = page.locator("[data-pty]")
  const text = async () => {
    const rows = await screen.locator(".xterm-rows > div").allTextContents()
    return rows
      .map((row) => row.replaceAll("\u00a0", " ").trimEnd())
      .join("\n")
      .trimEnd()
  }
  return {
    screen,
    text,
    shows: (words: string | RegExp) => until(text).toMatch(words),
    /** Focuses the terminal's input. */
    enter: () => screen.locator("textarea").focus(),
    /** Returns the rows and columns that the terminal's header shows. */
    size: async (): Promise<[number, number]> => {
      const said = await page
        .getByText(/^\d+ × \d+/)
        .first()
        .innerText()
      const [cols = 0, rows = 0] = (said.match(/\d+/g) ?? []).map(Number)
      return [cols, rows]
    },
    bar: (name: string): Locator => page.getByRole("button", { name, exact: true }),
  }
}

/** Kills the process that serves a session, as if its machine were lost. */
export async function killRunner({ heard }: AgentsPlace, id: string): Promise<void> {
  const { executor } = await heard(id, "runner_claimed")
  const pid = Number(/^local-(\d+)-/.exec(executor)?.[1])
  process.kill(pid, "SIGKILL")
  while (isThere(pid)) await delay(10)
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
