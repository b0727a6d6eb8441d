import { assembleContext } from "@switchyard/core/work/context/assemble-context"
import type { ContextState, ItemKey, Observed } from "@switchyard/core/work/context/tiers"
import fc from "fast-check"

/** A project and a conversation about it, as a test changes them. */
export interface Chat {
  files: Map<string, string>
  selected: Set<string>
  history: Map<number, { role: "user" | "assistant"; content: string }>
}

export type Act =
  | { do: "edit" | "select" | "deselect" | "delete"; file: number; text: string }
  | { do: "rename"; file: number; to: number }
  | { do: "say"; text: string }
  | { do: "compact" }
  | { do: "nothing" }

const file = fc.nat({ max: 9 })
const text = fc.string({ maxLength: 400 })
export const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom("edit", "select", "deselect", "delete"), file, text }),
    fc.record({ do: fc.constant("rename" as const), file, to: file }),
    { arbitrary: fc.record({ do: fc.constant("say" as const), text }), weight: 3 },
    fc.constant({ do: "compact" as const }),
    { arbitrary: fc.constant({ do: "nothing" as const }), weight: 4 },
  ) as fc.Arbitrary<Act>,
  { maxLength: 40 },
)

export function newChat(): Chat {
  const files = Array.from({ length: 10 }, (_, at): [string, string] => [nameOf(at), `text ${at} `.repeat(40 * at)])
  return { files: new Map(files), selected: new Set([nameOf(3)]), history: new Map() }
}

export function perform({ files, selected, history }: Chat, act: Act): void {
  const path = "file" in act ? nameOf(act.file) : ""
  if (act.do === "edit") files.set(path, act.text)
  if (act.do === "select" && files.has(path)) selected.add(path)
  if (act.do === "deselect") selected.delete(path)
  if (act.do === "delete") remove({ files, selected, history }, path)
  if (act.do === "rename" && files.has(path)) {
    const text = files.get(path) ?? ""
    remove({ files, selected, history }, path)
    files.set(nameOf(act.to), text)
  }
  if (act.do === "compact") {
    history.clear()
    say(history, "summary")
  }
  if (act.do === "say") say(history, act.text)
}

export function observedIn({ files, selected, history }: Chat): Observed[] {
  // The hash of an empty file isn't empty either: that is the one of what nobody has parsed yet.
  const symbols = [...files].map(([path, text]): Observed => {
    // Its relation to other files changes with each of them, and must not be sent anew.
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
    ([at, { content }]): Observed => ({
      key: `history:${at}` as ItemKey,
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
    ...{ tree: [...files.keys()], minCachedTokens: min, estimateTokens: (chars) => Math.ceil(chars / 4) },
  })
}

const nameOf = (at: number) => `src/f${at}.ts`

function remove({ files, selected }: Chat, path: string): void {
  files.delete(path)
  selected.delete(path)
}

function say(history: Chat["history"], text: string): void {
  const at = history.size
  history.set(at, { role: "user", content: `Asked ${text}` })
  history.set(at + 1, { role: "assistant", content: `Answered ${text}` })
}
