import { logName } from "@switchyard/core/kernel/keys"
import { applyEvent, emptySession } from "@switchyard/core/state"
import { beginStream, projectEvent } from "@switchyard/core/work/workflow/stream/projection"
import { longSession } from "./long-session.ts"
import { compared, type Line, type Question, sideBySide, type Target, timed } from "./measure.ts"
import { newStage, SID, type Stage, signal } from "./stage.ts"

const IN_TIME: Target = { of: "value", atMost: 1500 }

export const replay: Question = {
  asks: "How long does it take to read a session again?",
  answer: async () => [...(await replayed(1500, 9)), ...(await replayed(50_000, 5, IN_TIME))],
}

async function replayed(count: number, rounds: number, target?: Target): Promise<Line[]> {
  await using stage = await newStage()
  await longSession(stage, count)
  const texts = await Array.fromAsync(events(stage), (event) => JSON.stringify(event))
  const parse = () =>
    timed(() => {
      for (const text of texts) JSON.parse(text)
    })
  const to = "JSON.parse of the same events"
  const of = `${count.toLocaleString("en")} events`
  const compare = (replaying: () => Promise<number>) => sideBySide(replaying, parse, { rounds })
  return [
    compared(`${of}, read`, "ms", to, await compare(() => timed(() => read(stage)))),
    compared(`${of}, folded`, "ms", to, await compare(() => timed(() => fold(stage))), target),
    compared(`${of}, projected`, "ms", to, await compare(() => timed(() => project(stage))), target),
  ]
}

function events({ log }: Stage) {
  return log.read(logName(SID), 0, { signal })
}

async function read(stage: Stage): Promise<void> {
  for await (const _ of events(stage));
}

/** Folds the events into the session's state, without a snapshot. */
async function fold(stage: Stage): Promise<void> {
  let state = emptySession
  for await (const event of events(stage)) state = applyEvent(state, event)
}

/** Projects the events into the frames of `/stream`, one per token. */
async function project(stage: Stage): Promise<void> {
  let view = beginStream("run", "workspace")
  for await (const event of events(stage)) view = projectEvent(view, event).view
}
