import { ended } from "../tests/ended.ts"
import { createScriptedProvider, textAnswer } from "../tests/fixtures/scripted-model.ts"
import { readFrames } from "../tests/functions/agents/frames.ts"
import { startServer } from "../tests/functions/server.ts"
import { percentile, type Question, timed } from "./measure.ts"

const TURNS = 60
const FILES = 40

export const firstToken: Question = {
  asks: "How soon does a person see the first words of an answer, at a model that gives them at once?",
  async answer() {
    const asked: number[] = []
    const model = createScriptedProvider(() => {
      asked.push(performance.now())
      return textAnswer("Yes, it does.")
    })
    const server = await startServer({ scripted: model })
    try {
      const { body } = await server.call("POST", "/api/v1/sessions", { json: {} })
      for (let at = 0; at < FILES; at++) {
        const json = { path: `src/f${at}.ts`, content: `export function f${at}() {\n  return ${at}\n}\n` }
        await server.call("PUT", `/workspace/file?workspace_id=${body.id}`, { json })
      }
      const chat = `/api/v1/sessions/${body.id}/chat`
      const requests: number[] = []
      const whole: number[] = []
      const toModel: number[] = []
      // Turn 0 doesn't count, because it parses the files.
      for (let turn = 0; turn <= TURNS; turn++) {
        requests.push(await timed(async () => (await fetch(`${server.url}/status`)).text()))
        const start = performance.now()
        const json = { message: `Does it work? ${turn}`, model: "scripted/test", files: ["src/f1.ts"] }
        const { request_id, run_id } = (await server.call("POST", chat, { json })).body
        let first: number | undefined
        for await (const { event, data } of readFrames(server, `${chat}/stream?request_id=${request_id}`)) {
          if (event === "streamChunk" && data.content !== "") first ??= performance.now()
        }
        // A person reads the answer before asking again, so the work after the answer has ended by then.
        await ended(async (path) => (await server.call("GET", path)).body, run_id)
        if (turn === 0 || first === undefined) continue
        whole.push(first - start)
        toModel.push((asked[turn] ?? Number.NaN) - start)
      }
      const lines = { "the first words": whole, "of that, until the model is asked": toModel }
      return Object.entries(lines).flatMap(([what, times]) =>
        [50, 95].map((percent) => {
          const value = percentile(times, percent)
          const baseline = { what: `GET /status, p${percent}`, value: percentile(requests, percent) }
          const line = { what: `${what}, p${percent} of ${times.length}`, value, unit: "ms" as const, baseline }
          const isHeld = times === whole && percent === 95
          const target = isHeld ? { of: "value" as const, atMost: 60 } : undefined
          return { ...line, ratio: value / baseline.value, ...(target && { target }) }
        }),
      )
    } finally {
      await server.close()
    }
  },
}
