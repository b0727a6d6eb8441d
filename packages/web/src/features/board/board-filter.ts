import { hasWords } from "@switchyard/core/sessions/word-search"
import type { Session } from "../../api/session.ts"
import { nameOfRepository } from "../../session/list/session-labels.ts"

/** Choices of the board's filters. An empty text chooses everything. */
export interface BoardFilter {
  text: string
  kind: string
  repository: string
  agent: string
  status: string
}

export const noFilter: BoardFilter = { text: "", kind: "", repository: "", agent: "", status: "" }

export function isFiltered(filter: BoardFilter): boolean {
  return Object.values(filter).some((value) => value !== "")
}

export const columnTitles = {
  needs_you: "Needs you",
  working: "Working",
  review: "Ready to review",
  done: "Done",
} satisfies Record<Session["column"], string>

export const ARCHIVED = "archived"

export const kindTitles = {
  build: "Build",
  agent: "Agent",
  chat: "Chat",
  team: "Team",
} satisfies Record<Session["kind"], string>

/**
 * Returns the sessions of each column that the filter lets through: pinned ones first, then by latest activity.
 * `messages`: sessions with messages that contain the filter's text.
 */
export function boardColumns(
  sessions: Session[],
  filter: BoardFilter,
  messages: ReadonlySet<string>,
): { column: Session["column"]; sessions: Session[] }[] {
  const found = sessions
    .filter((session) => isChosen(session, filter) && (hasText(session, filter.text) || messages.has(session.id)))
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.last_activity.localeCompare(a.last_activity))
  const columns = Object.keys(columnTitles) as Session["column"][]
  return columns.map((column) => ({ column, sessions: found.filter((session) => session.column === column) }))
}

function isChosen(session: Session, { kind, repository, agent, status }: BoardFilter): boolean {
  const isStatus = status === "" || status === ARCHIVED || status === session.column || status === session.status
  const isAgent = agent === "" || agent === agentOf(session)
  return (
    isStatus && isAgent && (kind === "" || kind === session.kind) && (!repository || repository === session.repository)
  )
}

function hasText({ name, last_run, question, repository, ...session }: Session, text: string): boolean {
  if (text.trim() === "") return true
  const texts = [name, last_run?.prompt, question?.title, repository, agentOf({ last_run, ...session })]
  return hasWords(texts.filter(Boolean).join("\n"), text)
}

/** Returns the program that works in the session, or its model. */
export function agentOf({ agent, last_run }: Pick<Session, "agent" | "last_run">): string {
  return agent ?? last_run?.model.split("/").at(-1) ?? ""
}

/** Returns the choices for a filter: the distinct values, in order, with their labels. */
export function choicesOf(
  values: (string | null)[],
  label = (value: string) => value,
): [value: string, text: string][] {
  const distinct = [...new Set(values.filter((value) => value !== null && value !== ""))] as string[]
  return distinct.map((value): [string, string] => [value, label(value)]).sort(([, a], [, b]) => a.localeCompare(b))
}

export const repositoryChoices = (sessions: Session[]) =>
  choicesOf(
    sessions.map(({ repository }) => repository),
    nameOfRepository,
  )
