import { object, oneOf, type Read, readJson, text } from "../../api/shape.ts"

const KEY = "switchyard.new-session"

export const kinds = ["Build", "Agent"] as const
export type Kind = (typeof kinds)[number]

/** `agent`: an account or the program of an agent; empty before anybody chose. */
const Choices = object({ kind: oneOf(...kinds), agent: text, repository: text })
/** What was chosen for the last session that began here, so that it needn't be chosen again. */
export type Choices = Read<typeof Choices>

const nothing: Choices = { kind: "Build", agent: "", repository: "" }

export function readChoices(storage: Storage): Choices {
  return readJson(Choices, storage.getItem(KEY) ?? "") ?? nothing
}

export function keepChoices(storage: Storage, change: Partial<Choices>): void {
  try {
    storage.setItem(KEY, JSON.stringify({ ...readChoices(storage), ...change }))
  } catch {
    // A browser without room for it only forgets.
  }
}
