import { EventPage, Session } from "@switchyard/core/sessions/schema"
import type * as z from "zod"
import { type StudioEvent, toEvent } from "../../../../packages/web/src/session/stream/event.ts"
import { ended } from "../../../ended.ts"
import { serveHere } from "../../../faults/in-process.ts"
import { SMALL_MODEL, smallModel } from "../../../faults/small-project.ts"
import type { ScriptedAnswer } from "../../../fixtures/scripted-model.ts"

export interface Story {
  events: StudioEvent[]
  /** Events as the server sends them. */
  sent: unknown[]
  session: Session
  /** Paths of all files on the server, in its order. */
  files: string[]
}

/**
 * Records the log of a real session with every kind of event: a run that completes; a person who edits, renames,
 * deletes and creates files; a run that is stopped in its second file; a run whose model fails; and a run that
 * completes.
 */
export async function recordStory(): Promise<Story> {
  let inSecondFile = Promise.withResolvers<void>()
  const endless = Promise.withResolvers<void>()
  const turns: Record<string, (subject: string) => ScriptedAnswer | undefined> = {
    stopped: (subject) => {
      if (subject !== "b.ts") return undefined
      inSecondFile.resolve()
      return [{ type: "text", text: "I begin" }, endless.promise]
    },
    failing: (subject) => (subject === "a.ts" ? new Error("It broke.") : undefined),
  }
  let turn: ((subject: string) => ScriptedAnswer | undefined) | undefined
  await using place = await serveHere({ scripted: smallModel((subject) => turn?.(subject)) })
  const { url } = place.server
  const id = (await ask(url, "POST", "/api/v1/sessions", Session)).id
  const files = `workspace_id=${id}`

  async function run(named?: keyof typeof turns): Promise<void> {
    turn = named ? turns[named] : undefined
    const { run_id } = await askAny(url, "POST", "/v1/runs", {
      user_prompt: `Make a thing, ${named ?? "well"}.`,
      workspace_id: id,
      model: SMALL_MODEL,
    })
    if (named === "stopped") {
      await inSecondFile.promise
      await askAny(url, "POST", `/api/v1/sessions/${id}/cancel`)
      inSecondFile = Promise.withResolvers<void>()
    }
    await ended((path) => askAny(url, "GET", path), run_id)
  }

  await run()
  await askAny(url, "PUT", `/workspace/file?${files}`, { path: "a.ts", content: "// mine\n" })
  await askAny(url, "PUT", `/workspace/file?${files}`, { path: "notes/one.md", content: "# One\n" })
  await askAny(url, "POST", `/workspace/rename?${files}`, { from_path: "notes", to_path: "docs/notes" })
  await askAny(url, "DELETE", `/workspace/file?${files}&path=b.ts`)
  await run("stopped")
  await run("failing")
  await run()

  const page = await ask(url, "GET", `/api/v1/sessions/${id}/events?limit=1000`, EventPage)
  const session = await ask(url, "GET", `/api/v1/sessions/${id}`, Session)
  const there: { files: Record<string, string> } = await askAny(url, "GET", `/workspace/files?${files}`)
  return { events: page.events.map(toEvent), sent: page.events, session, files: Object.keys(there.files) }
}

/** Repeats the events as a single log of any length, with consecutive numbers. */
export function repeated(events: readonly StudioEvent[], count: number): StudioEvent[] {
  return Array.from({ length: count }, (_, at) => {
    const event = events[at < events.length ? at : 1 + ((at - 1) % (events.length - 1))]
    if (!event) throw new Error("There is nothing to repeat.")
    return { ...event, seq: at + 1 }
  })
}

async function ask<T>(url: string, method: string, path: string, schema: z.ZodType<T>, body?: unknown): Promise<T> {
  return schema.parse(await askAny(url, method, path, body))
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent
async function askAny(url: string, method: string, path: string, body?: unknown): Promise<any> {
  const headers = body === undefined ? undefined : { "content-type": "application/json" }
  const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}
