import { type Decoded, decodeJson, list, object, oneOf, optional, text } from "../../api/decode.ts"
import { storeItem } from "../../api/store-item.ts"

const KEY = "switchyard.new-session"

export const kinds = ["Build", "Agent", "Chat", "Team"] as const
export type Kind = (typeof kinds)[number]

/** Permission modes, most careful first. */
export const modes = ["ask", "accept_edits", "plan", "bypass"] as const
export type Mode = (typeof modes)[number]

/**
 * `agent`: an account or agent program; empty until one is chosen. `programs`: a team's programs. `coordinator`: a team
 * coordinator's program; empty for a model.
 */
const Choices = object({
  kind: oneOf(...kinds),
  agent: text,
  mode: optional(oneOf(...modes)),
  programs: optional(list(text)),
  coordinator: optional(text),
})
/** Choices made for the last new session, used as defaults for the next. */
export type Choices = Decoded<typeof Choices>

const nothing: Choices = { kind: "Build", agent: "" }

export function readChoices(storage: Storage): Choices {
  return decodeJson(Choices, storage.getItem(KEY) ?? "") ?? nothing
}

export function saveChoices(storage: Storage, change: Partial<Choices>): void {
  storeItem(storage, KEY, JSON.stringify({ ...readChoices(storage), ...change }))
}
