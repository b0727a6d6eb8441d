import { assembleContext } from "@switchyard/core/work/context/assemble-context"
import type { ContextState, ItemKey, Observed } from "@switchyard/core/work/context/tiers"
import fc from "fast-check"

/** A project and a conversation about it, as a test changes them. */
export interface Chat {
  files: Map<string, string>
  selected: Set<string>
  history: Map<number, { role: "user" | "assistant"; content: string }>
  /** Number of the next message. Numbers below 2 belong to a summary. */
  next: number
}

export type Act =
  | { do: "edit" | "select" | "deselect" | "delete"; file: number; text: string }
  | { do: "rename"; file: number; to: number }
  | { do: "say"; text: string }
  | { do: "note" }
  | { do: "compact" | "rewind"; kept: number }
  | { do: "nothing" }

const file = fc.nat({ max: 9 })
const text = fc.string({ maxLength: 400 })
export const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom("edit", "select", "deselect", "delete"), file, text }),
    fc.record({ do: fc.constant("rename" as const), file, to: file }),
    { arbitrary: fc.record({ do: fc.constant("say" as const), text }), weight: 3 },
    fc.constant({ do: "note" as const }),
    fc.record({ do: fc.constantFrom("compact", "rewind"), kept: fc.nat({ max: 6 }) }),
    { arbitrary: fc.constant({ do: "nothing" as const }), weight: 4 },
  ) as fc.Arbitrary<Act>,
  { maxLength: 40 },
)

export function newChat(): Chat {
  const files = Array.from({ length: 10 }, (_, at): [string, string] => [nameOf(at), `text ${at} `.repeat(40 * at)])
  return { files: new Map(files), selected: new Set([nameOf(3)]), history: new Map(), next: 2 }
}

export function perform(chat: Chat, act: Act): void {
  const { files, selected, history } = chat
  const path = "file" in act ? nameOf(act.file) : ""
  if (act.do === "edit") files.set(path, act.text)
  if (act.do === "select" && files.has(path)) selected.add(path)
  if (act.do === "deselect") selected.delete(path)
  if (act.do === "delete") remove(chat, path)
  if (act.do === "rename" && files.has(path)) {
    const text = files.get(path) ?? ""
    remove(chat, path)
    files.set(nameOf(act.to), text)
  }
  const numbers = [...history.keys()].sort((a, b) => a - b)
  const questions = numbers.filter((at) => history.get(at)?.role === "user")
  if (act.do === "compact") {
    const from = questions.at(-act.kept) ?? 0
    for (const at of numbers) if (act.kept === 0 || at < from) history.delete(at)
    history.set(0, { role: "user", content: `Asked summary ${chat.next}` })
    history.set(1, { role: "assistant", content: `Answered summary ${chat.next}` })
  }
  if (act.do === "rewind") {
    const from = questions.at(-act.kept) ?? chat.next
    for (const at of numbers) if (act.kept > 0 && at >= from) history.delete(at)
  }
  // A note gets no answer, like some questions.
  if (act.do === "note") history.set(chat.next++, { role: "user", content: `Asked ${chat.next}` })
  if (act.do === "say") {
    history.set(chat.next++, { role: "user", content: `Asked ${act.text}` })
    history.set(chat.next++, { role: "assistant", content: `Answered ${act.text}` })
  }
}

export function observedIn({ files, selected, history }: Chat): Observed[] {
  // An empty hash means that a file isn't parsed yet, so an empty file has a hash, too.
  const symbols = [...files].map(([path, text]): Observed => {
    // The references to a file change with other files. Such a change must not resend the file's symbols.
    const references = [...files.values()].filter((other) => other.length > text.length).length
    return {
      ...{ key: `symbol:${path}`, hash: `#${text}`, tokens: text.length / 8 + 1 },
      text: `${path}: ←${references}\n${text.slice(0, 9)}`,
    }
  })
  const shown = [...selected].map((path): Observed => {
    const text = files.get(path) ?? ""
    return { key: `file:${path}`, hash: `#${text}`, tokens: text.length / 4 + 1 }
  })
  const said = [...history].map(
    ([at, { role, content }]): Observed => ({
      key: `history:${at}` as ItemKey,
      role,
      hash: content,
      tokens: content.length / 4 + 4,
    }),
  )
  return [...symbols, ...shown, ...said]
}

export function assembled({ files, selected, history }: Chat, state: ContextState, { min = 100 } = {}) {
  return assembleContext({
    ...{ systemPrompt: "You edit files. ".repeat(30), legend: "c=class", state, history, message: "And now?" },
    files: new Map([...files].filter(([path]) => selected.has(path))),
    ...{ tree: [...files.keys()], minCachedTokens: min },
  })
}

const nameOf = (at: number) => `src/f${at}.ts`

function remove({ files, selected }: Chat, path: string): void {
  files.delete(path)
  selected.delete(path)
}
